import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { operations } from '../../src/schema/operations.ts';
import type { Operation } from '../../src/schema/operation-row.ts';

interface JsonSchema {
  $ref?: string;
  $defs?: Record<string, JsonSchema>;
  type?: string;
  description?: string;
  required?: string[];
  properties?: Record<string, JsonSchema>;
  additionalProperties?: boolean | JsonSchema;
  items?: JsonSchema;
  anyOf?: JsonSchema[];
  [keyword: string]: unknown;
}

const rows = Object.entries(operations) as unknown as [string, Operation][];
const schemaOf = (schema: z.ZodType, io: 'input' | 'output') =>
  z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as unknown as JsonSchema;

/** What is handed over as values of the program, and never as JSON. */
const NO_JSON = new Set(['import_collection', 'upload']);

/** Every object of a schema, with the path that leads to it; what references lead to is visited where it is defined. */
function objectsIn(schema: JsonSchema, path: string): [string, JsonSchema][] {
  const inner = Object.entries(schema.properties ?? {}).flatMap(([name, field]) => objectsIn(field, `${path}.${name}`));
  const shared = Object.entries(schema.$defs ?? {}).flatMap(([name, field]) => objectsIn(field, `${path}#${name}`));
  const entries = [schema.items ?? [], schema.additionalProperties ?? [], schema.anyOf ?? []]
    .flat()
    .flatMap((field) => (typeof field === 'object' ? objectsIn(field, `${path}[]`) : []));
  return [...(schema.properties ? [[path, schema] as [string, JsonSchema]] : []), ...inner, ...shared, ...entries];
}

function undescribed(schema: JsonSchema, path: string): string[] {
  const described = (field: JsonSchema) => field.description ?? schema.$defs?.[field.$ref?.split('/').at(-1) ?? '']?.description;
  return objectsIn(schema, path).flatMap(([at, { properties }]) =>
    Object.entries(properties!).flatMap(([name, field]) => (described(field) ? [] : [`${at}.${name}`])),
  );
}

describe('the schemas of all operations', () => {
  it('describe every field', () => {
    const missing = rows.flatMap(([name, { input, output }]) => [
      ...undescribed(schemaOf(input, 'input'), `${name} input`),
      ...undescribed(schemaOf(output, 'output'), `${name} output`),
    ]);
    expect(missing).toEqual([]);
  });

  it('have a valid example for every request', () => {
    for (const [name, { input }] of rows.filter(([row]) => !NO_JSON.has(row))) {
      const examples = (input.meta()?.examples ?? []) as unknown[];
      expect([name, examples.length]).toEqual([name, 1]);
      expect([name, input.safeParse(examples[0]).error]).toEqual([name, undefined]);
    }
  });

  it('have unique ids and descriptions', () => {
    const named = rows.flatMap(([name, { input, output }]) => (name === 'import_collection' ? [output] : [input, output]));
    const ids = new Map(named.map((schema) => [schema, schema.meta()?.id]));
    expect([...ids.values()].filter((id) => id === undefined)).toEqual([]);
    expect(new Set(ids.values()).size).toBe(ids.size);
    expect(named.filter((schema) => !schema.description)).toEqual([]);
  });

  it('reject unknown keys of requests, at any depth', () => {
    const open = rows.flatMap(([name, { input }]) =>
      objectsIn(schemaOf(input, 'input'), name).flatMap(([path, { additionalProperties }]) =>
        additionalProperties === false ? [] : [path],
      ),
    );
    expect(open).toEqual([]);
  });

  it('bound every list and number of a request', () => {
    const unbounded = rows
      .filter(([name]) => !NO_JSON.has(name))
      .flatMap(([name, { input }]) => withoutBound(schemaOf(input, 'input'), name));
    expect(unbounded.filter((path) => !UNBOUNDED.some((pattern) => pattern.test(path)))).toEqual([]);
  });

  it('require the question of a chat, although any value is accepted', () => {
    const chat = schemaOf(operations.chat.input, 'input').$defs!.ChatRequest!;
    expect(chat.required).toEqual(['query']);
    expect(chat.properties!.query).toMatchObject({ type: 'string', minLength: 1, maxLength: 100_000 });
    expect(operations.chat.input.safeParse({}).success).toBe(true);
  });
});

/** Values that are compared and counted, and never waited for or made. */
const UNBOUNDED = [
  /\.min_rerank_score$/,
  /marks\[\]\.(page|row|line|at)$/,
  /\.Filter\[\]\[\](\.in\[\]\[\]|\.[gl]te?\[\])?$/,
  /\.metadata\[\]\[\]$/,
  /embedding\[\]$/,
];

function withoutBound(schema: JsonSchema, path: string): string[] {
  const limits = ['maximum', 'exclusiveMaximum', 'maxItems'].map((keyword) => schema[keyword]);
  const isBounded = limits.some((limit) => typeof limit === 'number' && limit < Number.MAX_SAFE_INTEGER);
  const own = ['integer', 'number', 'array'].includes(schema.type ?? '') && !isBounded ? [path] : [];
  const fields = Object.entries({ ...schema.properties, ...schema.$defs }).flatMap(([name, field]) =>
    withoutBound(field, `${path}.${name}`),
  );
  const entries = [schema.items ?? [], schema.additionalProperties ?? [], schema.anyOf ?? []]
    .flat()
    .flatMap((field) => (typeof field === 'object' ? withoutBound(field, `${path}[]`) : []));
  return [...own, ...fields, ...entries];
}
