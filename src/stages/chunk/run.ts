import { setImmediate as others } from 'node:timers/promises';
import { KbError, toErrorItem } from '../../base/errors.ts';
import { progress, throwIfAborted, type Run } from '../../base/run.ts';
import type { Chunking } from '../../schema/config.ts';
import { SourceKind, type Chunk, type Document } from '../../schema/items.ts';
import type { ChunkResult, ErrorItem } from '../../schema/results.ts';
import { chunkDocument } from './chunk.ts';

/** Characters after which the event loop gets its turn: some ten milliseconds of work. */
const TURN = 500_000;

interface ChunkInput {
  documents: readonly Document[];
  chunking: Chunking;
  signal?: AbortSignal | undefined;
}

/** The operation `chunk`: all chunks of all documents. A document without text is an error item. */
export async function* runChunk({ documents, chunking, signal }: ChunkInput): Run<ChunkResult> {
  const items: Chunk[] = [];
  const errors: ErrorItem[] = [];
  let characters = 0;
  for (const [index, document] of documents.entries()) {
    throwIfAborted(signal);
    const chunks = chunkDocument(document, chunking);
    if (chunks.length === 0) errors.push(emptyDocument(document));
    for (const item of chunks) items.push(item);
    yield progress('chunk', { done: index + 1, total: documents.length, chunks: items.length });
    characters += document.text.length;
    if (characters >= TURN) {
      characters = 0;
      await others();
    }
  }
  return { inputs: documents.length, chunks: items.length, items, failed: errors.length, errors };
}

/** The error item of a document that gives no chunk. */
function emptyDocument({ source, metadata }: Document): ErrorItem {
  const kind = SourceKind.safeParse(metadata.source_kind);
  const error = new KbError('invalid', `${source || 'The document'} has no text.`, {
    hint: 'There is nothing in it to find: leave it out, or give it a text.',
  });
  return toErrorItem(error, { source, source_kind: kind.success ? kind.data : 'markdown', stage: 'chunk' });
}
