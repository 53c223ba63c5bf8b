import { KbError } from '../core/errors.ts';
import { type AccessRights, assertScope, grantedScopes } from '../core/access-rights.ts';
import type { TokenScope, Server } from '../schema/config.ts';
import { type Failure, makeFailure, sendFailure } from './envelope.ts';
import type { FastifyContextConfig, FastifyInstance } from 'fastify';
import type { Socket } from 'node:net';
import { serverStopsError } from './operation-routes.ts';
import type { Authenticator } from './token-file.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Rights that the path needs on a server with tokens: none (`open`), any token, or one with that scope. Default: admin. */
    needs?: 'open' | 'token' | TokenScope;
  }
  interface FastifyRequest {
    /** The caller; undefined on a server without tokens, where everything is allowed, and on open paths. */
    access: AccessRights | undefined;
  }
}

/** Characters of a token, at least. */
const MIN_TOKEN_LENGTH = 16;

/** Names of the loopback interface. */
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[?::1\]?)$/i;

/** Whether a host of the configuration is reached from this machine alone. */
export const isLoopback = (host: string): boolean => LOOPBACK.test(host);

/** Throws a KbError (`configuration`) if other machines could reach the server without a token or a configured gateway. */
export function assertProtected(
  { host, auth, tokens_file }: Pick<Server, 'host' | 'auth' | 'tokens_file'>,
  token: string | undefined,
): void {
  if (token && !/^[\x21-\x7e]+$/.test(token)) {
    throw new KbError('configuration', 'KB_SERVER_TOKEN contains a space or a character that is not allowed in a header.', {
      hint: 'Create one with "openssl rand -hex 32".',
    });
  }
  if (token !== undefined && token.length >= MIN_TOKEN_LENGTH) return;
  if (token) {
    throw new KbError('configuration', `KB_SERVER_TOKEN is too short: it needs at least ${MIN_TOKEN_LENGTH} characters.`, {
      hint: 'Create one with "openssl rand -hex 32".',
    });
  }
  if (isLoopback(host) || auth === 'gateway' || tokens_file !== undefined) return;
  throw new KbError('configuration', `To listen on ${host}, which others can reach, kb serve needs a token in KB_SERVER_TOKEN.`, {
    hint: `Set it to at least ${MIN_TOKEN_LENGTH} characters, such as those of "openssl rand -hex 32", or listen on 127.0.0.1. If a gateway authenticates clients and nothing else can reach the server, set server.auth to gateway.`,
  });
}

interface RequestedHost {
  headers: { host?: string | undefined; origin?: string | undefined; authorization?: string | undefined };
  needs: NonNullable<FastifyContextConfig['needs']>;
}

interface GuardOptions extends Pick<Server, 'allowed_hosts' | 'cors_origins'> {
  authenticate: Authenticator | undefined;
}

interface GuardResult {
  refused?: Failure;
  access?: AccessRights;
}

/**
 * Makes the check who may call the server (contract, "Safe by default"). With tokens: whoever sends one with the scope. Without: programs
 * on this machine, callers that address the server by one of its `allowed_hosts`, and its own web pages. It returns the response to a
 * refused request, else the caller. Throws a KbError (`forbidden`) for a missing scope.
 */
export function createGuard({ authenticate, allowed_hosts, cors_origins }: GuardOptions): (asked: RequestedHost) => GuardResult {
  return ({ headers, needs }) => {
    if (authenticate) {
      if (needs === 'open') return {};
      const access = authenticate(headers.authorization);
      if (!access) return { refused: unauthenticatedFailure() };
      if (needs !== 'token') assertScope(access, needs);
      return { access };
    }
    const { host = '', origin } = headers;
    const name = host.replace(/:\d+$/, '');
    const isAllowedHost = isListed(name, allowed_hosts);
    if (!isAllowedHost && !isLoopback(name))
      return {
        refused: makeFailure(
          403,
          'The Host header is no name of this machine. To serve other names, list them in server.allowed_hosts, or set KB_SERVER_TOKEN.',
        ),
      };
    const own = [`http://${host}`, ...(isAllowedHost ? [`https://${host}`] : [])]; // only a gateway serves https
    if (origin === undefined || own.includes(origin) || cors_origins.includes(origin)) return {};
    return {
      refused: makeFailure(403, 'Web pages of this origin may not use the server. The operator can list it in server.cors_origins.'),
    };
  };
}

/** Whether a host name is in the list, ignoring case; `*.` stands for one label or more. */
function isListed(name: string, allowed: readonly string[]): boolean {
  const lowerCaseName = name.toLowerCase();
  const isName = /^[a-z0-9_-][a-z0-9._-]*$/.test(lowerCaseName);
  return allowed
    .map((one) => one.toLowerCase())
    .some((one) => (one.startsWith('*.') ? isName && lowerCaseName.endsWith(one.slice(1)) : lowerCaseName === one));
}

