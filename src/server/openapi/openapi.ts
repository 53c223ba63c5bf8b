import { z } from 'zod';
import { Event } from '../../schema/results.ts';
import { Health, Job, JobList, CompletionRequest, EmbeddingsRequest, OpenAiError, Background } from '../../schema/http-bodies.ts';
import {
  type Components,
  createComponents,
  type JsonSchema,
  type OperationObject,
  type Parameter,
  COMMON_STATUSES,
  eventStream,
  json,
  refusalResponses,
  type ResponseObject,
  type Responses,
  sharedResponses,
  STREAM,
  type MediaType,
  type RefusalResponse,
} from './components.ts';
import type { Route } from '../routes.ts';
import { operations } from '../../schema/operations.ts';
import type { Operation } from '../../schema/operation-row.ts';
import { unwrapSchema } from '../../schema/fields.ts';

type Paths = Record<string, Record<string, OperationObject>>;

/** Describes the paths outside the table of routes: health, this document, jobs and OpenAI's API. */
const fixedPaths = (components: Components): Paths => ({
  '/v1/health': { get: healthOperation(components) },
  '/v1/openapi.json': {
    get: {
      operationId: 'openapi',
      tags: ['Service'],
      summary: 'This document',
      responses: {
        200: { description: 'OpenAPI 3.1', content: { 'application/json': { schema: { type: 'object' } } } },
        ...refusalResponses(COMMON_STATUSES),
      },
    },
  },
  ...jobPaths(components),
  ...openAiPaths(components),
});

function jobPaths(components: Components): Paths {
  const id = parameterOf('id', Job.shape.id, components);
  const list = { description: 'Jobs without their results', content: json(components.schemaFor(JobList, 'output'), components) };
  const jobAs = (description: string) => ({ description, content: json(components.schemaFor(Job, 'output'), components) });
  const events = eventStream(
    components.schemaFor(Event, 'output'),
    'its `data` is the result of the job, or its partial result with the reason in `errors`.',
  );
  const jobOperation = (operationId: string, summary: string, done: Responses[string]): OperationObject => ({
    operationId,
    tags: ['Jobs'],
    summary,
    parameters: [{ ...id, in: 'path', required: true }],
    responses: { 200: done, ...refusalResponses([400, 404, ...COMMON_STATUSES]) },
  });
  return {
    '/v1/jobs': {
      get: {
        operationId: 'list_jobs',
        tags: ['Jobs'],
        summary: 'List jobs, latest first',
        responses: { 200: list, ...refusalResponses(COMMON_STATUSES) },
      },
    },
    '/v1/jobs/{id}': {
      get: jobOperation('show_job', 'Show the progress and the result of a job', jobAs('The job')),
      delete: jobOperation('cancel_job', 'Stop a job', jobAs('The job in its present state')),
    },
    '/v1/jobs/{id}/events': { get: jobOperation('show_job_stream', 'Stream the events of a job', events) },
  };
}

function healthOperation(components: Components): OperationObject {
  const content = json(components.schemaFor(Health, 'output'), components);
  return {
    operationId: 'health',
    tags: ['Service'],
    summary: 'Check whether the server responds',
    description: 'Needs no token.',
    parameters: [{ name: 'deep', in: 'query', description: 'Also check the store', schema: { type: 'boolean' } }],
    security: [],
    responses: {
      200: { description: 'The server responds', content },
      503: { description: 'The store does not respond', content },
      ...refusalResponses([400, 403, 429, 431, 500]),
    },
  };
}

/** The parts of an OpenAPI 3.1 document that kb writes. */
export interface OpenApiDocument {
  openapi: '3.1.0';
  info: { title: string; version: string; summary: string; description: string; license: { name: string; identifier: string } };
  servers: { url: string }[];
  tags: { name: string; description: string }[];
  security: Record<string, string[]>[];
  /** By path, then by method in lower case. */
  paths: Paths;
  components: {
    schemas: Record<string, JsonSchema>;
    responses: Record<string, ResponseObject>;
    securitySchemes: Record<string, { type: 'http'; scheme: 'bearer'; description: string }>;
  };
}

