import { createHash, randomUUID } from 'node:crypto';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest, LogController } from 'fastify';
import { KbError } from '../core/errors.ts';
import type { Engine } from '../ports/engines.ts';
import type { Server } from '../schema/config.ts';
import { JobState, type WatchHealth } from '../schema/http-bodies.ts';
import { Bodies } from './request-bodies.ts';
import { answerNoRequest, registerDocs, registerHealth, registerJobs } from './fixed-routes.ts';
import { envelopeOf, refuse, send } from './envelope.ts';
import type { Jobs } from './jobs/jobs.ts';
import type { Log } from './request-log.ts';
import { openApiDocument, type OpenApiDocument } from './openapi/openapi.ts';
import { registerMcp } from './mcp-route.ts';
import { registerOpenAi } from './openai-routes.ts';
import { createDeadlines, registerRoute, type RouteContext } from './operation-routes.ts';
import { addPolicies, countRequests, refuseWhenClosing } from './policies.ts';
import { createQueues } from './queues.ts';
import { type Metrics, registerMetrics } from './metrics.ts';
import { routes } from './routes.ts';
import { registerUpload } from './upload.ts';
import type { Authenticator } from './token-file.ts';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../core/project.ts';

interface AppOptions {
  engine: Pick<Engine, 'run' | 'check' | 'config' | 'collections' | 'embeddingModel'>;
  jobs: Jobs;
  version: string;
  /** Tells who calls; undefined: programs of this machine, which may do everything. */
  authenticate: Authenticator | undefined;
  log: Log;
  metrics: Metrics;
  /** State of the watch of the configured sources; undefined if they are not watched. */
  watchHealth?: (() => WatchHealth) | undefined;
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
export async function buildApp({ engine, jobs, version, authenticate, log, metrics, watchHealth }: AppOptions): Promise<App> {
  const settings = engine.config.server;
  const document = openApiDocument({ version, routes });
  const bodies = new Bodies(settings.body_limit);
  const server = createServer(settings, { log, bodies });
  server.setNotFoundHandler((request, reply) => answerNotFound(document, request, reply));
  // without a content type fastify refuses some methods before it looks whether the path takes them
  server.setErrorHandler((error: { code?: string }, request, reply) =>
    request.is404 && error.code === 'FST_ERR_ROUTE_MISSING_CONTENT_TYPE'
      ? answerNotFound(document, request, reply)
      : answerFailure(error, request, reply),
  );
  const deadline = createDeadlines(settings.request_timeout);
  const queues = createQueues(settings.max_concurrent);
  const context: RouteContext = { engine, enter: queues.enter, deadlineFor: deadline.deadlineFor, bodies };
  const inFlight = countRequests(server);
  await addPolicies(server, { settings, authenticate });
  refuseWhenClosing(server);
  for (const route of routes)
    if (route.reply === 'upload') await registerUpload(server, route, { context, settings });
    else registerRoute(server, route, { context, engine, jobs });
  registerJobs(server, jobs, deadline.deadlineFor);
  registerOpenAi(server, engine, context);
  registerMcp(server, engine, context);
  registerHealth(server, { engine, version, watchHealth });
  registerDocs(server, document);
  registerMetrics(server, metrics, async () => {
    const states = Map.groupBy(await jobs.list(), ({ state }) => state);
    const lastRun = watchHealth?.().last_run ?? null;
    return {
      kb_http_requests_in_progress: [[{}, inFlight()]],
      kb_queue_running: queues.lengths().map(({ queue, running }) => [{ queue }, running]),
      kb_queue_waiting: queues.lengths().map(({ queue, waiting }) => [{ queue }, waiting]),
      kb_watch_last_run_timestamp_seconds: lastRun === null ? [] : [[{}, Date.parse(lastRun) / 1000]],
      kb_jobs: JobState.options.map((state) => [{ state }, states.get(state)?.length ?? 0]),
    };
  });
  if (settings.page) registerPage(server);
  await server.ready();
  return { server, inFlight, stopAll: deadline.stopAll };
}

function createServer({ auth, body_limit, request_timeout }: Server, { log, bodies }: { log: Log; bodies: Bodies }): FastifyInstance {
  const server = fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }), // it has one line of ours for each
    bodyLimit: body_limit,
    trustProxy: auth === 'gateway' && ((_address: string, hop: number) => hop === 0), // else callers could name any address as theirs
    requestTimeout: request_timeout * 1000, // for the whole request to arrive
    http: { headersTimeout: Math.min(30, request_timeout) * 1000, connectionsCheckingInterval: 1_000 },
    forceCloseConnections: 'idle',
    genReqId: () => randomUUID(),
    requestIdHeader: false, // a caller must not write into the log
    routerOptions: { maxParamLength: 16_384 }, // a name that is too long is the operation's to refuse
    frameworkErrors: (error, request, reply) => void answerFailure(error, request, reply),
    return503OnClosing: false, // `refuseWhenClosing` says it in the envelope
    clientErrorHandler: answerNoRequest,
  });
  readJson(server, bodies);
  server.addHook('onResponse', async (request, reply) => {
    const { method, routeOptions, url } = request;
    const seconds = reply.elapsedTime / 1000;
    const path = routeOptions.url ?? url.split('?')[0]!.slice(0, LONGEST_PATH);
    const entry = { method, path, status: reply.statusCode, seconds: Number(seconds.toFixed(4)), token: request.access?.name };
    request.log[reply.statusCode < 500 ? 'info' : 'error'](entry, 'answered');
  });
  return server;
}

