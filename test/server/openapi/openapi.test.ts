import SwaggerParser from '@apidevtools/swagger-parser';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { operations } from '../../../src/schema/operations.ts';
import { createComponents, type JsonSchema, type MediaType, type ResponseObject } from '../../../src/server/openapi/components.ts';
import { openApiDocument } from '../../../src/server/openapi/openapi.ts';
import { routes } from '../../../src/server/routes.ts';
import { listed, resolved, validators } from '../../support/openapi.ts';

const document = openApiDocument({ version: '1.2.3', routes });
const all = listed(document);
const named = (name: string) => all.find((one) => one.name === name)!.operation;
const validatorOf = validators(document);
const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(([, reference]) => reference!);

const MAPS = ['properties', 'patternProperties'];
const LISTS = ['anyOf', 'oneOf', 'allOf', 'prefixItems'];
const PARTS = ['items', 'additionalProperties', 'not', 'contains'];

/** Everything with a content type: bodies and answers. */
const contents: [name: string, type: string, media: MediaType][] = all.flatMap(({ name, operation }) => [
  ...Object.entries(operation.requestBody?.content ?? {}).map(([type, media]) => [name, type, media] as [string, string, MediaType]),
  ...Object.entries(operation.responses).flatMap(([status, response]) =>
    Object.entries(resolved<ResponseObject>(document, response).content ?? {}).map(
      ([type, media]) => [`${name} ${status}`, type, media] as [string, string, MediaType],
    ),
  ),
]);

/** Every schema that stands by itself, and where. */
const whole: [where: string, schema: JsonSchema][] = [
  ...Object.entries(document.components.schemas),
  ...contents.map(([name, , { schema }]) => [name, schema] as [string, JsonSchema]),
  ...all.flatMap(({ name, operation }) =>
    (operation.parameters ?? []).map(
      ({ name: parameter, schema, content }) =>
        [`${name} ${parameter}`, schema ?? content!['application/json']!.schema] as [string, JsonSchema],
    ),
  ),
];

/** The same with all that is in them. */
const schemas = whole.flatMap(([where, schema]) => within(where, schema));

function within(where: string, schema: JsonSchema): [string, JsonSchema][] {
  const of = (keys: string[]) => keys.flatMap((key) => (typeof schema[key] === 'object' ? [[key, schema[key]] as [string, object]] : []));
  return [
    [where, schema],
    ...of(MAPS).flatMap(([, map]) => Object.entries(map).flatMap(([key, part]) => within(`${where}.${key}`, part as JsonSchema))),
    ...of(LISTS).flatMap(([, list]) => (list as JsonSchema[]).flatMap((part) => within(where, part))),
    ...of(PARTS).flatMap(([key, part]) => within(`${where}[${key}]`, part as JsonSchema)),
  ];
}