const DESCRIPTION = `Everything that \`kb\` does on the command line. Fields of a request override keys of the server's configuration; absent fields and null keep the configured values.

**Units.** Text sizes are in characters, times in seconds, scores from 0 to 1. Paths are paths on the server.

**Errors.** If a part of the work fails, the response is a 200 that lists the failures in \`errors\`. If there is no result, the response is \`{"error": {"type", "message"}}\`; the message says what is wrong and what to do.

**Limits.** Lengths and counts are in the schemas; a request beyond them is a 400. The server bounds the size of a body (\`server.body_limit\`, 10 MiB by default), of an uploaded file (\`server.upload_limit\`, 100 MiB), the files of a form (\`server.max_files\`, 100) and a result (64 MiB): beyond them the status is 413. It bounds the requests of a client in a minute (\`server.rate_limit\`: 429), their time (\`server.request_timeout\`, 600 seconds: 503) and what it holds in memory at once (503).

**Streams.** Paths that end in \`/stream\`, and the events of a job, are server-sent events. If the client disconnects, the work of a stream stops; a job continues.

**Jobs.** With \`"background": true\` a long request becomes a job: the response is a 202 at once, and \`/v1/jobs/{id}\` shows its progress and result.`;

const TAGS: OpenApiDocument['tags'] = [
  { name: 'Ask', description: 'Search collections and answer questions from them' },
  { name: 'Ingest', description: 'Read documents, web pages, APIs and Markdown' },
  { name: 'OpenAI', description: "Endpoints for OpenAI's clients, with responses and errors in its shape" },
  { name: 'Jobs', description: 'Background work, which continues after its client disconnects' },
  { name: 'Stages', description: 'Single steps of an ingest' },
  { name: 'Maintain', description: 'Write, change and remove stored chunks' },
  { name: 'Collections', description: 'What is stored' },
  { name: 'Service', description: 'The server itself' },
];

/** Builds the OpenAPI document of the service, from the table of routes, the table of operations and their schemas alone. */
export function openApiDocument({ version, routes }: { version: string; routes: readonly Route[] }): OpenApiDocument {
  const components = createComponents();
  const paths: Paths = {};
  for (const route of routes) (paths[route.path] ??= {})[route.method.toLowerCase()] = operationOf(route, components);
  Object.assign(paths, fixedPaths(components));
  const responses = sharedResponses(components);
  return {
    openapi: '3.1.0',
    info: {
      title: 'kb',
      version,
      summary: 'A knowledge base of your documents: search them, and ask questions that are answered with sources.',
      description: DESCRIPTION,
      license: { name: 'Apache License 2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    tags: TAGS,
    security: [{}, { bearer: [] }],
    paths,
    components: {
      schemas: Object.fromEntries(Object.entries(components.schemas).toSorted(([one], [other]) => one.localeCompare(other))),
      responses,
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: 'A token, if the server requires one: KB_SERVER_TOKEN, or a token of server.tokens_file with the scope of the path',
        },
      },
    },
  };
}

const OBJECT: JsonSchema = { type: 'object', description: "As in OpenAI's API" };
const STATUSES = [400, 401, 403, 404, 413, 415, 424, 429, 431, 500, 503];

const MODEL: Parameter = { name: 'model', in: 'path', required: true, description: 'A collection, or kb', schema: { type: 'string' } };

/** Describes the paths of OpenAI's API, whose own documentation describes the responses. */
function openAiPaths(components: Components): Paths {
  const failure = {
    description: "An error in OpenAI's shape",
    content: { 'application/json': { schema: components.schemaFor(OpenAiError, 'output') } },
  };
  const responses: Responses = {
    200: { description: 'The answer', content: { 'application/json': { schema: OBJECT } } },
    ...Object.fromEntries(STATUSES.map((status) => [status, failure])),
  };
  const completions: Responses = {
    ...responses,
    200: {
      description: 'The answer; with `stream`, server-sent events with its chunks',
      content: { 'application/json': { schema: OBJECT }, 'text/event-stream': { schema: STREAM } },
    },
  };
  const openAiOperation = (operationId: string, summary: string, request?: z.ZodType): OperationObject => ({
    operationId,
    tags: ['OpenAI'],
    summary,
    ...(request ? { requestBody: { required: true, content: json(components.schemaFor(request, 'input'), components) } } : {}),
    responses,
    security: [{}, { bearer: ['read'] }],
  });
  return {
    '/v1/chat/completions': {
      post: {
        ...openAiOperation('create_completion', 'Answer the last message of a conversation from a collection', CompletionRequest),
        responses: completions,
      },
    },
    '/v1/embeddings': { post: openAiOperation('create_embeddings', 'Embed texts with the configured model', EmbeddingsRequest) },
    '/v1/models': { get: openAiOperation('list_models', 'List the collections as models') },
    '/v1/models/{model}': { get: { ...openAiOperation('show_model', 'Show a collection as a model'), parameters: [MODEL] } },
  };
}

