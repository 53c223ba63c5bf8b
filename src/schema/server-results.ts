import { z } from 'zod';
import { WatchResult } from './results.ts';

/** The exception envelope (service.md, section 7): what a request that ended without a result is answered with. */
export const Envelope = z
  .object({
    error: z.object({
      type: z.string().describe('ValueError, NotFoundError, …'),
      message: z.string().describe('What is wrong and what to do'),
    }),
  })
  .meta({ id: 'Envelope', description: 'Error response' });
export type Envelope = z.infer<typeof Envelope>;

/** What the watch of a server does; without names of sources, because everyone may ask for it. */
const WatchHealth = WatchResult.pick({ failed: true, last_run: true, next_run: true }).extend({
  state: z
    .enum(['reading', 'waiting', 'failing', 'stopped'])
    .describe('failing: the last run failed and is tried again; stopped: it has ended, the log says why'),
});
export type WatchHealth = z.infer<typeof WatchHealth>;

/** Whether the server answers; with `deep`, whether its store does. */
export const Health = z
  .object({
    status: z.enum(['ok', 'unavailable']),
    service: z.literal('kb'),
    version: z.string(),
    uptime: z.number().describe('Seconds since the server started'),
    store: z
      .object({ vector_db: z.string(), status: z.enum(['ok', 'unavailable']) })
      .optional()
      .describe('With deep=true: whether the store responds'),
    watch: WatchHealth.optional().describe('With kb serve --watch: what the watch of the configured sources does'),
  })
  .meta({ id: 'Health', description: 'Health of the server' });
export type Health = z.infer<typeof Health>;

/** Beside the request of an operation that may take minutes. */
export const Background = z.boolean().optional().describe('Return a job at once; it continues without this connection');

export const JobState = z.enum(['running', 'done', 'failed', 'cancelled', 'interrupted']);
export type JobState = z.infer<typeof JobState>;

export const JobOperation = z.enum(['ingest', 'scrape']);
export type JobOperation = z.infer<typeof JobOperation>;

/** Work that goes on without the connection that asked for it. */
export const Job = z
  .object({
    id: z.string().describe('Identifier of the job'),
    operation: JobOperation,
    sources: z.array(z.string()).describe('Sources of the job: the first 20 files, folders, addresses and names of texts'),
    state: JobState.describe('interrupted: the server stopped before the job ended'),
    progress: z.record(z.string(), z.unknown()).describe('Data of the last progress event'),
    started: z.iso.datetime(),
    ended: z.iso.datetime().nullable().describe('End time; null while the job runs'),
    result: z.record(z.string(), z.unknown()).optional().describe('Result of the endpoint, once the job is done'),
    error: Envelope.shape.error
      .optional()
      .describe('Present if the job failed, was cancelled or interrupted, or if its result could not be saved'),
  })
  .meta({ id: 'Job', description: 'A background job' });
export type Job = z.infer<typeof Job>;

/** The jobs that are known, the latest first; without their results. */
export const JobList = z.object({ jobs: z.array(Job) }).meta({ id: 'JobList', description: 'Known jobs, latest first, without results' });
export type JobList = z.infer<typeof JobList>;