describe('the OpenAPI document', () => {
  it('is a valid OpenAPI 3.1 document', async () => {
    expect(document.openapi).toMatch(/^3\.1\.\d+$/);
    expect(document.info).toMatchObject({ title: 'kb', version: '1.2.3' });
    await expect(SwaggerParser.validate(structuredClone(document) as never)).resolves.toBeDefined();
  });

  it('is rejected by the same validator if it is broken', async () => {
    const broken = structuredClone(document) as unknown as { info: { title?: string } };
    delete broken.info.title;
    await expect(SwaggerParser.validate(broken as never)).rejects.toThrow(/title/);
  });

  it('has valid references, and no unused shared parts', () => {
    expect(references.length).toBeGreaterThan(100);
    for (const reference of references) expect(() => resolved(document, { $ref: reference })).not.toThrow();
    const shared = ['schemas', 'responses'].flatMap((kind) =>
      Object.keys(document.components[kind as 'schemas']).map((name) => `#/components/${kind}/${name}`),
    );
    expect(shared.filter((place) => !references.includes(place))).toEqual([]);
  });

  it('lists every route of the table, and nothing outside /v1', () => {
    const names = all.map(({ name }) => name);
    expect(routes.map(({ method, path }) => `${method} ${path}`).filter((name) => !names.includes(name))).toEqual([]);
    expect(names.filter((name) => !name.includes(' /v1/'))).toEqual([]);
    expect(names).toHaveLength(routes.length + 10);
    expect(names).toEqual(
      expect.arrayContaining(['GET /v1/health', 'GET /v1/jobs', 'GET /v1/jobs/{id}', 'DELETE /v1/jobs/{id}', 'GET /v1/jobs/{id}/events']),
    );
  });

  it('gives each operation a unique id, a summary, a tag and described responses', () => {
    const ids = all.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    const headings = document.tags.map(({ name }) => name);
    for (const { name, operation } of all) {
      expect(operation.operationId, name).toMatch(/^[a-z_]+$/);
      expect(operation.summary, name).not.toBe('');
      expect(headings, name).toContain(operation.tags[0]);
      for (const response of Object.values(operation.responses))
        expect(resolved<ResponseObject>(document, response).description, name).not.toBe('');
    }
  });

  it('declares the parameters of each path as required, with a schema and a description', () => {
    const withParameters = all.filter(({ path }) => path.includes('{'));
    expect(withParameters.length).toBeGreaterThan(3);
    for (const { name, path, operation } of withParameters) {
      const declared = operation
        .parameters!.filter((one) => one.in === 'path')
        .map((one) => [one.name, one.in, one.required, Boolean(one.description), one.schema?.type]);
      expect(declared, name).toEqual([...path.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => [parameter, 'path', true, true, 'string']));
    }
    expect(named('GET /v1/collections/{name}').parameters![0]!.schema!.pattern).toBe('^[A-Za-z0-9][A-Za-z0-9_.-]{0,62}$');
  });

  it('consists of schemas that a strict validator accepts', () => {
    for (const [where, schema] of whole) expect(() => validatorOf(schema), where).not.toThrow();
  });

  it('contains no flags, configuration keys or internals of the schemas', () => {
    const own = schemas.flatMap(([where, schema]) =>
      ['id', '$id', '$schema', '$defs', 'flag', 'overrides', 'unit', 'nullable']
        .filter((key) => key in schema)
        .map((key) => `${where}: ${key}`),
    );
    expect(own).toEqual([]);
    expect(Object.keys(document.components.schemas).filter((name) => !/^[A-Z][A-Za-z]+$/.test(name))).toEqual([]);
  });

  it('shares one schema between requests and results', () => {
    expect(Object.keys(document.components.schemas).filter((name) => /(Input|Output)$/.test(name))).toEqual([]);
  });

  it('has examples that match their schemas', () => {
    const examples = [
      ...contents.flatMap(([name, , { schema, examples: given }]) =>
        Object.values(given ?? {}).map(({ value }) => ({ name, schema, value })),
      ),
      ...schemas.flatMap(([name, schema]) => (schema.examples ?? []).map((value) => ({ name, schema, value }))),
    ];
    for (const { name, schema, value } of examples) {
      const fits = validatorOf(schema);
      expect([name, fits(value), fits.errors ?? []]).toEqual([name, true, []]);
    }
    const bare = contents.filter(
      ([name, type, media]) => name.startsWith('POST') && !/ \d{3}$/.test(name) && type === 'application/json' && !media.examples,
    );
    expect(bare.map(([name]) => name)).toEqual([]);
  });

  it('describes every field of every request', () => {
    const silent = contents
      .filter(([name]) => !/ \d{3}$/.test(name))
      .flatMap(([name, , { schema }]) =>
        Object.entries(resolved(document, schema).properties ?? {}).map(([key, field]) => ({ name, key, field })),
      );
    expect(silent.length).toBeGreaterThan(100);
    expect(
      silent
        .filter(({ field }) => !field.description && !resolved<JsonSchema>(document, field).description)
        .map(({ name, key }) => `${name} ${key}`),
    ).toEqual([]);
  });

  it('takes exactly the fields of the operation, and background if it can run as a job', () => {
    for (const { method, path, operation, reply, background } of routes.filter(
      (route) => route.method === 'POST' && route.reply !== 'upload',
    )) {
      const { schema } = named(`${method} ${path}`).requestBody!.content['application/json']!;
      const fields = Object.keys((operations[operation].input as z.ZodObject).shape);
      expect(Object.keys(resolved<JsonSchema>(document, schema).properties!).toSorted(), path).toEqual(
        [...fields, ...(background ? ['background'] : [])].toSorted(),
      );
      expect(resolved<JsonSchema>(document, schema).additionalProperties, path).toBe(false);
      expect('202' in named(`${method} ${path}`).responses, path).toBe(Boolean(background));
      expect(background && reply === 'stream', path).toBeFalsy();
    }
  });

  it('describes results as JSON, streams as server-sent events, and uploads as a form', () => {
    for (const { method, path, reply } of routes) {
      const types = Object.keys((named(`${method} ${path}`).responses['200'] as ResponseObject).content!);
      expect(types, path).toEqual([reply === 'stream' ? 'text/event-stream' : 'application/json']);
    }
    const form = resolved<JsonSchema>(document, named('POST /v1/ingest/docs/upload').requestBody!.content['multipart/form-data']!.schema);
    expect(Object.keys(form.properties!).toSorted()).toEqual([
      'collection',
      'description',
      'files',
      'frontmatter',
      'html',
      'metadata',
      'ocr',
      'ocr_languages',
      'store',
      'title',
    ]);
    expect(form.properties!.files).toMatchObject({ type: 'array', items: { type: 'string', format: 'binary' } });
  });

  it("describes errors as the exception envelope for every operation, except on OpenAI's paths", () => {
    const [own, openAis] = [false, true].map((isOpenAis) => all.filter(({ operation }) => operation.tags.includes('OpenAI') === isOpenAis));
    for (const { operation } of openAis!)
      expect(operation.responses['404']).toMatchObject({
        content: { 'application/json': { schema: { $ref: '#/components/schemas/OpenAiError' } } },
      });
    for (const { name, operation } of own!) {
      const refused = Object.entries(operation.responses).filter(
        ([status]) => Number(status) >= 400 && !(name === 'GET /v1/health' && status === '503'),
      );
      expect(
        refused.map(([status]) => status),
        name,
      ).toEqual(expect.arrayContaining(['403', '429', '500']));
      for (const [, response] of refused) {
        const { schema } = resolved<ResponseObject>(document, response).content!['application/json']!;
        const error = resolved<JsonSchema>(document, resolved<JsonSchema>(document, schema).properties!.error!);
        expect(Object.keys(error.properties!), name).toEqual(['type', 'message']);
      }
    }
    expect(named('GET /v1/health').security).toEqual([]);
    expect(document.security).toEqual([{}, { bearer: [] }]);
  });

  it('is the same each time it is generated', () => {
    expect(openApiDocument({ version: '1.2.3', routes })).toEqual(document);
  });
});

