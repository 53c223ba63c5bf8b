import type { FastifyInstance } from 'fastify';
import type { Jobs } from './jobs.ts';
import type { PatienceFor } from './patience.ts';
import { sendEvents } from './stream.ts';

type WithId = { Params: { id: string } };

/** Tells of jobs, and cancels them. */
export function registerJobs(server: FastifyInstance, jobs: Jobs, patienceFor: PatienceFor): void {
  server.get('/v1/jobs', async () => ({ jobs: await jobs.list() }));
  server.get<WithId>('/v1/jobs/:id', async ({ params }) => await jobs.get(params.id));
  server.delete<WithId>('/v1/jobs/:id', async ({ params }) => await jobs.cancel(params.id));
  server.get<WithId>('/v1/jobs/:id/events', { exposeHeadRoute: false }, async ({ params }, reply) => {
    await jobs.get(params.id); // one that is not there is a 404, and no stream
    const events = jobs.events(params.id);
    const { signal, release } = patienceFor(reply, { isBounded: false });
    signal.addEventListener('abort', () => void events.return());
    reply.raw.once('close', release);
    return sendEvents(reply, events);
  });
}
