import { createReadStream } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance } from 'fastify';
import type { OpenApiDocument } from './openapi/openapi.ts';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, KbError } from '../core/errors.ts';
import type { Engine } from '../ports/engines.ts';
import type { Health, WatchHealth } from '../schema/http-bodies.ts';
import type { Socket } from 'node:net';
import { type Failure, makeFailure } from './envelope.ts';
import type { Jobs } from './jobs/jobs.ts';
import type { DeadlineFor } from './operation-routes.ts';
import { sendEvents } from './event-stream.ts';

/** Folder of the files of Swagger UI. They are taken from the package, because its plugin would serve the document twice more. */
const SWAGGER_FOLDER = new URL('static/', import.meta.resolve('@fastify/swagger-ui'));

const SWAGGER_FILES: Record<string, string> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'favicon-32x32.png': 'image/png',
};

/** Allows resources of this server only; the icons of Swagger UI are data in its style sheet. */
const POLICY =
  "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; object-src 'none'; base-uri 'none'; frame-ancestors 'none'";

// Addresses are relative, so that the page works behind a proxy with a path prefix.
const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>kb: the HTTP interface</title>
<link rel="stylesheet" href="docs/swagger-ui.css">
<link rel="icon" type="image/png" href="docs/favicon-32x32.png">
</head>
<body>
<noscript>This page needs JavaScript. The interface is described in <a href="v1/openapi.json">v1/openapi.json</a>.</noscript>
<div id="page"></div>
<script src="docs/swagger-ui-bundle.js"></script>
<script src="docs/start.js"></script>
</body>
</html>
`;

const START = `SwaggerUIBundle({ url: new URL('v1/openapi.json', location.href).href, dom_id: '#page', deepLinking: true, validatorUrl: null, defaultModelsExpandDepth: 0, tryItOutEnabled: true });\n`;

/** Serves the OpenAPI document at /v1/openapi.json, and Swagger UI at /docs, which loads nothing from elsewhere. */
export function registerDocs(app: FastifyInstance, document: OpenApiDocument): void {
  const text = JSON.stringify(document);
  const config = { needs: 'token' } as const;
  app.get('/v1/openapi.json', { config }, (_, reply) => reply.type('application/json; charset=utf-8').send(text));
  app.get('/docs', { config }, (_, reply) => reply.type('text/html; charset=utf-8').header('content-security-policy', POLICY).send(PAGE));
  app.get('/docs/', { config }, (_, reply) => reply.redirect('../docs'));
  app.get('/docs/start.js', { config }, (_, reply) => reply.type('text/javascript; charset=utf-8').send(START));
  for (const [name, type] of Object.entries(SWAGGER_FILES)) {
    app.get(`/docs/${name}`, { config }, (_, reply) =>
      reply.type(type).send(createReadStream(fileURLToPath(new URL(name, SWAGGER_FOLDER)))),
    );
  }
}

/** Maximum milliseconds for the store to answer a deep health check. */
const STORE_TIMEOUT = 5000;

/** Registers the health check. With `deep=true` it also checks the store, and answers 503 if that does not respond. */
export function registerHealth(
  server: FastifyInstance,
  {
    engine,
    version,
    watchHealth,
  }: { engine: Pick<Engine, 'config' | 'collections'>; version: string; watchHealth: (() => WatchHealth) | undefined },
): void {
  const began = Date.now();
  const checkOnce = shareResult(() => checkStore(engine));
  server.get<{ Querystring: { deep?: string } }>('/v1/health', { config: { needs: 'open' } }, async (request, reply) => {
    const uptime = Math.round((Date.now() - began) / 1000);
    const health: Health = { status: 'ok', service: 'kb', version, uptime, ...(watchHealth ? { watch: watchHealth() } : {}) };
    const { deep, ...unknown } = request.query;
    const [name] = Object.keys(unknown);
    if (name !== undefined) throw new KbError('usage', `${name.slice(0, 60)}: unknown parameter; the only one is deep.`);
    if (deep === undefined || deep === 'false') return health;
    if (deep !== 'true' && deep !== '') throw new KbError('usage', 'deep: true or false is expected.');
    const { vector_db } = engine.config.storage;
    const error = await checkOnce();
    if (error === undefined) return { ...health, store: { vector_db, status: 'ok' } };
    request.log.warn({ error }, 'the store does not answer');
    return reply.code(503).send({ ...health, status: 'unavailable', store: { vector_db, status: 'unavailable' } });
  });
}

/** Shares a pending result among its callers, so that a store that hangs gets one request at a time. */
function shareResult<T>(work: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined;
  return () => (running ??= work().finally(() => (running = undefined)));
}

async function checkStore(engine: Pick<Engine, 'collections'>): Promise<string | undefined> {
  const late = wait(STORE_TIMEOUT, `It did not answer within ${STORE_TIMEOUT / 1000} seconds.`, { ref: false });
  const answer = engine.collections().then(() => undefined, describe);
  return await Promise.race([answer, late]);
}

/** Responds to an invalid or incomplete request, and closes the connection. */
export function answerInvalidRequest({ code }: { code?: string }, socket: Socket): void {
  const [line, { body }] = INVALID_REQUESTS[code ?? ''] ?? NOT_HTTP;
  if (socket.writable)
    socket.write(`HTTP/1.1 ${line}\r\nConnection: close\r\nContent-Type: application/json\r\n\r\n${JSON.stringify(body)}`);
  socket.destroySoon(); // Node does not close it
}

const NOT_HTTP: [string, Failure] = ['400 Bad Request', makeFailure(400, 'This is not a valid HTTP request.')];

const INVALID_REQUESTS: Record<string, [string, Failure]> = {
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', makeFailure(408, 'The request did not arrive in time.')],
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', makeFailure(431, 'The headers of the request are too large.')],
};

type WithId = { Params: { id: string } };

/** Registers the routes of jobs. A caller sees only jobs of collections that it may use. */
export function registerJobs(server: FastifyInstance, jobs: Jobs, deadlineFor: DeadlineFor): void {
  const [read, write] = [{ config: { needs: 'read' } }, { config: { needs: 'write' } }] as const;
  server.get('/v1/jobs', read, async ({ access }) => ({ jobs: await jobs.list(access) }));
  server.get<WithId>('/v1/jobs/:id', read, async ({ params, access }) => await jobs.get(params.id, access));
  server.delete<WithId>('/v1/jobs/:id', write, async ({ params, access }) => await jobs.cancel(params.id, access));
  server.get<WithId>('/v1/jobs/:id/events', { ...read, exposeHeadRoute: false }, async ({ params, access }, reply) => {
    await jobs.get(params.id, access); // an unknown job is a 404, not a stream
    const events = jobs.events(params.id);
    const { signal, release } = deadlineFor(reply, { isBounded: false });
    signal.addEventListener('abort', () => void events.return());
    reply.raw.once('close', release);
    return sendEvents(reply, events);
  });
}
