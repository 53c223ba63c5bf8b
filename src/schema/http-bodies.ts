import { z } from 'zod';
import { WatchResult } from './results.ts';
import { LlmConfig } from './config-chat.ts';
import { listOf, MAX_NAME_LENGTH, overrideKey } from './fields.ts';

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
    result: z
      .record(z.string(), z.unknown())
      .optional()
      .describe(
        'Result of the endpoint, once the job is done. Documents and chunks are references: text, title and metadata are empty. The final event that a client of the running job receives has them',
      ),
    error: Envelope.shape.error
      .optional()
      .describe('Present if the job failed, was cancelled or interrupted, or if its result could not be saved'),
  })
  .meta({ id: 'Job', description: 'A background job' });
export type Job = z.infer<typeof Job>;

/** The jobs that are known, the latest first; without their results. */
export const JobList = z.object({ jobs: z.array(Job) }).meta({ id: 'JobList', description: 'Known jobs, latest first, without results' });

// Requests of OpenAI's API: the fields that kb supports; others are ignored.

const TextPart = z.object({ type: z.literal('text'), text: z.string() });
/** A picture, sound or file, which kb ignores. */
const OtherPart = z.object({
  type: z
    .string()
    .refine((type) => type !== 'text', 'a text part needs its text')
    .describe('A type such as image_url'),
});
const Content = z.union([z.string(), listOf(z.union([TextPart, OtherPart]))]);
const tokens = overrideKey(LlmConfig.shape.max_tokens, 'chat.llm.max_tokens');

/** Body of `POST /v1/chat/completions`. */
export const CompletionRequest = z
  .object({
    model: z.string().min(1).max(MAX_NAME_LENGTH).describe('A collection, or kb for the configured one'),
    messages: listOf(
      z.object({
        role: z.enum(['system', 'developer', 'user', 'assistant', 'tool', 'function']).describe('Author of the message'),
        content: Content.optional().describe('Text, or parts: text is read, other types are ignored'),
      }),
    )
      .min(1)
      .describe('The conversation: the last user message is asked, those before are its history; system messages are the persona'),
    stream: z.boolean().optional().describe('Answer with server-sent events'),
    stream_options: z
      .object({ include_usage: z.boolean().optional().describe('Send the usage in a last chunk') })
      .optional()
      .describe('Options of a stream'),
    max_completion_tokens: tokens,
    max_tokens: tokens,
  })
  .meta({
    id: 'CompletionRequest',
    description: 'A request to POST /v1/chat/completions; other parameters of OpenAI are ignored',
    examples: [{ model: 'kb', messages: [{ role: 'user', content: 'How long is the warranty on the boilers?' }] }],
  });
export type CompletionRequest = z.infer<typeof CompletionRequest>;

/** Body of an error response in the shape of OpenAI's API. */
export const OpenAiError = z
  .object({
    error: z.object({
      message: z.string().describe('What is wrong and what to do'),
      type: z.enum(['invalid_request_error', 'server_error']),
      param: z.string().nullable().describe('The field that does not fit'),
      code: z.string().nullable().describe('invalid_api_key, model_not_found or rate_limit_exceeded'),
    }),
  })
  .meta({ id: 'OpenAiError', description: "Error response in OpenAI's shape" });
export type OpenAiError = z.infer<typeof OpenAiError>;

/** Maximum texts per request: the limit of OpenAI's API. */
const MAX_TEXTS = 2048;
/** Maximum tokens of a text that is sent as tokens. */
const MAX_TOKENS = 20_000;
const Tokens = z.array(z.int().min(0)).min(1).max(MAX_TOKENS);

/** Body of `POST /v1/embeddings`. */
export const EmbeddingsRequest = z
  .object({
    model: z
      .string()
      .min(1)
      .max(MAX_NAME_LENGTH)
      .describe('The configured embedding model, or the name of an OpenAI model such as text-embedding-3-small, which stands for it'),
    input: z
      .union([z.string(), z.array(z.string()).min(1).max(MAX_TEXTS), Tokens, z.array(Tokens).min(1).max(MAX_TEXTS)])
      .describe('A text, or a list of texts; a text may also be a list of tokens (cl100k_base)'),
    dimensions: z.int().min(1).optional().describe('Length of the vectors: that of the model'),
    encoding_format: z.enum(['float', 'base64']).optional().describe('How vectors are written: numbers, or 32-bit floats as base64'),
  })
  .meta({
    id: 'EmbeddingsRequest',
    description: 'A request to POST /v1/embeddings; other parameters of OpenAI are ignored',
    examples: [{ model: 'all-minilm-l6-v2', input: ['How long is the warranty?'] }],
  });
export type EmbeddingsRequest = z.infer<typeof EmbeddingsRequest>;
