import { isUtf8 } from 'node:buffer';
import type { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { ByteCollector } from '../core/byte-collector.ts';
import { KbError } from '../core/errors.ts';
import { size } from '../text/count.ts';
import type { HeldBytes } from './held-bytes.ts';

/** Milliseconds between two checks of the received bytes. */
export const CHECK_INTERVAL = 10_000;
/** Minimum bytes per CHECK_INTERVAL; a slower client is rejected. */
export const MIN_BYTES = 10_240;

/** A monitor of how fast a request arrives. */
interface Pace {
  /** Rejects with a 408 when less than a kilobyte a second arrives. */
  readonly tooSlow: Promise<never>;
  release(): void;
}

/** Monitors the bytes of a connection, so that a client that sends almost nothing cannot occupy a slot indefinitely. */
export function monitorPace(connection: { readonly bytesRead: number }): Pace {
  const { promise, reject } = Promise.withResolvers<never>();
  promise.catch(() => {}); // avoids an unhandled rejection
  let before = connection.bytesRead;
  let checkedAt = Date.now();
  const timer = setInterval(() => {
    const wasBlocked = Date.now() - checkedAt > 2 * CHECK_INTERVAL; // this process was blocked, so received bytes are not counted yet
    if (!wasBlocked && connection.bytesRead - before < MIN_BYTES) reject(tooSlowError());
    before = connection.bytesRead;
    checkedAt = Date.now();
  }, CHECK_INTERVAL).unref();
  return { tooSlow: promise, release: () => clearInterval(timer) };
}

const tooSlowError = (): Error =>
  Object.assign(new Error('The request arrives too slowly: less than a kilobyte came in a second. Send it again on a better connection.'), {
    statusCode: 408,
  });

/** Maximum bytes of a body that is not counted, because the number of queued requests is limited anyway. */
const UNCOUNTED_BYTES = 16_384;

/**
 * Maximum bytes and milliseconds for discarding the rest of a rejected body: a client that still sends when the connection closes would not
 * see the response.
 */
const MAX_DISCARDED_BYTES = 64 * 2 ** 20;
const MAX_DISCARD_TIME = 10_000;
/** Milliseconds without a byte after which a client is assumed to wait for the response. */
const SILENCE_TIMEOUT = 500;

/** Reads request bodies, and counts their bytes until they were worked on. */
export class RequestBodies {
  readonly #limit: number;
  readonly #held: HeldBytes;
  readonly #sizes = new WeakMap<FastifyRequest, number>();

  /** `limit`: bytes of one body. */
  constructor(limit: number, held: HeldBytes) {
    this.#limit = limit;
    this.#held = held;
  }

  /**
   * Reads the body as text (`decodeBody`). Throws an error for a 413 (too large), 408 (too slow) or 503 (too much is queued), after discarding the rest of the
   * body within limits, and for a 400 (not text).
   */
  async read(request: FastifyRequest, payload: Readable): Promise<string> {
    const pace = monitorPace(request.raw.socket);
    try {
      const bytes = await Promise.race([this.#collect(request, payload), pace.tooSlow]);
      return decodeBody(bytes, charsetOf(request.headers['content-type']));
    } catch (error) {
      this.release(request);
      payload.removeAllListeners('data');
      if ((error as { statusCode?: number }).statusCode !== 408) await discardRest(payload);
      throw error;
    } finally {
      pace.release();
    }
  }

  sizeOf(request: FastifyRequest): number {
    return this.#sizes.get(request) ?? 0;
  }

  /** Drops the body of a request that was worked on. */
  release(request: FastifyRequest): void {
    request.body = undefined;
    this.#held.release(request);
  }

  #collect(request: FastifyRequest, payload: Readable): Promise<Buffer> {
    const bytes = new ByteCollector();
    const length = Number(request.headers['content-length'] ?? Number.NaN);
    return new Promise((resolve, reject) => {
      if (length > this.#limit) return reject(tooLarge(this.#limit, size(length)));
      payload.on('data', (chunk: Buffer) => {
        try {
          bytes.add(chunk);
          if (bytes.length > this.#limit) throw tooLarge(this.#limit, `more than ${size(this.#limit)}`);
          if (bytes.length > UNCOUNTED_BYTES) this.#held.hold(request, request.ip, bytes.length);
        } catch (error) {
          reject(error as Error);
        }
      });
      payload.once('error', (error) => reject(Object.assign(error, { statusCode: 400 })));
      payload.once('end', () => {
        this.#sizes.set(request, bytes.length);
        resolve(bytes.concat());
      });
    });
  }
}

const charsetOf = (contentType = ''): string | undefined => /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(contentType)?.[1]?.toLowerCase();

/**
 * Decodes a body: as UTF-8 if it is that, else by its charset. Throws a KbError (`usage`) with the position of the first byte that does not fit: a
 * replacement character would be stored without anyone noticing.
 */
export function decodeBody(bytes: Buffer, charset = 'utf-8'): string {
  if (isUtf8(bytes) && !charset.startsWith('utf-16')) return bytes.toString('utf8');
  const decoder = openDecoder(charset);
  try {
    return decoder.decode(bytes);
  } catch (cause) {
    throw new KbError(
      'usage',
      `The body is not ${decoder.encoding}: the byte at position ${findInvalidByte(bytes, decoder.encoding)} does not fit.`,
      {
        hint: 'Encode it as UTF-8, or name its charset in Content-Type.',
        cause,
      },
    );
  }
}

function openDecoder(charset: string) {
  try {
    return new TextDecoder(charset, { fatal: true });
  } catch (cause) {
    throw new KbError('usage', `The charset "${charset.slice(0, MAX_CHARSET_LENGTH)}" of the body is unknown.`, {
      hint: 'Send UTF-8.',
      cause,
    });
  }
}

const MAX_CHARSET_LENGTH = 40;

/** Returns the position of the first byte that does not fit the encoding. A prefix that only ends in the middle of a character fits. */
function findInvalidByte(bytes: Buffer, encoding: string): number {
  const fits = (length: number): boolean => {
    try {
      new TextDecoder(encoding, { fatal: true }).decode(bytes.subarray(0, length), { stream: true });
      return true;
    } catch {
      return false;
    }
  };
  let [fitting, unfit] = [0, bytes.length + 1];
  while (unfit - fitting > 1) {
    const middle = Math.floor((fitting + unfit) / 2);
    if (middle <= bytes.length && fits(middle)) fitting = middle;
    else unfit = middle;
  }
  if (encoding !== 'utf-8') return fitting;
  // the last character of what fits may have begun without its end
  const whole = new TextDecoder(encoding, { ignoreBOM: true }).decode(bytes.subarray(0, fitting), { stream: true });
  return Buffer.byteLength(whole);
}

/** Makes the error for a body beyond the limit. `actualSize`: its size in words, as far as known. */
const tooLarge = (limit: number, actualSize: string): KbError =>
  new KbError('too_large', `The body is too large: it has ${actualSize}, and the limit is ${size(limit)} (server.body_limit).`, {
    hint: 'Send less at once; the operator can raise the limit.',
  });

/** Discards the rest of a body, so that the client sees the response. Stops at its end, after a silence, or at a limit. */
export async function discardRest(stream: Readable): Promise<void> {
  if (stream.readableEnded || stream.destroyed) return;
  let discarded = 0;
  const { promise, resolve } = Promise.withResolvers<void>();
  const done = () => resolve();
  const [whole, silence] = [setTimeout(done, MAX_DISCARD_TIME), setTimeout(done, SILENCE_TIMEOUT)];
  const count = (chunk: Buffer) => {
    silence.refresh();
    if ((discarded += chunk.length) > MAX_DISCARDED_BYTES) done();
  };
  stream.on('data', count).once('end', done).once('close', done).once('error', done).resume();
  await promise;
  clearTimeout(whole);
  clearTimeout(silence);
  stream.off('data', count).off('end', done).off('close', done).pause();
}