function readJson(server: FastifyInstance, bodies: Bodies): void {
  const parse = server.getDefaultJsonParser('error', 'error');
  server.removeContentTypeParser(['application/json', 'text/plain']);
  server.addContentTypeParser('application/json', (request, payload, done) => {
    const take = (body: string) => {
      // Some clients name the type of a body that they do not send.
      if (body === '' && request.method === 'DELETE') done(null, undefined);
      else void parse(request, body, done);
    };
    void bodies.read(request, payload).then(take, done);
  });
  server.addHook('onResponse', async (request) => bodies.release(request));
}

/** Characters of a path that no route has, in the log. */
const LONGEST_PATH = 200;

function answerFailure(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const failure = envelopeOf(error, request.id);
  if (failure.isOurs) request.log.error({ err: error }, 'a request failed');
  if (error instanceof KbError && error.retryAfter !== undefined) void reply.header('retry-after', error.retryAfter);
  return send(reply, failure);
}

/** Answers 404, or for a path with other methods 405 with these in `Allow`. */
function answerNotFound({ paths }: OpenApiDocument, { method, url, server }: FastifyRequest, reply: FastifyReply): FastifyReply {
  const asked = url.split('?')[0]!.split('/');
  const isAsked = (path: string) =>
    path.split('/').length === asked.length && path.split('/').every((part, i) => part.startsWith('{') || part === asked[i]);
  const page: Record<string, object> = server.hasRoute({ method: 'GET', url: '/' }) ? { '/': { get: true } } : {};
  const methods: Record<string, object> = { ...paths, ...page, '/docs': { get: true }, '/metrics': { get: true } };
  const found = Object.keys(methods).find(isAsked);
  if (found === undefined)
    return send(reply, refuse(404, 'There is nothing at this path. /docs shows the interface, /v1/openapi.json lists all paths.'));
  const possible = Object.keys(methods[found]!).map((name) => name.toUpperCase());
  void reply.header('allow', possible.flatMap((name) => (name === 'GET' ? [name, 'HEAD'] : [name])).join(', '));
  return send(reply, refuse(405, `${method} is not possible here: the path takes ${possible.join(' and ')}.`));
}

/** Where each file of the page is served, and as what. They are built from `web/` and hold nothing that is stored. */
const FILES: Record<string, { name: string; type: string }> = {
  '/': { name: 'index.html', type: 'text/html; charset=utf-8' },
  '/assets/main.js': { name: 'main.js', type: 'text/javascript; charset=utf-8' },
  '/assets/style.css': { name: 'style.css', type: 'text/css; charset=utf-8' },
  '/assets/icon.svg': { name: 'icon.svg', type: 'image/svg+xml' },
};

/** Nothing but what this server sends, and no script that is not a file of it. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'none'; base-uri 'none'; " +
  "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types dompurify";

const HEADERS = {
  'content-security-policy': POLICY,
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-cache', // kept, but asked for again: an update of kb is seen at once
};

/** Serves the page at `/`, with the files that it loads. A browser asks for these before it can show a token. */
function registerPage(server: FastifyInstance): void {
  for (const [path, { name, type }] of Object.entries(FILES)) {
    let file: { text: string; tag: string } | undefined;
    server.get(path, { config: { needs: 'open' } }, (request, reply) => {
      file ??= read(name);
      void reply.headers({ ...HEADERS, etag: file.tag });
      if (request.headers['if-none-match']?.includes(file.tag)) return reply.code(304).send();
      return reply.type(type).send(file.text);
    });
  }
}

function read(name: string): { text: string; tag: string } {
  const text = readFileSync(join(packageRoot, 'dist', 'web', name), 'utf8');
  return { text, tag: `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"` };
}
