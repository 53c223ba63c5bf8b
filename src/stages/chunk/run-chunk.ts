import { yieldToEventLoop } from '../../core/concurrency.ts';
import { KbError, toErrorItem } from '../../core/errors.ts';
import { progress, type Run } from '../../core/run.ts';
import type { Chunking } from '../../schema/config.ts';
import { type Chunk, type Document, type ErrorItem, SourceKind } from '../../schema/items.ts';
import type { ChunkResult } from '../../schema/results.ts';
import { splitDocument } from '../text-thread.ts';

interface ChunkInput {
  documents: AsyncIterable<Document> | Iterable<Document>;
  /** Number of documents. */
  total: number;
  chunking: Chunking;
  /** Maximum chunks of all documents. Default: any number. */
  limit?: number | undefined;
  signal?: AbortSignal | undefined;
}

/** The operation `chunk`: splits documents. A document without text is an error item. Throws a KbError (`too_large`) for more chunks than `limit`. */
export async function* runChunk({ documents, total, chunking, limit = Infinity, signal }: ChunkInput): Run<ChunkResult> {
  const items: Chunk[] = [];
  const errors: ErrorItem[] = [];
  const takeTurns = yieldToEventLoop(signal);
  let done = 0;
  for await (const document of documents) {
    await takeTurns();
    const chunks = await splitDocument(document, chunking, limit + 1 - items.length);
    if (chunks.length === 0) errors.push(emptyDocumentError(document));
    for (const item of chunks) items.push(item);
    if (items.length > limit) throw tooManyChunksError(limit);
    yield progress('chunk', { done: ++done, total, chunks: items.length });
  }
  return { inputs: total, chunks: items.length, items, failed: errors.length, errors };
}

const tooManyChunksError = (limit: number): KbError =>
  new KbError('too_large', `The texts give more than ${limit.toLocaleString('en-US')} chunks, the most that one request makes.`, {
    hint: 'Send fewer texts at once, or raise chunk_size.',
  });

function emptyDocumentError({ source, metadata }: Document): ErrorItem {
  const kind = SourceKind.safeParse(metadata.source_kind);
  const error = new KbError('invalid', `${source || 'The document'} has no text.`, {
    hint: 'Add text to it, or leave it out.',
  });
  return toErrorItem(error, { source, source_kind: kind.success ? kind.data : 'markdown', stage: 'chunk' });
}
