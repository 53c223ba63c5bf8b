import type { Envelope } from '../../schema/server-results.ts';

/** An error as OpenAI's API answers with it. */
export interface OpenAiError {
  error: { message: string; type: 'invalid_request_error' | 'server_error'; param: string | null; code: string | null };
}

const CODES: Record<number, string> = { 401: 'invalid_api_key', 404: 'model_not_found', 429: 'rate_limit_exceeded' };

/** The exception envelope in the shape of OpenAI. */
export function openAiError(status: number, { error: { message } }: Envelope): OpenAiError {
  const isOurs = status >= 500 || status === 424;
  const param = status === 400 ? (/^([a-z_][\w.[\]]*): /.exec(message)?.[1] ?? null) : null; // validation names the field first
  return { error: { message, type: isOurs ? 'server_error' : 'invalid_request_error', param, code: CODES[status] ?? null } };
}