const unauthenticatedFailure = (): Failure => ({
  status: 401,
  body: {
    error: { type: 'AuthenticationError', message: 'The header "Authorization: Bearer …" with a token of the server is missing or wrong.' },
  },
  isServerFault: false,
});

/** Rejects requests on open connections while the server stops. */
export function refuseWhenClosing(server: FastifyInstance): void {
  let isClosing = false;
  server.addHook('preClose', async () => void (isClosing = true));
  server.addHook('onRequest', async (_request, reply) => {
    if (!isClosing) return;
    void reply.header('connection', 'close');
    throw serverStopsError();
  });
}

/** Counts the requests in progress. */
export function countRequests(server: FastifyInstance): () => number {
  let count = 0;
  server.addHook('onRequest', async (_request, reply) => {
    count++;
    reply.raw.once('close', () => void count--);
  });
  return () => count;
}

/** Milliseconds without progress after which a connection is examined: one whose client reads nothing of a response is closed. */
export const UNREAD_TIMEOUT = 30_000;

/**
 * Closes connections whose client has read nothing of its response for UNREAD_TIMEOUT (Node reports progress as activity), so that it does not stay in
 * memory. A request that is worked on for longer stays open.
 */
export function giveUpUnread(server: FastifyInstance): void {
  server.addHook('onRequest', async (_request, reply) => {
    reply.raw.on('timeout', (socket: Socket) => {
      if (socket.writableLength > 0) socket.destroy();
    });
  });
}

/** Requests of one connection that may wait for the response to an earlier one. No browser or library sends requests ahead. */
const MAX_PIPELINED = 20;

/** Closes connections on which more requests wait: answering thousands at once would keep the server from others. */
export function limitPipelining(server: FastifyInstance): void {
  const waiting = new WeakMap<Socket, number>();
  server.addHook('onRequest', async ({ raw: { socket } }, reply) => {
    const count = (waiting.get(socket) ?? 0) + 1;
    waiting.set(socket, count);
    if (count > MAX_PIPELINED) {
      reply.hijack();
      socket.destroy();
      return;
    }
    reply.raw.once('close', () => waiting.set(socket, waiting.get(socket)! - 1));
  });
}

/** Adds the checks of callers, the rate limit, and the headers of every response. */
export async function addPolicies(
  server: FastifyInstance,
  { settings, authenticate }: { settings: Server; authenticate: Authenticator | undefined },
): Promise<void> {
  const { allowed_hosts, cors_origins, rate_limit } = settings;
  server.addHook('onRequest', async (request, reply) => {
    void reply.headers({ 'x-request-id': request.id, 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' });
  });
  if (cors_origins.length > 0) {
    const { default: cors } = await import('@fastify/cors');
    await server.register(cors, {
      origin: [...cors_origins],
      methods: ['GET', 'POST', 'DELETE'],
      exposedHeaders: ['x-request-id', 'x-kb-scopes', 'retry-after', 'location'],
      maxAge: 600,
    });
  }
  if (rate_limit > 0) await limitRate(server, rate_limit);
  const guard = createGuard({ authenticate, allowed_hosts, cors_origins });
  server.decorateRequest('access', undefined);
  server.addHook('onRequest', async (request, reply) => {
    const needs = request.is404 ? 'token' : (request.routeOptions.config.needs ?? 'admin');
    const { refused, access } = guard({ headers: request.headers, needs });
    request.access = access;
    if (access) void reply.header('x-kb-scopes', grantedScopes(access).join(' '));
    if (refused?.status === 401) void reply.header('www-authenticate', 'Bearer');
    if (refused) return sendFailure(reply, refused);
    const { 'content-encoding': encoding = 'identity' } = request.headers;
    if (encoding !== 'identity')
      return sendFailure(reply, makeFailure(415, 'Compressed bodies are not supported: send them without Content-Encoding.'));
    return undefined;
  });
}

async function limitRate(server: FastifyInstance, max: number): Promise<void> {
  const { default: limit } = await import('@fastify/rate-limit');
  await server.register(limit, { global: false });
  const count = server.createRateLimit({ max, timeWindow: '1 minute' });
  server.addHook('onRequest', async (request, reply) => {
    if (request.routeOptions.url === '/v1/health') return undefined; // monitoring must not see the server as down
    const state = await count(request);
    if (state.isAllowed || !state.isExceeded) return undefined;
    void reply.header('retry-after', state.ttlInSeconds);
    return sendFailure(
      reply,
      makeFailure(
        429,
        `Too many requests: ${max} a minute are allowed. Try again in ${state.ttlInSeconds} seconds; the operator can raise server.rate_limit.`,
      ),
    );
  });
}
