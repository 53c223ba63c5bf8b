import type { MessagePort } from 'node:worker_threads';
import { type ErrorCode, KbError } from '../core/errors.ts';
import { packMarks, type PackedMarks, unpackMarks } from '@citekb/documents/marks';
import type { ParsedDocument } from '../ports/reading.ts';
import type { Chunking } from '../schema/config.ts';
import type { Chunk, Document } from '../schema/items.ts';
import { chunksOf } from './chunk/chunk.ts';
import { type Provenance, toDocument } from './extract/document.ts';
import type { FoundDocument } from './extract/extract.ts';

// The thread that long texts are worked on in (text-thread.ts).

/** A task for the thread, with the marks of its document apart. Chunks are posted to `port`. */
export type TextTask = { marks: PackedMarks } & (
  | { parsed: ParsedDocument; provenance: Provenance }
  | { document: Document; chunking: Chunking; limit: number; port: MessagePort }
);

/** A document with its marks apart, or a foreseen error as data. */
export type TextAnswer =
  | { made: { bare: FoundDocument; marks: PackedMarks } | undefined }
  | { failed: { code: ErrorCode; message: string; hint: string | undefined; hasNoText: boolean } };

/** Chunks of one message: reading it takes the other thread a few milliseconds. */
const CHUNKS_PER_MESSAGE = 500;

/** Runs a task of the pool. */
export default async function runTextTask(task: TextTask): Promise<TextAnswer> {
  try {
    if ('parsed' in task) return { made: await packMarks(toDocument(await unpackMarks(task.parsed, task.marks), task.provenance)) };
    postChunks({ ...task, document: await unpackMarks(task.document, task.marks) });
    return { made: undefined };
  } catch (error) {
    if (!(error instanceof KbError)) throw error;
    const { code, message, hint, hasNoText } = error;
    return { failed: { code, message, hint, hasNoText } };
  }
}

function postChunks({ document, chunking, limit, port }: Extract<TextTask, { port: MessagePort }>): void {
  let batch: Chunk[] = [];
  for (const chunk of chunksOf(document, chunking).take(limit)) {
    if (batch.push(chunk) < CHUNKS_PER_MESSAGE) continue;
    port.postMessage(batch);
    batch = [];
  }
  port.postMessage(batch);
}