describe('shared schemas', () => {
  it('are rejected if two different ones have the same name', () => {
    const components = createComponents();
    components.schemaFor(z.object({ of: z.string() }).meta({ id: 'TestThing' }), 'input');
    expect(() => components.schemaFor(z.object({ of: z.number() }).meta({ id: 'TestThing' }), 'input')).toThrow(/TestThing/);
  });

  it('are the same for a request and a result, unless the two differ', () => {
    const components = createComponents();
    const part = z.object({ of: z.string() }).meta({ id: 'TestPart' });
    expect(components.schemaFor(z.strictObject({ part }), 'input')).toMatchObject({
      properties: { part: { $ref: '#/components/schemas/TestPart' } },
      additionalProperties: false,
    });
    expect(components.schemaFor(z.object({ parts: z.array(part) }), 'output')).not.toHaveProperty('additionalProperties');
    expect(Object.keys(components.schemas)).toEqual(['TestPart']);
    const filled = z.object({ of: z.string().default('') }).meta({ id: 'TestFilled' });
    components.schemaFor(filled, 'input');
    expect(() => components.schemaFor(filled, 'output')).toThrow(/TestFilled/);
  });

  it('omit the integer bounds of zod', () => {
    expect(createComponents().schemaFor(z.int().min(1), 'input')).toEqual({ type: 'integer', minimum: 1 });
    expect(createComponents().schemaFor(z.iso.datetime(), 'output')).toEqual({ type: 'string', format: 'date-time' });
    expect(createComponents().schemaFor(z.record(z.string(), z.unknown()), 'input')).toEqual({ type: 'object', additionalProperties: {} });
  });
});
