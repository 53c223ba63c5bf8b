import type { SourceContent, StoredSource } from '../../ports/stores.ts';
import type { Metadata } from '../../schema/items.ts';

/** Adds a chunk to the counts of its source. A source with chunks of several versions is incomplete: it gets no version, so that it counts as changed. */
export function countChunk(found: Map<string, StoredSource>, chunk: Omit<StoredSource, 'chunks'>): void {
  const known = found.get(chunk.source);
  if (!known) return void found.set(chunk.source, { ...chunk, chunks: 1 });
  known.chunks++;
  known.chunk_count = Math.max(known.chunk_count, chunk.chunk_count);
  if (known.version !== chunk.version) known.version = '';
}

/** Counts distinct names by a hash of 53 bits, without keeping them. Among a million names, two share a hash in one of some 20,000 collections. */
export class DistinctCounter {
  readonly #hashes = new Set<number>();

  get size(): number {
    return this.#hashes.size;
  }

  add(name: Uint8Array): void {
    let [a, b] = [0xdeadbeef, 0x41c6ce57];
    for (let i = 0; i < name.length; i++) {
      a = Math.imul(a ^ name[i]!, 2_654_435_761);
      b = Math.imul(b ^ name[i]!, 1_597_334_677);
    }
    a = Math.imul(a ^ (a >>> 16), 2_246_822_507) ^ Math.imul(b ^ (b >>> 13), 3_266_489_909);
    b = Math.imul(b ^ (b >>> 16), 2_246_822_507) ^ Math.imul(a ^ (a >>> 13), 3_266_489_909);
    this.#hashes.add(2 ** 32 * (b & 0x1fffff) + (a >>> 0));
  }
}

/** Adds a chunk to the content of its source; `metadata` is JSON, and is read for the first chunk only. */
export function countChunkContent(
  found: Map<string, SourceContent>,
  source: string,
  { metadata, characters }: { metadata: string; characters: number },
): void {
  const known = found.get(source);
  if (!known) return void found.set(source, { chunks: 1, characters, metadata: JSON.parse(metadata) as Metadata });
  known.chunks++;
  known.characters += characters;
}
