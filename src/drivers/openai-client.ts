import type { OpenAI } from 'openai';
import { toKbError } from './openai-errors.ts';
import type { Access } from './providers.ts';
import type { KbError } from '../base/errors.ts';

/** An open client, and the one place where what it throws becomes an error of ours. */
export interface OpenAiClient {
  client: OpenAI;
  translate(error: unknown, signal?: AbortSignal | undefined): KbError;
}

/** Milliseconds that an answer may take that does not come in pieces. */
const TIMEOUT = 60_000;

/** Opens the client. It does not retry by itself: base/retry.ts does, where it can be stopped and counted. Nothing is sent. */
export async function openClient(access: Access): Promise<OpenAiClient> {
  const { OpenAI } = await import('openai');
  const { key, base_url, provider } = access;
  const client = new OpenAI({
    apiKey: key ?? 'none',
    baseURL: base_url,
    maxRetries: 0,
    timeout: TIMEOUT,
    logLevel: 'off', // it would print to standard error
    // What the environment says about an account at OpenAI is nobody else's business.
    ...(provider === 'openai' ? {} : { organization: null, project: null }),
    ...(key === undefined ? { defaultHeaders: { Authorization: null } } : {}),
  });
  return { client, translate: (error, signal) => toKbError(error, { ...access, signal }) };
}
