import { z } from 'zod';
import { Event } from '../../schema/results.ts';
import { Health, Job, JobList } from '../../schema/server-results.ts';
import {
  type Components,
  createComponents,
  type JsonSchema,
  ANYWHERE,
  eventStream,
  json,
  refusals,
  type ResponseObject,
  type Responses,
  sharedResponses,
} from './components.ts';
import { type OperationObject, operationOf, type Parameter } from './operation-objects.ts';
import type { Route } from '../routes.ts';
import { CompletionRequest, EmbeddingsRequest, OpenAiError } from '../../schema/openai/openai-requests.ts';

type Paths = Record<string, Record<string, OperationObject>>;

/** Describes the paths outside the table of routes: health, this document, jobs and OpenAI's API. */
const fixedPaths = (components: Components): Paths => ({
  '/v1/health': { get: health(components) },
  '/v1/openapi.json': { get: ownDocument() },
  ...jobPaths(components),
  ...openAiPaths(components),
});

function jobPaths(components: Components): Paths {
  const { description, ...schema } = components.of(Job.shape.id, 'input');
  const id: Parameter = { name: 'id', in: 'path', required: true, ...(description ? { description } : {}), schema };
  const list = { description: 'The jobs, without their results', content: json(components.of(JobList, 'output'), components) };
  const jobAs = (meaning: string) => ({ description: meaning, content: json(components.of(Job, 'output'), components) });
  const events = eventStream(
    components.of(Event, 'output'),
    'its `data` is the result of the job; where that ended early, what had come of it, and in `errors` why.',
  );
  const one = (operationId: string, summary: string, done: Responses[string]): OperationObject => ({
    operationId,
    tags: ['Jobs'],
    summary,
    parameters: [id],
    responses: { 200: done, ...refusals([400, 404, ...ANYWHERE]) },
  });
  return {
    '/v1/jobs': {
      get: {
        operationId: 'list_jobs',
        tags: ['Jobs'],
        summary: 'List the jobs, the latest first',
        responses: { 200: list, ...refusals(ANYWHERE) },
      },
    },
    '/v1/jobs/{id}': {
      get: one('show_job', 'Tell how far a job is, and what came of it', jobAs('The job')),
      delete: one('cancel_job', 'Stop a job', jobAs('The job as it is now')),
    },
    '/v1/jobs/{id}/events': { get: one('show_job_stream', 'Follow a job', events) },
  };
}

function health(components: Components): OperationObject {
  const content = json(components.of(Health, 'output'), components);
  const deep: Parameter = { name: 'deep', in: 'query', description: 'Also ask the store', schema: components.of(z.boolean(), 'input') };
  return {
    operationId: 'health',
    tags: ['Service'],
    summary: 'Tell whether the server answers',
    description: 'Needs no token.',
    parameters: [deep],
    security: [],
    responses: {
      200: { description: 'It answers', content },
      503: { description: 'Its store does not', content },
      ...refusals([400, 403, 429, 500]),
    },
  };
}

function ownDocument(): OperationObject {
  return {
    operationId: 'openapi',
    tags: ['Service'],
    summary: 'This document',
    responses: {
      200: { description: 'OpenAPI 3.1', content: { 'application/json': { schema: { type: 'object' } } } },
      ...refusals(ANYWHERE),
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
  paths: Record<string, Record<string, OperationObject>>;
  components: {
    schemas: Record<string, JsonSchema>;
    responses: Record<string, ResponseObject>;
    securitySchemes: Record<string, { type: 'http'; scheme: 'bearer'; description: string }>;
  };
}

const DESCRIPTION = `Everything that \`kb\` does on the command line. A field of a request lays itself over the key of the server's configuration that it names; what is absent there, or null, is as configured.

**Units.** Sizes of text are characters, times are seconds, scores go from 0 to 1. Paths are those of the server.

**Errors.** What fails while the rest goes on is an item of the result's \`errors\`, in a 200. A request that ends without a result is answered with \`{"error": {"type", "message"}}\`: the message says what is wrong, and what to do.

**Streams.** Paths that end in \`/stream\`, and the events of a job, are server-sent events. A client that leaves stops the work of a stream, never that of a job.

**Jobs.** \`"background": true\` makes a job of a request that takes long: the answer is a 202 at once, and \`/v1/jobs/{id}\` tells how far it is.`;

const TAGS: OpenApiDocument['tags'] = [
  { name: 'Ask', description: 'Search the collection, and answer from it' },
  { name: 'Ingest', description: 'Read documents, web pages, APIs and Markdown' },
  { name: 'OpenAI', description: "What OpenAI's clients ask, with answers and errors in its shape" },
  { name: 'Jobs', description: 'Work that goes on without its connection' },
  { name: 'Stages', description: 'One step of an ingest at a time' },
  { name: 'Maintain', description: 'Write, change and remove stored chunks' },
  { name: 'Collections', description: 'What is stored' },
  { name: 'Service', description: 'The server itself' },
];

/** Builds the OpenAPI document of the service, from the table of routes, the table of operations and their schemas alone. */
export function openApiDocument({ version, routes }: { version: string; routes: readonly Route[] }): OpenApiDocument {
  const components = createComponents();
  const paths: OpenApiDocument['paths'] = {};
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
          description:
            'A token, where the server has any: KB_SERVER_TOKEN, or one of server.tokens_file with the scope that the path names',
        },
      },
    },
  };
}

const OBJECT: JsonSchema = { type: 'object', description: "As OpenAI's API answers" };
const STATUSES = [400, 401, 403, 404, 413, 415, 424, 429, 500, 503];

const MODEL: Parameter = { name: 'model', in: 'path', required: true, description: 'A collection, or kb', schema: { type: 'string' } };

/** Describes the paths of OpenAI's API, whose own documentation describes the responses. */
function openAiPaths(components: Components): Record<string, Record<string, OperationObject>> {
  const failure = {
    description: "An error in OpenAI's shape",
    content: { 'application/json': { schema: components.of(OpenAiError, 'output') } },
  };
  const responses: Responses = {
    200: { description: 'The answer', content: { 'application/json': { schema: OBJECT } } },
    ...Object.fromEntries(STATUSES.map((status) => [status, failure])),
  };
  const row = (operationId: string, summary: string, request?: z.ZodType): OperationObject => ({
    operationId,
    tags: ['OpenAI'],
    summary,
    ...(request ? { requestBody: { required: true, content: json(components.of(request, 'input'), components) } } : {}),
    responses,
    security: [{}, { bearer: ['read'] }],
  });
  return {
    '/v1/chat/completions': {
      post: row('create_completion', 'Answer the last message of a conversation from a collection', CompletionRequest),
    },
    '/v1/embeddings': { post: row('create_embeddings', 'Embed texts with the configured model', EmbeddingsRequest) },
    '/v1/models': { get: row('list_models', 'List the collections as models') },
    '/v1/models/{model}': { get: { ...row('show_model', 'Show a collection as a model'), parameters: [MODEL] } },
  };
}
