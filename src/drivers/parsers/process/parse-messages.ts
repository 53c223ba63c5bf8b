import type { Readable, Writable } from 'node:stream';
import { deserialize, serialize } from 'node:v8';
import type { ErrorCode } from '../../../core/errors.ts';
import type { ParsedDocument } from '../../../ports/reading.ts';
import type { ParseOptions } from '../parser-row.ts';

/** Bytes of a message that are written at once: a large one waits in this process until the other has read what was sent before. */
const PIECE_BYTES = 256 * 2 ** 10;
/** Bytes before a message that tell its length. */
const HEADER_BYTES = 4;

/** Sends a value that `structuredClone` could copy, in bounded pieces. Rejects where the stream breaks. */
export async function sendMessage(stream: Writable, value: unknown): Promise<void> {
  const body = serialize(value);
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt32LE(body.length);
  await write(stream, Buffer.concat([header, body.subarray(0, PIECE_BYTES)]));
  for (let at = PIECE_BYTES; at < body.length; at += PIECE_BYTES) await write(stream, body.subarray(at, at + PIECE_BYTES));
}

const write = (stream: Writable, piece: Uint8Array): Promise<void> =>
  new Promise((resolve, reject) => {
    stream.write(piece, (error) => (error ? reject(error) : resolve()));
  });

/**
 * Calls `take` with each value that `sendMessage` sends on the other side. Arrays of bytes are views of the message that they came in. A message that cannot
 * be read (it may nest deeper than the stack of this side allows) destroys the stream with its error.
 */
export function onMessage(stream: Readable, take: (value: unknown) => void): void {
  let isHeader = true;
  let target = Buffer.alloc(HEADER_BYTES);
  let filled = 0;
  stream.on('data', (piece: Buffer) => {
    for (let at = 0; at < piece.length;) {
      const count = piece.copy(target, filled, at);
      at += count;
      filled += count;
      if (filled < target.length) return;
      const complete = target;
      target = isHeader ? Buffer.allocUnsafeSlow(complete.readUInt32LE()) : Buffer.alloc(HEADER_BYTES);
      filled = 0;
      isHeader = !isHeader;
      if (!isHeader) continue;
      try {
        take(deserialize(complete));
      } catch (error) {
        return void stream.destroy(error as Error);
      }
    }
  });
}

/** What a process says that ends because it took too much processor time: its signal is that of one that took too much memory. */
export const OUT_OF_TIME = 'out of processor time\n';

/** A message to a process, and the seconds of processor time that the work on it may take. */
export interface Request<Message> {
  message: Message;
  seconds: number | undefined;
}

export interface ParseTask extends Pick<ParseOptions, 'passwords' | 'recognized'> {
  bytes: Uint8Array;
  source: string;
  file_type: string;
  /** Files that it lies in. */
  depth?: number;
}

/** A parsed document, or its error as data: between processes a KbError would lose its code and its hint. */
export type ParseOutcome = { parsed: ParsedDocument } | { failed: { code: ErrorCode; message: string; hint: string | undefined } };

/** What a process says when it has parsed. */
export interface ParseAnswer {
  outcomes: ParseOutcome[];
  /** Bytes of resident memory that it still holds. */
  resident: number;
}
