import type { SourceContent, StoredSource } from '../../ports/stores.ts';
import type { Metadata } from '../../schema/items.ts';

/** Counts a chunk of the source in. A source whose chunks are of several versions has none: it was left half-way by something, and counts as changed. */
export function countSources(found: Map<string, StoredSource>, chunk: Omit<StoredSource, 'chunks'>): void {
  const known = found.get(chunk.source);
  if (!known) return void found.set(chunk.source, { ...chunk, chunks: 1 });
  known.chunks++;
  known.chunk_count = Math.max(known.chunk_count, chunk.chunk_count);
  if (known.version !== chunk.version) known.version = '';
}

/** Counts a chunk of the source in; `metadata` is JSON, of which that of the first chunk is read. */
export function countContent(
  found: Map<string, SourceContent>,
  source: string,
  { metadata, characters }: { metadata: string; characters: number },
): void {
  const known = found.get(source);
  if (!known) return void found.set(source, { chunks: 1, characters, metadata: JSON.parse(metadata) as Metadata });
  known.chunks++;
  known.characters += characters;
}
