import { randomUUID } from 'node:crypto';
import fastify, { LogController, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { KbError } from '../base/errors.ts';
import type { Engine } from '../engine/engine.ts';
import type { Server } from '../schema/config.ts';
import { registerDocs } from './docs.ts';
import { failureOf, refusal, type Failure } from './failures.ts';
import { createGuard } from './guard.ts';
import { registerHealth } from './health.ts';
import { registerJobs } from './job-routes.ts';
import type { Jobs } from './jobs.ts';
import type { Log } from './log.ts';
import { openApiDocument, type OpenApiDocument } from './openapi.ts';
import { createPatience } from './patience.ts';
import type { Bench } from './perform.ts';
import { createQueues } from './queues.ts';
import { registerRoute } from './register.ts';
import { routes } from './routes.ts';

export interface AppOptions {
  engine: Pick<Engine, 'run' | 'check' | 'config' | 'checkStore'>;
  jobs: Jobs;
  version: string;
  /** Whoever shows it may speak to the server; undefined: programs of this machine. */
  token: string | undefined;
  log: Log;
}

/** The HTTP interface, ready to listen. */
export interface App {
  server: FastifyInstance;
  /** Requests that are being answered. */
  inFlight(): number;
  /** Stops the work of all of them: each is answered with 503, a stream with a last event. */
  stopAll(): void;
}

/** Builds the HTTP interface over an engine; it never listens by itself. */
export async function buildApp({ engine, jobs, version, token, log }: AppOptions): Promise<App> {
  const settings = engine.config.server;
  const document = openApiDocument({ version, routes });
  const server = createServer(settings, log);
  server.setNotFoundHandler((request, reply) => send(reply, notFound(document, request)));
  const patience = createPatience(settings.request_timeout);
  const bench: Bench = { engine, enter: createQueues(settings.max_concurrent), patienceFor: patience.patienceFor };
  const inFlight = countRequests(server);
  await addPolicies(server, { settings, token });
  for (const route of routes) await registerRoute(server, route, { bench, engine, jobs, settings });
  registerJobs(server, jobs);
  registerHealth(server, { engine, version });
  registerDocs(server, document);
  await server.ready();
  return { server, inFlight, stopAll: patience.stopAll };
}

/** Fastify, so that it speaks of failures as the contract says. */
function createServer({ body_limit, request_timeout }: Server, log: Log): FastifyInstance {
  const server = fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }), // it has one line of ours for each
    bodyLimit: body_limit,
    requestTimeout: request_timeout * 1000, // for the whole request to arrive
    http: { headersTimeout: 30_000 },
    forceCloseConnections: 'idle',
    genReqId: () => randomUUID(),
    requestIdHeader: false, // a caller must not write into the log
    routerOptions: { maxParamLength: 16_384 }, // a name that is too long is the operation's to refuse
    frameworkErrors: (error, request, reply) => void answerFailure(error, request, reply),
    clientErrorHandler: (_error, socket) => {
      if (socket.writable) socket.end(`HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Type: application/json\r\n\r\n${NO_HTTP}`);
    },
  });
  server.removeContentTypeParser('text/plain');
  server.setErrorHandler(answerFailure);
  server.addHook('onResponse', async (request, reply) => {
    const { method, routeOptions } = request;
    const seconds = reply.elapsedTime / 1000;
    request.log.info(
      { method, path: routeOptions.url ?? 'unknown', status: reply.statusCode, seconds: Number(seconds.toFixed(4)) },
      'answered',
    );
  });
  return server;
}

const NO_HTTP = JSON.stringify(refusal(400, 'This is no HTTP request that kb understands.').body);

const send = (reply: FastifyReply, { status, body }: Failure): FastifyReply =>
  reply.code(status).type('application/json; charset=utf-8').send(body);

function answerFailure(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const failure = failureOf(error, request.id);
  if (failure.isOurs) request.log.error({ err: error }, 'a request failed');
  if (error instanceof KbError && error.retryAfter !== undefined) void reply.header('retry-after', error.retryAfter);
  return send(reply, failure);
}

/** A path that is there for other methods is a 405. */
function notFound({ paths }: OpenApiDocument, { method, url }: FastifyRequest): Failure {
  const asked = url.split('?')[0]!.split('/');
  const isAsked = (path: string) =>
    path.split('/').length === asked.length && path.split('/').every((part, i) => part.startsWith('{') || part === asked[i]);
  const found = Object.keys(paths).find(isAsked);
  if (found === undefined) return refusal(404, 'There is nothing at this path. GET /v1/openapi.json lists what there is.');
  const possible = Object.keys(paths[found]!).map((name) => name.toUpperCase());
  return refusal(405, `${method} is not possible here: the path takes ${possible.join(' and ')}.`);
}

function countRequests(server: FastifyInstance): () => number {
  let count = 0;
  server.addHook('onRequest', async (_request, reply) => {
    count++;
    reply.raw.once('close', () => void count--);
  });
  return () => count;
}

/** Who may ask, how often, and what every answer carries. */
async function addPolicies(server: FastifyInstance, { settings, token }: { settings: Server; token: string | undefined }): Promise<void> {
  const { cors_origins, rate_limit } = settings;
  server.addHook('onRequest', async (request, reply) => {
    void reply.headers({ 'x-request-id': request.id, 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' });
  });
  if (cors_origins.length > 0) {
    const { default: cors } = await import('@fastify/cors');
    await server.register(cors, {
      origin: [...cors_origins],
      methods: ['GET', 'POST', 'DELETE'],
      exposedHeaders: ['x-request-id', 'retry-after'],
      maxAge: 600,
    });
  }
  if (rate_limit > 0) {
    const { default: limit } = await import('@fastify/rate-limit');
    await server.register(limit, { max: rate_limit, timeWindow: '1 minute', errorResponseBuilder: () => tooOften(rate_limit) });
  }
  const guard = createGuard({ token, cors_origins });
  server.addHook('onRequest', async (request, reply) => {
    const refused = guard({ headers: request.headers, route: request.routeOptions.url });
    if (refused) return send(reply, refused);
    return undefined;
  });
}

const tooOften = (limit: number) =>
  Object.assign(new Error(`Too many requests: ${limit} a minute are allowed. Try again later; the operator can raise server.rate_limit.`), {
    statusCode: 429,
  });
