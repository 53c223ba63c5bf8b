import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { KbError } from '../../core/errors.ts';
import { Envelope } from '../../schema/http-bodies.ts';

/** A schema in the document: JSON Schema 2020-12. */
export interface JsonSchema {
  $ref?: string;
  description?: string;
  examples?: unknown[];
  properties?: Record<string, JsonSchema>;
  required?: string[];
  [keyword: string]: unknown;
}

/** The shared schemas of a document, which are added as it is built. */
export interface Components {
  readonly schemas: Record<string, JsonSchema>;
  /**
   * Converts the schema of a request (`input`) or a result (`output`). A schema with an id becomes a component, and a reference to it is
   * returned.
   */
  schemaFor(schema: z.ZodType, side: 'input' | 'output'): JsonSchema;
  /** Resolves a reference to a component; returns any other schema as it is. */
  resolve(schema: JsonSchema): JsonSchema;
  /** Adds a component, and returns a reference to it. Throws a KbError (`internal`) if another schema has the name. */
  share(name: string, schema: JsonSchema): JsonSchema;
}

const SCHEMAS_PATH = '#/components/schemas/';

/** Metadata of the schemas about the command line and the configuration, which the document leaves out. */
const OWN_KEYS = ['id', 'flag', 'overrides', 'unit'];

/** Creates an empty set of shared schemas. */
export function createComponents(): Components {
  const schemas: Record<string, JsonSchema> = {};

  const share = (name: string, schema: JsonSchema): JsonSchema => {
    if (name in schemas && !isDeepStrictEqual(schemas[name], schema)) {
      throw new KbError('internal', `Two different schemas of the OpenAPI document are called ${name}.`, {
        hint: 'Give one of them an id of its own; a schema that requests and results share must say the same of both.',
      });
    }
    schemas[name] = schema;
    return { $ref: SCHEMAS_PATH + name };
  };

  return {
    schemas,
    share,
    schemaFor(schema, side) {
      const {
        $schema: _,
        $defs = {},
        ...root
      } = moveReferences(z.toJSONSchema(schema, { io: side, override: removeOwnKeywords }) as JsonSchema);
      for (const [name, shared] of Object.entries($defs as Record<string, JsonSchema>)) share(name, shared);
      return root;
    },
    resolve: (schema) => (schema.$ref ? schemas[schema.$ref.slice(SCHEMAS_PATH.length)]! : schema),
  };
}

/** Removes values that JSON does not have, and points references to the schemas of an OpenAPI document. */
const moveReferences = (schema: JsonSchema): JsonSchema =>
  JSON.parse(JSON.stringify(schema), (key, value) =>
    key === '$ref' && typeof value === 'string' ? value.replace('#/$defs/', SCHEMAS_PATH) : value,
  );

/** Removes keywords that only zod or kb needs. Objects that are not strict stay open, so that fields of later versions do not break clients. */
function removeOwnKeywords({ zodSchema, jsonSchema }: { zodSchema: z.core.$ZodTypes; jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  for (const key of OWN_KEYS) delete jsonSchema[key];
  const { def } = zodSchema._zod;
  if (def.type === 'object' && def.catchall === undefined) delete jsonSchema.additionalProperties;
  if (def.type === 'record') delete jsonSchema.propertyNames;
  if (jsonSchema.format !== undefined) delete jsonSchema.pattern;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
}

/** Media type object (OpenAPI 3.1). */
export interface MediaType {
  schema: JsonSchema;
  examples?: Record<string, { value: unknown }>;
}

/** Response object (OpenAPI 3.1). */
export interface ResponseObject {
  description: string;
  headers?: Record<string, { description: string; schema: JsonSchema }>;
  content?: Record<string, MediaType>;
}

/** Responses of an operation, by status. */
export type Responses = Record<string, ResponseObject | { $ref: string }>;

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

/** Error responses by status: the name of the shared response, and when it is sent. */
const REFUSALS = {
  400: ['BadRequest', 'The request is invalid: the message names the field and what was expected'],
  401: ['Unauthorized', 'The token is missing or wrong: send `Authorization: Bearer …`'],
  403: ['Forbidden', 'The request is not allowed over HTTP, or not with this token'],
  404: ['NotFound', 'Not found'],
  413: ['TooLarge', 'The body, a file in it or the result is too large'],
  415: ['UnsupportedMediaType', 'The path does not accept the content type of the body'],
  424: ['SetupMissing', 'A key, a package or a browser is missing on the server: the message says how to add it'],
  429: ['TooManyRequests', 'More than `server.rate_limit` requests of this client in a minute'],
  431: ['HeadersTooLarge', 'The address or the headers of the request have more than 16 KiB'],
  500: ['Failed', 'An unexpected failure, or the store or a provider refused the request'],
  503: ['Unavailable', 'A service does not respond, the request took too long, or the server is busy or stopping'],
} as const;

const RETRIED = new Set(['429', '503']);
const RETRY_AFTER: ResponseObject['headers'] = {
  'Retry-After': { description: 'Seconds after which to send the request again, where that is known', schema: { type: 'integer' } },
};

/** Status of a shared error response. */
export type RefusalResponse = keyof typeof REFUSALS;

/** Error statuses that any path may return. */
export const COMMON_STATUSES: readonly RefusalResponse[] = [401, 403, 429, 431, 500, 503];

/** Builds the shared error responses, whose body is the exception envelope. */
export function sharedResponses(components: Components): Record<string, ResponseObject> {
  const schema = components.schemaFor(Envelope, 'output');
  return Object.fromEntries(
    Object.entries(REFUSALS).map(([status, [name, description]]) => [
      name,
      { description, ...(RETRIED.has(status) ? { headers: RETRY_AFTER } : {}), content: { 'application/json': { schema } } },
    ]),
  );
}

/** Makes references to the shared responses of these statuses. */
export const refusalResponses = (statuses: readonly RefusalResponse[]): Responses =>
  Object.fromEntries(
    statuses.toSorted((one, other) => one - other).map((status) => [status, { $ref: `#/components/responses/${REFUSALS[status][0]}` }]),
  );

/** Makes a JSON body, with the examples of its schema. */
export function json(schema: JsonSchema, components: Components): Record<string, MediaType> {
  const given = components.resolve(schema).examples ?? [];
  const examples = Object.fromEntries(given.map((value, index) => [`example_${index + 1}`, { value }]));
  return { 'application/json': given.length > 0 ? { schema, examples } : { schema } };
}

/** The body of a stream. Generated clients read it as text. */
export const STREAM: JsonSchema = { type: 'string', contentMediaType: 'text/event-stream' };

/** Makes a response of server-sent events; `final` describes its last event. */
export const eventStream = (event: JsonSchema, final: string): ResponseObject => ({
  description:
    'Server-sent events. Each is `event: <type>` and one `data:` line with an Event as JSON; lines that begin with `:` are heartbeats. ' +
    `The stream always ends with exactly one \`final\` event, after an \`error\` event if the work failed: ${final}`,
  content: { 'text/event-stream': { schema: { ...STREAM, contentSchema: event } } },
});
