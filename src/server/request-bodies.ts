import type { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { KbError } from '../core/errors.ts';
import { size } from '../text/count.ts';
import { busy } from './queues.ts';

/** Milliseconds between two checks of how much has arrived. */
export const CHECK_INTERVAL = 10_000;
/** Minimum bytes per CHECK_INTERVAL; a slower client is rejected. */
export const MIN_BYTES = 10_240;

/** Monitors how fast a request arrives. */
interface Pace {
  /** Rejects with a 408 when less than a kilobyte a second arrives. */
  readonly tooSlow: Promise<never>;
  release(): void;
}

/** Monitors the bytes of a connection: a client that sends a byte now and then must not hold one of few places as long as it likes. */
export function keepPace(connection: { readonly bytesRead: number }): Pace {
  const { promise, reject } = Promise.withResolvers<never>();
  promise.catch(() => {}); // nobody may be waiting for it
  let before = connection.bytesRead;
  let looked = Date.now();
  const timer = setInterval(() => {
    const hasStoodStill = Date.now() - looked > 2 * CHECK_INTERVAL; // this process: what arrived meanwhile is not read yet
    if (!hasStoodStill && connection.bytesRead - before < MIN_BYTES) reject(slow());
    before = connection.bytesRead;
    looked = Date.now();
  }, CHECK_INTERVAL).unref();
  return { tooSlow: promise, release: () => clearInterval(timer) };
}

const slow = (): Error =>
  Object.assign(new Error('The request arrives too slowly: less than a kilobyte came in a second. Send it again on a better connection.'), {
    statusCode: 408,
  });

/** Maximum bytes of bodies that arrive or are queued: of all clients, and of one. A single body is always accepted. */
const MOST_HELD = 128 * 2 ** 20;
const MOST_OF_ONE = 64 * 2 ** 20;
/** Bytes up to which a body is not counted: the number of queued requests is limited anyway. */
const SMALL = 16_384;

/**
 * How much of the rest of a refused body is discarded, in bytes and milliseconds: a client that still sends when the connection closes does
 * not see the response.
 */
const MOST_DROPPED = 64 * 2 ** 20;
const DROPPED_FOR = 10_000;
/** Milliseconds without a byte after which a client is taken to wait for the answer instead of sending more. */
const SILENT_FOR = 500;

/** Reads request bodies, and limits the memory of those that are queued. */
export class Bodies {
  readonly #limit: number;
  readonly #sizes = new WeakMap<FastifyRequest, number>();
  /** Bytes by request, for those that are counted, and their sums by client. */
  readonly #held = new Map<FastifyRequest, number>();
  readonly #of = new Map<string, number>();
  #all = 0;

  /** `limit`: bytes of one body. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /**
   * Reads the body as text. Throws an error that becomes a 413 (too large), 408 (too slow) or 503 (too much is queued); the rest of the
   * body is discarded before, within limits.
   */
  async read(request: FastifyRequest, payload: Readable): Promise<string> {
    const pace = keepPace(request.raw.socket);
    try {
      return await Promise.race([this.#collected(request, payload), pace.tooSlow]);
    } catch (error) {
      this.release(request);
      payload.removeAllListeners('data');
      if ((error as { statusCode?: number }).statusCode !== 408) await dropRest(payload);
      throw error;
    } finally {
      pace.release();
    }
  }

  sizeOf(request: FastifyRequest): number {
    return this.#sizes.get(request) ?? 0;
  }

  /** Stops counting the body of a request that is processed or answered. */
  release(request: FastifyRequest): void {
    const bytes = this.#held.get(request);
    if (bytes === undefined) return;
    this.#held.delete(request);
    this.#count(request, -bytes);
  }

  #collected(request: FastifyRequest, payload: Readable): Promise<string> {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const length = Number(request.headers['content-length'] ?? Number.NaN);
    return new Promise((resolve, reject) => {
      if (length > this.#limit) return reject(tooLarge(this.#limit, size(length)));
      payload.on('data', (chunk: Buffer) => {
        try {
          if ((bytes += chunk.length) > this.#limit) throw tooLarge(this.#limit, `more than ${size(this.#limit)}`);
          if (bytes > SMALL) this.#hold(request, bytes);
          chunks.push(chunk);
        } catch (error) {
          reject(error as Error);
        }
      });
      payload.once('error', (error) => reject(Object.assign(error, { statusCode: 400 })));
      payload.once('end', () => {
        this.#sizes.set(request, bytes);
        resolve(Buffer.concat(chunks, bytes).toString('utf8'));
      });
    });
  }

  #hold(request: FastifyRequest, bytes: number): void {
    const before = this.#held.get(request) ?? 0;
    const more = bytes - before;
    const own = this.#of.get(request.ip) ?? 0;
    const [isOneOfAll, isOneOfIts] = [this.#all > before, own > before];
    if ((isOneOfAll && this.#all + more > MOST_HELD) || (isOneOfIts && own + more > MOST_OF_ONE))
      throw busy('the requests that wait are too large already');
    this.#held.set(request, bytes);
    this.#count(request, more);
  }

  #count({ ip }: FastifyRequest, bytes: number): void {
    this.#all += bytes;
    const own = (this.#of.get(ip) ?? 0) + bytes;
    if (own > 0) this.#of.set(ip, own);
    else this.#of.delete(ip);
  }
}

/** `has`: its size, in words, as far as that is known. */
const tooLarge = (limit: number, has: string): KbError =>
  new KbError('too_large', `The body is too large: it has ${has}, and the limit is ${size(limit)} (server.body_limit).`, {
    hint: 'Send less at once; the operator can raise the limit.',
  });

/** Reads and discards the rest of a body, so that the client sees the response. Ends at its end, at a silence, or at a limit. */
export async function dropRest(stream: Readable): Promise<void> {
  if (stream.readableEnded || stream.destroyed) return;
  let dropped = 0;
  const { promise, resolve } = Promise.withResolvers<void>();
  const done = () => resolve();
  const [whole, silence] = [setTimeout(done, DROPPED_FOR), setTimeout(done, SILENT_FOR)];
  const count = (chunk: Buffer) => {
    silence.refresh();
    if ((dropped += chunk.length) > MOST_DROPPED) done();
  };
  stream.on('data', count).once('end', done).once('close', done).once('error', done).resume();
  await promise;
  clearTimeout(whole);
  clearTimeout(silence);
  stream.off('data', count).off('end', done).off('close', done).pause();
}
