import type { StoredSource } from '../../ports/stores.ts';

/** Counts a chunk of the source in. A source whose chunks are of several versions has none: it was left half-way by something, and counts as changed. */
export function countSources(found: Map<string, StoredSource>, chunk: Omit<StoredSource, 'chunks'>): void {
  const known = found.get(chunk.source);
  if (!known) return void found.set(chunk.source, { ...chunk, chunks: 1 });
  known.chunks++;
  known.chunk_count = Math.max(known.chunk_count, chunk.chunk_count);
  if (known.version !== chunk.version) known.version = '';
}
