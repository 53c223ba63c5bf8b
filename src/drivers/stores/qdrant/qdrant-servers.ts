import { operatorAdvice } from '../../../core/advice/advice.ts';
import { readFile } from 'node:fs/promises';
import { KbError, describe, hasCode } from '../../../core/errors.ts';
import { retry, type RetryOptions } from '../../../core/retry.ts';
import type { Ask, RequestKind } from './qdrant-connection.ts';

/** A node of a cluster. */
interface Server {
  ask: Ask;
  /** With a short timeout. */
  askBriefly: Ask;
}

/**
 * Sends requests to one server until it does not answer, then to the next that has caught up with the others. A request goes round once before it waits and
 * is sent again.
 */
export function firstToAnswer(servers: readonly Server[], patience: Record<RequestKind, RetryOptions>): Ask {
  let current: Promise<number> | undefined;
  return (request, kind = 'read') =>
    retry(async () => {
      for (let left = servers.length - 1; ; left--) {
        const asked = (current ??= firstReady(servers, 0));
        const server = await asked.catch((error: unknown) => {
          if (current === asked) current = undefined;
          throw error;
        });
        try {
          return await servers[server]!.ask(request, kind);
        } catch (error) {
          if (!hasCode(error, 'unavailable')) throw error;
          if (current === asked) current = firstReady(servers, server + 1); // else another request has already moved on
          if (left === 0) throw error;
        }
      }
    }, patience[kind]);
}

/** Finds the index of the first server, from this one on, that has caught up; the index of this one if none has. */
async function firstReady(servers: readonly Server[], from: number): Promise<number> {
  for (let i = from; i < from + servers.length; i++) if (await isReady(servers[i % servers.length]!)) return i % servers.length;
  return from % servers.length;
}

/** Whether a node has caught up: one that was down answers at first from an old state, and takes writes that the others undo. */
const isReady = ({ askBriefly }: Server): Promise<boolean> =>
  askBriefly(async (api, init) => {
    await api.readyz({}, init);
    return { data: { result: true } };
  }).catch((error: unknown) => {
    if (!(error instanceof KbError)) throw error;
    return error.code !== 'unavailable' && error.code !== 'aborted'; // an older server does not know this request
  });

interface ConnectionOptions {
  /** Seconds that connecting may take. */
  connect_timeout: number | undefined;
  /** PEM certificates beside those that Node trusts. */
  ca_file: string | undefined;
}

/** Makes a dispatcher for `fetch` with these options; undefined without any. Throws a KbError (`configuration`) if the file cannot be read. */
export async function dispatcherFor({ connect_timeout, ca_file }: ConnectionOptions): Promise<RequestInit['dispatcher']> {
  if (connect_timeout === undefined && ca_file === undefined) return undefined;
  const [{ Agent, Dispatcher1Wrapper }, { rootCertificates }] = await Promise.all([import('undici'), import('node:tls')]);
  const own = ca_file === undefined ? undefined : await certificates(ca_file);
  const connect = {
    ...(connect_timeout === undefined ? {} : { timeout: connect_timeout * 1000 }),
    ...(own === undefined ? {} : { ca: [...rootCertificates, own] }),
  };
  // each request has its own timeout; as in the client's own agent, an unused connection is kept for ten seconds
  const agent = new Agent({ connect, bodyTimeout: 0, headersTimeout: 0, keepAliveTimeout: 10_000 });
  return new Dispatcher1Wrapper(agent) as unknown as RequestInit['dispatcher']; // Node's fetch has the interface of earlier versions of undici
}

async function certificates(file: string): Promise<string> {
  const hint = operatorAdvice`Set it to a file of PEM certificates.`;
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw new KbError('configuration', `storage.options.ca_file can't be read: ${describe(cause)}`, { hint, cause });
  });
  if (text.includes('-----BEGIN CERTIFICATE-----')) return text;
  throw new KbError('configuration', `storage.options.ca_file (${file}) holds no certificate.`, { hint });
}
