import type { Readable, Writable } from 'node:stream';
import { deserialize, serialize } from 'node:v8';
import type { Hint } from '../../../core/advice/advice.ts';
import type { KbError } from '../../../core/errors.ts';
import type { ParsedDocument } from '../../../ports/reading.ts';
import type { ParseOptions } from '../parser-row.ts';

/** Bytes of a message that are written at once: the rest of a large one waits in this process until the other has read them. */
const PIECE_BYTES = 256 * 2 ** 10;
/** Bytes of the length before a message. */
const HEADER_BYTES = 4;

/** Sends a value that `structuredClone` can copy, in bounded pieces. Rejects if the stream breaks. */
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
 * Calls `take` with each value that `sendMessage` sends at the other end. Byte arrays are views of their message. A message that cannot be read (it may
 * nest deeper than the stack of this process allows) destroys the stream with its error.
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

/** Written to standard error by a process that ends because of its processor time; too much memory ends it with the same signal. */
export const OUT_OF_TIME = 'out of processor time\n';

/** A message to a process, with the processor time that the work on it may take, in seconds. */
export interface Request<Message> {
  message: Message;
  seconds: number | undefined;
}

/** A file to parse in a worker process. */
export interface ParseTask extends Pick<ParseOptions, 'passwords' | 'recognized'> {
  bytes: Uint8Array;
  source: string;
  file_type: string;
  /** Number of archives or mails that contain it. */
  depth?: number;
}

/** A parsed document, or its error as data: between processes a KbError would lose its code and its hint. */
export type ParseOutcome =
  | { parsed: ParsedDocument }
  | { failed: Pick<KbError, 'code' | 'message' | 'hasNoText'> & { hint: Hint | undefined } };

/** Response of a worker process to a task. */
export interface ParseAnswer {
  outcomes: ParseOutcome[];
  /** Resident memory of the process afterwards, in bytes. */
  resident: number;
}
