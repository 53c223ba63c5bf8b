import type { FastifyInstance } from 'fastify';
import type { Server } from '../schema/config-server.ts';
import { refusal, send } from './failures.ts';
import { createGuard } from './guard.ts';
import { serverStops } from './patience.ts';

/** A request that comes on an open connection while the server stops. */
export function refuseWhenClosing(server: FastifyInstance): void {
  let isClosing = false;
  server.addHook('preClose', async () => void (isClosing = true));
  server.addHook('onRequest', async (_request, reply) => {
    if (!isClosing) return;
    void reply.header('connection', 'close');
    throw serverStops();
  });
}

/** Tells how many requests are being answered. */
export function countRequests(server: FastifyInstance): () => number {
  let count = 0;
  server.addHook('onRequest', async (_request, reply) => {
    count++;
    reply.raw.once('close', () => void count--);
  });
  return () => count;
}

/** Who may ask, how often, and what every answer carries. */
export async function addPolicies(
  server: FastifyInstance,
  { settings, token }: { settings: Server; token: string | undefined },
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
      exposedHeaders: ['x-request-id', 'retry-after', 'location'],
      maxAge: 600,
    });
  }
  if (rate_limit > 0) await limitRate(server, rate_limit);
  const guard = createGuard({ token, allowed_hosts, cors_origins });
  server.addHook('onRequest', async (request, reply) => {
    const refused = guard({ headers: request.headers, route: request.routeOptions.url });
    if (refused?.status === 401) void reply.header('www-authenticate', 'Bearer');
    if (refused) return send(reply, refused);
    const { 'content-encoding': encoding = 'identity' } = request.headers;
    if (encoding !== 'identity') return send(reply, refusal(415, 'Bodies are read as they are: send them without Content-Encoding.'));
    return undefined;
  });
}

/** Counts every request, those with a wrong token and for unknown paths among them. */
async function limitRate(server: FastifyInstance, max: number): Promise<void> {
  const { default: limit } = await import('@fastify/rate-limit');
  await server.register(limit, { global: false });
  const count = server.createRateLimit({ max, timeWindow: '1 minute' });
  server.addHook('onRequest', async (request, reply) => {
    if (request.routeOptions.url === '/v1/health') return undefined; // whoever watches the server must not be told that it is down
    const state = await count(request);
    if (state.isAllowed || !state.isExceeded) return undefined;
    void reply.header('retry-after', state.ttlInSeconds);
    return send(
      reply,
      refusal(
        429,
        `Too many requests: ${max} a minute are allowed. Try again in ${state.ttlInSeconds} seconds; the operator can raise server.rate_limit.`,
      ),
    );
  });
}
