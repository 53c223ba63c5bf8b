import { z } from 'zod';
import { operations } from '../../schema/operations.ts';
import type { Operation } from '../../schema/table/operation-row.ts';
import { unwrapped } from '../../schema/keys.ts';
import { Event } from '../../schema/results.ts';
import { Background, Job } from '../../schema/server-results.ts';
import type { Route } from '../routes.ts';
import {
  type Components,
  type JsonSchema,
  ANYWHERE,
  eventStream,
  json,
  refusals,
  type MediaType,
  type RefusalResponse,
  type Responses,
} from './components.ts';

/** Parameter object (OpenAPI 3.1). */
export interface Parameter {
  name: string;
  in: 'path' | 'query';
  required?: boolean;
  description?: string;
  schema?: JsonSchema;
  /** Instead of `schema`, for a value that is written as JSON. */
  content?: Record<string, MediaType>;
}

/** Operation object (OpenAPI 3.1). */
export interface OperationObject {
  operationId: string;
  tags: string[];
  summary: string;
  description?: string;
  parameters?: Parameter[];
  requestBody?: { required: true; content: Record<string, MediaType> };
  responses: Responses;
  security?: Record<string, string[]>[];
}

/** The files of a multipart form. The operation gets the paths at which the server saved them, which no caller can name. */
const FILES: JsonSchema = {
  type: 'array',
  minItems: 1,
  items: { type: 'string', format: 'binary', contentMediaType: 'application/octet-stream' },
  description: 'Documents of a supported kind, a part each, with their file names',
};

/** Describes a row of the table of routes. */
export function operationOf(route: Route, components: Components): OperationObject {
  const operation: Operation = operations[route.operation];
  const parameters = parametersOf(route, operation, components);
  const isStream = route.reply === 'stream';
  return {
    operationId: isStream ? `${route.operation}_stream` : route.operation,
    tags: [route.tag],
    summary: isStream ? `${operation.summary}, and say how it goes meanwhile` : operation.summary,
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(route.method === 'POST' ? { requestBody: { required: true, content: bodyOf(route, operation, components) } } : {}),
    responses: responsesOf(route, operation, components),
    security: [{}, { bearer: [operation.scope] }],
  };
}

/** Describes the `{name}`s of the path and, for a request without a body, the query: fields of the request, each with its own schema. */
function parametersOf({ method, path }: Route, { input }: Operation, components: Components): Parameter[] {
  const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
  const { shape } = input as z.ZodObject;
  const rest = method === 'POST' ? [] : Object.keys(shape).filter((name) => !named.includes(name));
  return [...named, ...rest].map((name) => {
    const isNamed = named.includes(name);
    const { description, ...schema } = components.of(shape[name] as z.ZodType, 'input');
    const place = isNamed ? ({ in: 'path', required: true } as const) : ({ in: 'query' } as const);
    const isJson = unwrapped(shape[name] as z.ZodType) instanceof z.ZodRecord;
    return { name, ...place, ...(description ? { description } : {}), ...(isJson ? { content: json(schema, components) } : { schema }) };
  });
}

function bodyOf({ reply, background }: Route, { input }: Operation, components: Components): Record<string, MediaType> {
  if (reply === 'upload')
    return { 'multipart/form-data': { schema: components.share('UploadForm', formOf(input as z.ZodObject, components)) } };
  const request = components.of(input, 'input');
  return json(background ? withBackground(request, components) : request, components);
}

/** The fields of the request, which a form holds as text, beside the files themselves. */
function formOf({ shape }: z.ZodObject, components: Components): JsonSchema {
  const fields = Object.entries(shape).filter(([name]) => name !== 'files');
  const properties = Object.fromEntries(fields.map(([name, field]) => [name, components.of(field as z.ZodType, 'input')]));
  return { type: 'object', properties: { files: FILES, ...properties }, required: ['files'], additionalProperties: false };
}

/** Adds `background` to the fields of a request, as a component of its own: the stream of the same operation does not take it. */
function withBackground(request: JsonSchema, components: Components): JsonSchema {
  const whole = components.resolved(request);
  const properties = { ...whole.properties, background: components.of(Background, 'input') };
  const name = request.$ref
    ?.split('/')
    .at(-1)
    ?.replace(/(Request)?$/, 'JobRequest');
  return name ? components.share(name, { ...whole, properties }) : { ...whole, properties };
}

function responsesOf(route: Route, { output, sections }: Operation, components: Components): Responses {
  const result = components.of(output, 'output');
  const done =
    route.reply === 'stream'
      ? eventStream(
          components.of(Event, 'output'),
          'its `data` is the result that the path without `/stream` answers with; where the work ended early, what had come of it, and in `errors` why.',
        )
      : { description: meaningOf(result, components), content: json(result, components) };
  const begun = { description: 'The job that does it', content: json(components.of(Job, 'output'), components) };
  const bodied: RefusalResponse[] = route.method === 'POST' ? [413, 415] : [];
  const named: RefusalResponse[] = route.path.includes('{') || sections.includes('collection') ? [404] : [];
  return { 200: done, ...(route.background ? { 202: begun } : {}), ...refusals([400, 424, ...bodied, ...named, ...ANYWHERE]) };
}

function meaningOf(result: JsonSchema, components: Components): string {
  const { description = 'The result', properties = {} } = components.resolved(result);
  return 'errors' in properties ? `${description}. What failed while the rest went on is in its \`errors\`.` : description;
}
