import type { OpenAiError } from '../../schema/openai/openai-requests.ts';
import type { Envelope } from '../../schema/server-results.ts';

const CODES: Record<number, string> = { 401: 'invalid_api_key', 404: 'model_not_found', 429: 'rate_limit_exceeded' };

/** Whether an address is one that OpenAI's clients ask, also if no route is found for it. */
export const isOpenAiPath = (url: string): boolean => /^\/v1\/(?:chat\/completions|embeddings|models)(?:[/?]|$)/.test(url);

/** The exception envelope in the shape of OpenAI. */
export function openAiError(status: number, { error: { message } }: Envelope): OpenAiError {
  const isOurs = status >= 500 || status === 424;
  const param = status === 400 ? (/^([a-z_][\w.[\]]*): /.exec(message)?.[1] ?? null) : null; // validation names the field first
  return { error: { message, type: isOurs ? 'server_error' : 'invalid_request_error', param, code: CODES[status] ?? null } };
}
