import { operatorAdvice } from '../../../core/advice/advice.ts';
import { readFile } from 'node:fs/promises';
import { KbError, describe, hasCode } from '../../../core/errors.ts';
import { retry, type RetryOptions } from '../../../core/retry.ts';
import type { SendRequest, RequestKind } from './qdrant-connection.ts';

/** A node of a cluster. */
interface Server {
  send: SendRequest;
  /** Like `send`, with a short timeout. */
  sendBriefly: SendRequest;
}

/**
 * Makes a function that sends requests to one server until that does not answer, then to the next ready one. A request tries each server once before it waits
 * and is retried.
 */
export function sendToFirstReady(servers: readonly Server[], retryLimits: Record<RequestKind, RetryOptions>): SendRequest {
  let current: Promise<number> | undefined;
  return (request, kind = 'read') =>
    retry(async () => {
      for (let remaining = servers.length - 1; ; remaining--) {
        const chosen = (current ??= findReady(servers, 0));
        const server = await chosen.catch((error: unknown) => {
          if (current === chosen) current = undefined;
          throw error;
        });
        try {
          return await servers[server]!.send(request, kind);
        } catch (error) {
          if (!hasCode(error, 'unavailable')) throw error;
          if (current === chosen) current = findReady(servers, server + 1); // otherwise another request has already switched
          if (remaining === 0) throw error;
        }
      }
    }, retryLimits[kind]);
}

/** Finds the index of the first ready server, beginning with `from`; returns `from` if none is ready. */
async function findReady(servers: readonly Server[], from: number): Promise<number> {
  for (let i = from; i < from + servers.length; i++) if (await isReady(servers[i % servers.length]!)) return i % servers.length;
  return from % servers.length;
}

/** Whether a node is ready: one that was down first answers from an outdated state, and accepts writes that the other nodes undo. */
const isReady = ({ sendBriefly }: Server): Promise<boolean> =>
  sendBriefly(async (api, init) => {
    await api.readyz({}, init);
    return { data: { result: true } };
  }).catch((error: unknown) => {
    if (!(error instanceof KbError)) throw error;
    return error.code !== 'unavailable' && error.code !== 'aborted'; // other errors: an older server without this request
  });

interface ConnectionOptions {
  /** Seconds that connecting may take. */
  connect_timeout: number | undefined;
  /** PEM certificates beside those that Node trusts. */
  ca_file: string | undefined;
}

/** Makes a dispatcher for `fetch`; undefined if no option is set. Throws a KbError (`configuration`) if the file cannot be read. */
export async function createDispatcher({ connect_timeout, ca_file }: ConnectionOptions): Promise<RequestInit['dispatcher']> {
  if (connect_timeout === undefined && ca_file === undefined) return undefined;
  const [{ Agent, Dispatcher1Wrapper }, { rootCertificates }] = await Promise.all([import('undici'), import('node:tls')]);
  const own = ca_file === undefined ? undefined : await readCertificates(ca_file);
  const connect = {
    ...(connect_timeout === undefined ? {} : { timeout: connect_timeout * 1000 }),
    ...(own === undefined ? {} : { ca: [...rootCertificates, own] }),
  };
  // each request has its own timeout; idle connections are kept for ten seconds, as in the client's own agent
  const agent = new Agent({ connect, bodyTimeout: 0, headersTimeout: 0, keepAliveTimeout: 10_000 });
  return new Dispatcher1Wrapper(agent) as unknown as RequestInit['dispatcher']; // Node's fetch has the interface of earlier versions of undici
}

async function readCertificates(file: string): Promise<string> {
  const hint = operatorAdvice`Set it to a file of PEM certificates.`;
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw new KbError('configuration', `storage.options.ca_file can't be read: ${describe(cause)}`, { hint, cause });
  });
  if (text.includes('-----BEGIN CERTIFICATE-----')) return text;
  throw new KbError('configuration', `storage.options.ca_file (${file}) holds no certificate.`, { hint });
}
