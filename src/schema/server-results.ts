import { z } from 'zod';

/** The exception envelope (service.md, section 7): what a request that ended without a result is answered with. */
export const Envelope = z
  .object({
    error: z.object({
      type: z.string().describe('ValueError, NotFoundError, …'),
      message: z.string().describe('What is wrong, and what to do'),
    }),
  })
  .meta({ id: 'Envelope', description: 'Why a request ended without a result' });
export type Envelope = z.infer<typeof Envelope>;

/** Whether the server answers; with `deep`, whether its store does. */
export const Health = z
  .object({
    status: z.enum(['ok', 'unavailable']),
    service: z.literal('kb'),
    version: z.string(),
    uptime: z.number().describe('Seconds since it began to listen'),
    store: z
      .object({ vector_db: z.string(), status: z.enum(['ok', 'unavailable']) })
      .optional()
      .describe('With deep=true: whether the store answers'),
  })
  .meta({ id: 'Health', description: 'Whether the server answers' });
export type Health = z.infer<typeof Health>;

/** Beside the request of an operation that may take minutes. */
export const Background = z.boolean().optional().describe('Answer at once with a job, which goes on without this connection');

export const JobState = z.enum(['running', 'done', 'failed', 'cancelled', 'interrupted']);
export type JobState = z.infer<typeof JobState>;

export const JobOperation = z.enum(['ingest', 'scrape']);
export type JobOperation = z.infer<typeof JobOperation>;

/** Work that goes on without the connection that asked for it. */
export const Job = z
  .object({
    id: z.string().describe('Identifier of the job'),
    operation: JobOperation,
    sources: z.array(z.string()).describe('What it works on: the first 20 files, folders, addresses and names of texts'),
    state: JobState.describe('interrupted: the server stopped before it was done'),
    progress: z
      .record(z.string(), z.unknown())
      .describe("The data of the last progress event: how far it is, in the operation's own counts"),
    started: z.iso.datetime(),
    ended: z.iso.datetime().nullable().describe('null while it runs'),
    result: z.record(z.string(), z.unknown()).optional().describe('Once it is done: what the endpoint would have answered'),
    error: Envelope.shape.error
      .optional()
      .describe('Where it failed, was cancelled or was interrupted, or where its result could not be kept'),
  })
  .meta({ id: 'Job', description: 'Work that goes on without the connection that asked for it' });
export type Job = z.infer<typeof Job>;

/** The jobs that are known, the latest first; without their results. */
export const JobList = z
  .object({ jobs: z.array(Job) })
  .meta({ id: 'JobList', description: 'The jobs that are known, the latest first; without their results' });
export type JobList = z.infer<typeof JobList>;
