import { createHash, randomUUID } from 'node:crypto';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest, LogController } from 'fastify';
import { KbError } from '../core/errors.ts';
import { findUnsafeJson } from '../core/parse-request.ts';
import type { Engine } from '../ports/engines.ts';
import type { Server } from '../schema/config.ts';
import { JobState, type WatchHealth } from '../schema/http-bodies.ts';
import { HeldBytes } from './held-bytes.ts';
import { RequestBodies } from './request-bodies.ts';
import { answerInvalidRequest, registerDocs, registerHealth, registerJobs } from './fixed-routes.ts';
import { toFailure, makeFailure, sendFailure } from './envelope.ts';
import type { Jobs } from './jobs/jobs.ts';
import type { Log } from './request-log.ts';
import { openApiDocument, type OpenApiDocument } from './openapi/openapi.ts';
import { registerMcp } from './mcp-route.ts';
import { registerOpenAi } from './openai-routes.ts';
import { createDeadlines, registerRoute, type RouteContext } from './operation-routes.ts';
import { addPolicies, countRequests, giveUpUnread, limitPipelining, refuseWhenClosing, UNREAD_TIMEOUT } from './policies.ts';
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
  /** Identifies the caller; undefined if only programs of this machine have access, which may do everything. */
  authenticate: Authenticator | undefined;
  log: Log;
  metrics: Metrics;
  /** State of the watch of the configured sources; undefined if they are not watched. */
  watchHealth?: (() => WatchHealth) | undefined;
}

/** The HTTP interface, ready to listen. */
export interface App {
  server: FastifyInstance;
  /** Number of requests in progress. */
  inFlight(): number;
  /** Stops the work of all requests: each is answered with 503, a stream with a last event. */
  stopAll(): void;
}

/** Builds the HTTP interface over an engine; it never listens by itself. */
export async function buildApp({ engine, jobs, version, authenticate, log, metrics, watchHealth }: AppOptions): Promise<App> {
  const settings = engine.config.server;
  const document = openApiDocument({ version, routes });
  const held = new HeldBytes();
  const bodies = new RequestBodies(settings.body_limit, held);
  const server = createServer(settings, { log, bodies });
  server.setNotFoundHandler((request, reply) => answerNotFound(document, request, reply));
  // without a content type, fastify rejects some methods before it looks up the path
  server.setErrorHandler((error: { code?: string }, request, reply) =>
    request.is404 && error.code === 'FST_ERR_ROUTE_MISSING_CONTENT_TYPE'
      ? answerNotFound(document, request, reply)
      : answerFailure(error, request, reply),
  );
  const deadline = createDeadlines(settings.request_timeout);
  const queues = createQueues(settings.max_concurrent);
  const context: RouteContext = { engine, enter: queues.enter, deadlineFor: deadline.deadlineFor, bodies, held };
  const inFlight = countRequests(server);
  limitPipelining(server);
  server.addHook('onRequest', async (request, reply) => {
    reply.raw.setMaxListeners(MAX_LISTENERS);
    // a client that leaves ends no response
    reply.raw.once('close', () => {
      bodies.release(request);
      held.release(reply);
    });
  });
  giveUpUnread(server);
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

function createServer(
  { auth, body_limit, request_timeout }: Server,
  { log, bodies }: { log: Log; bodies: RequestBodies },
): FastifyInstance {
  const server = fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }), // the onResponse hook below logs each request
    bodyLimit: body_limit,
    trustProxy: auth === 'gateway' && ((_address: string, hop: number) => hop === 0), // otherwise callers could forge their address
    requestTimeout: request_timeout * 1000, // until the whole request has arrived
    connectionTimeout: UNREAD_TIMEOUT,
    http: { headersTimeout: Math.min(30, request_timeout) * 1000, connectionsCheckingInterval: 1_000 },
    forceCloseConnections: 'idle',
    genReqId: () => randomUUID(),
    requestIdHeader: false, // callers must not choose what is logged
    routerOptions: { maxParamLength: 16_384 }, // the operation itself rejects a name that is too long
    frameworkErrors: (error, request, reply) => void answerFailure(error, request, reply),
    return503OnClosing: false, // `refuseWhenClosing` answers with the envelope
    clientErrorHandler: answerInvalidRequest,
  });
  addJsonParser(server, bodies);
  server.addHook('onResponse', async (request, reply) => {
    const { method, routeOptions, url } = request;
    const seconds = reply.elapsedTime / 1000;
    const path = routeOptions.url ?? url.split('?')[0]!.slice(0, MAX_LOGGED_PATH);
    const entry = { method, path, status: reply.statusCode, seconds: Number(seconds.toFixed(4)), token: request.access?.name };
    request.log[reply.statusCode < 500 ? 'info' : 'error'](entry, 'answered');
  });
  return server;
}