/** The files of a multipart form. The operation gets the paths at which the server saved them, which no caller can name. */
const FILES: JsonSchema = {
  type: 'array',
  minItems: 1,
  items: { type: 'string', format: 'binary', contentMediaType: 'application/octet-stream' },
  description: 'Documents of supported types: one part each, with its file name',
};

/** Describes a row of the table of routes. */
export function operationOf(route: Route, components: Components): OperationObject {
  const operation: Operation = operations[route.operation];
  const parameters = parametersOf(route, operation, components);
  const isStream = route.reply === 'stream';
  return {
    operationId: isStream ? `${route.operation}_stream` : route.operation,
    tags: [route.tag],
    summary: isStream ? `${operation.summary}, with progress events` : operation.summary,
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(route.method === 'POST' ? { requestBody: { required: true, content: requestBodyOf(route, operation, components) } } : {}),
    responses: responsesOf(route, operation, components),
    security: [{}, { bearer: [operation.scope] }],
  };
}

/** Describes the `{name}`s of the path and, for a request without a body, the query: fields of the request, each with its own schema. */
function parametersOf({ method, path }: Route, { input }: Operation, components: Components): Parameter[] {
  const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
  const { shape } = input as z.ZodObject;
  const rest = method === 'POST' ? [] : Object.keys(shape).filter((name) => !named.includes(name));
  return [...named, ...rest].map((name) => ({
    ...parameterOf(name, shape[name] as z.ZodType, components),
    ...(named.includes(name) ? { in: 'path', required: true } : { in: 'query' }),
  }));
}

/** A parameter with its schema: without its place. */
function parameterOf(name: string, field: z.ZodType, components: Components): Omit<Parameter, 'in'> {
  const { description, ...schema } = components.schemaFor(field, 'input');
  const isJson = unwrapSchema(field) instanceof z.ZodRecord;
  return { name, ...(description ? { description } : {}), ...(isJson ? { content: json(schema, components) } : { schema }) };
}

function requestBodyOf({ reply, background }: Route, { input }: Operation, components: Components): Record<string, MediaType> {
  if (reply === 'upload')
    return { 'multipart/form-data': { schema: components.share('UploadForm', uploadFormSchema(input as z.ZodObject, components)) } };
  const request = components.schemaFor(input, 'input');
  return json(background ? withBackground(request, components) : request, components);
}

/** The fields of the request, which a form holds as text, beside the files themselves. */
function uploadFormSchema({ shape }: z.ZodObject, components: Components): JsonSchema {
  const fields = Object.entries(shape).filter(([name]) => name !== 'files');
  const properties = Object.fromEntries(fields.map(([name, field]) => [name, components.schemaFor(field as z.ZodType, 'input')]));
  return { type: 'object', properties: { files: FILES, ...properties }, required: ['files'], additionalProperties: false };
}

/** Adds `background` to the fields of a request, as a component of its own: the stream of the same operation does not take it. */
function withBackground(request: JsonSchema, components: Components): JsonSchema {
  const whole = components.resolve(request);
  const properties = { ...whole.properties, background: components.schemaFor(Background, 'input') };
  const name = request.$ref
    ?.split('/')
    .at(-1)
    ?.replace(/(Request)?$/, 'JobRequest');
  return name ? components.share(name, { ...whole, properties }) : { ...whole, properties };
}

function responsesOf(route: Route, { output, sections }: Operation, components: Components): Responses {
  const result = components.schemaFor(output, 'output');
  const done =
    route.reply === 'stream'
      ? eventStream(
          components.schemaFor(Event, 'output'),
          'its `data` is the result, as from the path without `/stream`, or the partial result with the reason in `errors`.',
        )
      : { description: describeResult(result, components), content: json(result, components) };
  const started = { description: 'The job that was started', content: json(components.schemaFor(Job, 'output'), components) };
  const bodyStatuses: RefusalResponse[] = route.method === 'POST' ? [413, 415] : [413];
  const nameStatuses: RefusalResponse[] = route.path.includes('{') || sections.includes('collection') ? [404] : [];
  return {
    200: done,
    ...(route.background ? { 202: started } : {}),
    ...refusalResponses([400, 424, ...bodyStatuses, ...nameStatuses, ...COMMON_STATUSES]),
  };
}

function describeResult(result: JsonSchema, components: Components): string {
  const { description = 'The result', properties = {} } = components.resolve(result);
  return 'errors' in properties ? `${description}. Its \`errors\` list what failed while the rest continued.` : description;
}
