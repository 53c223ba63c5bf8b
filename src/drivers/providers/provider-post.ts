import { KbError } from '../../core/errors.ts';
import type { Access } from './access.ts';
import { providerError, refusalIn } from './provider-errors.ts';

/** Milliseconds that an answer may take. */
const TIMEOUT = 60_000;

/** What is asked: where under the base URL, with which JSON. */
interface Question {
  path: string;
  body: Record<string, unknown>;
  signal?: AbortSignal | undefined;
}

/**
 * One question to a provider that answers with one JSON document, which is given back as it came. It is not asked again: `retry` of core/retry.ts
 * does that.
 * @throws KbError as the stages understand it: `too_large`, `invalid`, `unauthorized`, `unavailable`, `configuration`, `aborted`.
 */
export async function post(access: Access, { path, body, signal }: Question): Promise<unknown> {
  const { base_url, key, account, provider } = access;
  const clock = AbortSignal.timeout(TIMEOUT);
  try {
    const response = await access.fetch(`${base_url}${path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        ...account,
        ...(key && { authorization: `Bearer ${key}` }),
      },
      body: JSON.stringify(body),
      signal: signal ? AbortSignal.any([clock, signal]) : clock,
    });
    const text = await response.text();
    if (!response.ok) throw refusalIn(response, text);
    return parsed(text, provider);
  } catch (error) {
    throw providerError(error, { ...access, signal });
  }
}

function parsed(text: string, provider: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new KbError('configuration', `${provider} answered with something else than JSON.`, {
      hint: 'Check that the address is that of its API: options.base_url ends before /embeddings and /rerank.',
      cause,
    });
  }
}
