import type { OpenAI } from 'openai';
import type { KbError } from '../base/errors.ts';
import type { Access } from './access.ts';
import { toKbError } from './provider-errors.ts';
import { refusalIn } from './refusal.ts';

/** An open client, and the one place where what it throws becomes an error of ours. */
export interface OpenAiClient {
  client: OpenAI;
  translate(error: unknown, signal?: AbortSignal | undefined): KbError;
}

/** Opens the client. It does not retry by itself: base/retry.ts does, where it can be stopped and counted. Nothing is sent. */
export async function openClient(access: Access): Promise<OpenAiClient> {
  const { OpenAI } = await import('./openai-library.ts');
  const { key, base_url, provider } = access;
  const client = new OpenAI({
    apiKey: key ?? 'none',
    baseURL: base_url,
    maxRetries: 0,
    logLevel: 'off', // it would print to standard error
    fetch: readable(access.fetch),
    // What the environment says about an account at OpenAI is nobody else's business.
    ...(provider === 'openai' ? {} : { organization: null, project: null }),
    ...(key === undefined ? { defaultHeaders: { Authorization: null } } : {}),
  });
  return { client, translate: (error, signal) => toKbError(error, { ...access, signal }) };
}

/** The client reads refusals in OpenAI's shape alone, and makes «no body» of any other. */
const readable =
  (ask: typeof fetch): typeof fetch =>
  async (input, init) => {
    const response = await ask(input, init);
    if (response.ok) return response;
    const { message, code, status, headers } = refusalIn(response, await response.text());
    return new Response(JSON.stringify({ error: { message, code } }), { status, headers });
  };
