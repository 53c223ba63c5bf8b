import { z } from 'zod';
import { LlmConfig } from '../config-chat.ts';
import { listOf, overriding } from '../fields.ts';

// Requests of OpenAI's API: the fields that kb supports; others are ignored.

const Content = z.union([z.string(), listOf(z.object({ type: z.literal('text'), text: z.string() }))]);
const tokens = overriding(LlmConfig.shape.max_tokens, 'chat.llm.max_tokens');

/** Body of `POST /v1/chat/completions`. */
export const CompletionRequest = z
  .object({
    model: z.string().min(1).describe('A collection, or kb for the configured one'),
    messages: listOf(
      z.object({
        role: z.enum(['system', 'developer', 'user', 'assistant', 'tool', 'function']).describe('Author of the message'),
        content: Content.optional().describe('Text, or parts of type text'),
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
const MOST_TEXTS = 2048;

/** Body of `POST /v1/embeddings`. */
export const EmbeddingsRequest = z
  .object({
    model: z.string().min(1).describe('The configured embedding model'),
    input: z.union([z.string(), z.array(z.string()).min(1).max(MOST_TEXTS)]).describe('A text, or a list of texts'),
    encoding_format: z.enum(['float', 'base64']).optional().describe('How vectors are written: numbers, or 32-bit floats as base64'),
  })
  .meta({
    id: 'EmbeddingsRequest',
    description: 'A request to POST /v1/embeddings; other parameters of OpenAI are ignored',
    examples: [{ model: 'all-minilm-l6-v2', input: ['How long is the warranty?'] }],
  });
export type EmbeddingsRequest = z.infer<typeof EmbeddingsRequest>;
