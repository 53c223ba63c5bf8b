import type { FastifyInstance } from 'fastify';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, KbError } from '../base/errors.ts';
import type { Engine } from '../engine/engine.ts';
import type { Health } from '../schema/server.ts';

/** Milliseconds that the store has to answer a deep health check. */
const STORE_ANSWERS_IN = 5000;

/** Answers whether the server is up and, with `deep=true`, whether its store answers: 503 where it does not. */
export function registerHealth(
  server: FastifyInstance,
  { engine, version }: { engine: Pick<Engine, 'config' | 'checkStore'>; version: string },
): void {
  const began = Date.now();
  const look = sharing(() => failureOfStore(engine));
  server.get<{ Querystring: { deep?: string } }>('/v1/health', async (request, reply) => {
    const health: Health = { status: 'ok', service: 'kb', version, uptime: Math.round((Date.now() - began) / 1000) };
    const { deep, ...unknown } = request.query;
    const [name] = Object.keys(unknown);
    if (name !== undefined) throw new KbError('usage', `${name.slice(0, 60)}: this parameter is unknown; deep is the one that there is.`);
    if (deep === undefined || deep === 'false') return health;
    if (deep !== 'true' && deep !== '') throw new KbError('usage', 'deep: true or false is expected.');
    const { vector_db } = engine.config.storage;
    const error = await look();
    if (error === undefined) return { ...health, store: { vector_db, status: 'ok' } };
    request.log.warn({ error }, 'the store does not answer');
    return reply.code(503).send({ ...health, status: 'unavailable', store: { vector_db, status: 'unavailable' } });
  });
}

/** Whoever asks while an answer is awaited shares it: a store that hangs is asked once at a time. */
function sharing<T>(work: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined;
  return () => (running ??= work().finally(() => (running = undefined)));
}

async function failureOfStore(engine: Pick<Engine, 'checkStore'>): Promise<string | undefined> {
  const late = wait(STORE_ANSWERS_IN, `It did not answer within ${STORE_ANSWERS_IN / 1000} seconds.`, { ref: false });
  const answer = engine.checkStore().then(() => undefined, describe);
  return await Promise.race([answer, late]);
}
