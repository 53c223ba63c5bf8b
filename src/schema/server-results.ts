import { z } from 'zod';
import { WatchResult } from './results.ts';

/** The exception envelope (service.md, section 7): body of the response to a request that ended without a result. */
export const Envelope = z
  .object({
    error: z.object({
      type: z.string().describe('ValueError, NotFoundError, …'),
      message: z.string().describe('What is wrong and what to do'),
    }),
  })
  .meta({ id: 'Envelope', description: 'Error response' });
export type Envelope = z.infer<typeof Envelope>;

const WatchHealth = WatchResult.pick({ failed: true, last_run: true, next_run: true }).extend({
  state: z
    .enum(['reading', 'waiting', 'failing', 'stopped'])
    .describe('failing: the last run failed and is tried again; stopped: it has ended, the log says why'),
});
/** State of the watch of a server, without names of sources, because the health check needs no token. */
export type WatchHealth = z.infer<typeof WatchHealth>;

/** Response of `GET /v1/health`; with `deep`, it includes the state of the store. */
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

/** Request field of operations that may take minutes: run as a job. */
export const Background = z.boolean().optional().describe('Return a job at once; it continues without this connection');

/** State of a background job. */
export const JobState = z.enum(['running', 'done', 'failed', 'cancelled', 'interrupted']);
export type JobState = z.infer<typeof JobState>;

/** Operations that can run as background jobs. */
export const JobOperation = z.enum(['ingest', 'scrape']);
export type JobOperation = z.infer<typeof JobOperation>;

/** A background job, which continues after its client disconnects. */
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