function addJsonParser(server: FastifyInstance, bodies: RequestBodies): void {
  const parse = server.getDefaultJsonParser('error', 'error');
  server.removeContentTypeParser(['application/json', 'text/plain']);
  server.addContentTypeParser('application/json', (request, payload, done) => {
    const parseBody = (body: string) => {
      const problem = body.length > SCANNED_LENGTH ? findUnsafeJson(body) : undefined;
      if (problem !== undefined) return done(new KbError('usage', `The body: ${problem} are expected.`));
      // some clients send a content type without a body
      if (body === '' && request.method === 'DELETE') done(null, undefined);
      else void parse(request, body, done);
    };
    void bodies.read(request, payload).then(parseBody, done);
  });
}

/** Listeners of a response above which Node warns: Fastify adds one for each hook that answers. */
const MAX_LISTENERS = 20;

/** Characters of a body that is parsed without a look at its structure: at most some milliseconds of work. */
const SCANNED_LENGTH = 100_000;

/** Maximum characters of an unknown path in the log. */
const MAX_LOGGED_PATH = 200;

function answerFailure(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const failure = toFailure(error, request.id);
  if (failure.isServerFault) request.log.error({ err: error }, 'a request failed');
  if (error instanceof KbError && error.retryAfter !== undefined) void reply.header('retry-after', Math.ceil(error.retryAfter));
  return sendFailure(reply, failure);
}

/** Answers 404, or for a path with other methods 405 with these in `Allow`. */
function answerNotFound({ paths }: OpenApiDocument, { method, url, server }: FastifyRequest, reply: FastifyReply): FastifyReply {
  const segments = url.split('?')[0]!.split('/');
  const matchesPath = (path: string) =>
    path.split('/').length === segments.length && path.split('/').every((part, i) => part.startsWith('{') || part === segments[i]);
  const page: Record<string, object> = server.hasRoute({ method: 'GET', url: '/' }) ? { '/': { get: true } } : {};
  const methods: Record<string, object> = { ...paths, ...page, '/docs': { get: true }, '/metrics': { get: true } };
  const found = Object.keys(methods).find(matchesPath);
  if (found === undefined)
    return sendFailure(
      reply,
      makeFailure(404, 'There is nothing at this path. /docs shows the interface, /v1/openapi.json lists all paths.'),
    );
  const methodsAllowed = Object.keys(methods[found]!).map((name) => name.toUpperCase());
  void reply.header('allow', methodsAllowed.flatMap((name) => (name === 'GET' ? [name, 'HEAD'] : [name])).join(', '));
  return sendFailure(reply, makeFailure(405, `${method} is not possible here: the path takes ${methodsAllowed.join(' and ')}.`));
}

/** Files of the page by their path, with their media types. They are built from `web/` and contain no stored data. */
const PAGE_FILES: Record<string, { name: string; type: string }> = {
  '/': { name: 'index.html', type: 'text/html; charset=utf-8' },
  '/assets/main.js': { name: 'main.js', type: 'text/javascript; charset=utf-8' },
  '/assets/style.css': { name: 'style.css', type: 'text/css; charset=utf-8' },
  '/assets/icon.svg': { name: 'icon.svg', type: 'image/svg+xml' },
};

/** Allows resources of this server only, and scripts only as files. */
const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'none'; base-uri 'none'; " +
  "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types dompurify";

const PAGE_HEADERS = {
  'content-security-policy': PAGE_POLICY,
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-cache', // cached but revalidated, so that an update of kb is visible at once
};

/** Serves the page at `/` with its files. They need no token, because a browser loads them before it can send one. */
function registerPage(server: FastifyInstance): void {
  for (const [path, { name, type }] of Object.entries(PAGE_FILES)) {
    let file: { text: string; tag: string } | undefined;
    server.get(path, { config: { needs: 'open' } }, (request, reply) => {
      file ??= readPageFile(name);
      void reply.headers({ ...PAGE_HEADERS, etag: file.tag });
      if (request.headers['if-none-match']?.includes(file.tag)) return reply.code(304).send();
      return reply.type(type).send(file.text);
    });
  }
}

function readPageFile(name: string): { text: string; tag: string } {
  const text = readFileSync(join(packageRoot, 'dist', 'web', name), 'utf8');
  return { text, tag: `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"` };
}
