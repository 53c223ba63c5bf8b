import { createComponents, type JsonSchema } from './openapi/components.ts';
import { fixedPaths } from './openapi/fixed.ts';
import { operationOf, type OperationObject } from './openapi/operations.ts';
import { sharedResponses, type ResponseObject } from './openapi/responses.ts';
import type { Route } from './routes.ts';

export interface OpenApiDocument {
  openapi: '3.1.0';
  info: { title: string; version: string; summary: string; description: string; license: { name: string; identifier: string } };
  servers: { url: string }[];
  tags: { name: string; description: string }[];
  security: Record<string, string[]>[];
  /** By path, then by method in small letters. */
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
  { name: 'Jobs', description: 'Work that goes on without its connection' },
  { name: 'Stages', description: 'One step of an ingest at a time' },
  { name: 'Maintain', description: 'Write, change and remove stored chunks' },
  { name: 'Collections', description: 'What is stored' },
  { name: 'Service', description: 'The server itself' },
];

/** The OpenAPI document of the service: made of the table of routes, the table of operations and their schemas, and of nothing else. */
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
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer', description: 'The KB_SERVER_TOKEN of the server, where it has one' } },
    },
  };
}
