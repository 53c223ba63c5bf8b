import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { yieldToEventLoop } from '../core/concurrency.ts';
import { KbError } from '../core/errors.ts';
import { MAX_RESULT_BYTES } from '../schema/fields.ts';
import { size } from '../text/count.ts';
import type { HeldBytes } from './held-bytes.ts';

/** Levels of lists and objects that are written entry by entry; what is inside is small enough to be written at once. */
const SPLIT_LEVELS = 3;
/** Bytes of a piece of JSON. */
const PIECE_BYTES = 65_536;

/** Writes a value as JSON in pieces, as `JSON.stringify` does. */
export function* jsonPieces(value: unknown, levels = SPLIT_LEVELS): Generator<string, void> {
  if (levels === 0 || typeof value !== 'object' || value === null || 'toJSON' in value) return yield JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) {
    yield '[';
    for (const [i, entry] of value.entries()) {
      if (i > 0) yield ',';
      yield* jsonPieces(entry, levels - 1);
    }
    return yield ']';
  }
  let separator = '{';
  for (const [name, entry] of Object.entries(value)) {
    if (entry === undefined || typeof entry === 'function') continue;
    yield `${separator}${JSON.stringify(name)}:`;
    yield* jsonPieces(entry, levels - 1);
    separator = ',';
  }
  yield separator === '{' ? '{}' : '}';
}

/** A result as JSON, with the number of its bytes. */
export interface WrittenJson {
  pieces: readonly Buffer[];
  bytes: number;
}

/** Where the bytes of a result are counted until they were sent. */
export interface ResultHolder {
  held: HeldBytes;
  reply: FastifyReply;
  signal?: AbortSignal | undefined;
}

/**
 * Writes a result in slices between which the event loop turns. Its bytes are held until the response is closed. Throws a KbError: `too_large` for more
 * than MAX_RESULT_BYTES, `unavailable` if the client has too many unread results.
 */
export async function writeResult(value: unknown, { held, reply, signal }: ResultHolder): Promise<WrittenJson> {
  const pieces: Buffer[] = [];
  const takeTurns = yieldToEventLoop(signal);
  let [text, bytes] = ['', 0];
  const flush = () => {
    const piece = Buffer.from(text);
    text = '';
    pieces.push(piece);
    bytes += piece.length;
    if (bytes > MAX_RESULT_BYTES) throw largeResultError();
    if (pieces.length > 1 && !reply.raw.closed) held.hold(reply, reply.request.ip, bytes);
  };
  try {
    for (const part of jsonPieces(value)) {
      await takeTurns();
      text += part;
      if (text.length >= PIECE_BYTES) flush();
    }
    flush();
    return { pieces, bytes };
  } catch (error) {
    held.release(reply);
    throw error;
  }
}

const largeResultError = (): KbError =>
  new KbError('too_large', `The result has more than ${size(MAX_RESULT_BYTES)}, the most that one response holds.`, {
    hint: 'Ask for less at once.',
  });

/** Answers with a written result, no faster than the client reads. */
export function sendResult(reply: FastifyReply, { pieces, bytes }: WrittenJson): FastifyReply {
  void reply.type('application/json; charset=utf-8').header('content-length', bytes);
  return reply.send(pieces.length === 1 ? pieces[0] : Readable.from(pieces, { objectMode: false }));
}
