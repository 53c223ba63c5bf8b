import type { FastifyReply, FastifyRequest } from 'fastify';
import { busyError } from './queues.ts';

/** Maximum bytes that are held in memory for requests: of all clients, and of one. What a client holds alone is always accepted. */
const MAX_HELD_BYTES = 128 * 2 ** 20;
const MAX_HELD_PER_CLIENT = 64 * 2 ** 20;
/** Bytes of unread results from which no further work is done for a client. */
const MAX_UNREAD_PER_CLIENT = 32 * 2 ** 20;

/** What holds bytes: a request its body, a response its result. */
type Holder = FastifyRequest | FastifyReply;

const isResult = (holder: Holder): boolean => 'sent' in holder;

/** Counts the bytes of bodies until they were worked on, and of results until they were sent, so that neither fills the memory. */
export class HeldBytes {
  /** Bytes of each body and result, with its client. */
  readonly #held = new Map<Holder, { client: string; bytes: number }>();
  readonly #byClient = new Map<string, number>();
  #total = 0;

  /** Sets the bytes that a body or result holds. Throws a KbError (`unavailable`) if that is too much beside others. */
  hold(holder: Holder, client: string, bytes: number): void {
    const { bytes: former = 0 } = this.#held.get(holder) ?? {};
    const ofClient = (this.#byClient.get(client) ?? 0) - former;
    const total = this.#total - former;
    if ((total > 0 && total + bytes > MAX_HELD_BYTES) || (ofClient > 0 && ofClient + bytes > MAX_HELD_PER_CLIENT))
      throw busyError('the requests and results that wait are too large already');
    this.#held.set(holder, { client, bytes });
    this.#count(client, bytes - former);
  }

  /** Throws a KbError (`unavailable`) if a client has too many results that it has not read. */
  assertRead(client: string): void {
    const unread = this.#held.entries().filter(([holder, held]) => isResult(holder) && held.client === client);
    if (unread.reduce((sum, [, { bytes }]) => sum + bytes, 0) > MAX_UNREAD_PER_CLIENT)
      throw busyError('results of earlier requests were not read yet');
  }

  /** Stops counting a body or result. */
  release(holder: Holder): void {
    const held = this.#held.get(holder);
    if (!held) return;
    this.#held.delete(holder);
    this.#count(held.client, -held.bytes);
  }

  #count(client: string, bytes: number): void {
    this.#total += bytes;
    const ofClient = (this.#byClient.get(client) ?? 0) + bytes;
    if (ofClient > 0) this.#byClient.set(client, ofClient);
    else this.#byClient.delete(client);
  }
}
