import type { SourceContent, StoredSource } from '../../ports/stores.ts';
import type { Metadata } from '../../schema/items.ts';

/** Adds a chunk to the counts of its source. A source with chunks of several versions was left incomplete: it gets no version, and counts as changed. */
export function countSources(found: Map<string, StoredSource>, chunk: Omit<StoredSource, 'chunks'>): void {
  const known = found.get(chunk.source);
  if (!known) return void found.set(chunk.source, { ...chunk, chunks: 1 });
  known.chunks++;
  known.chunk_count = Math.max(known.chunk_count, chunk.chunk_count);
  if (known.version !== chunk.version) known.version = '';
}

/** Counts distinct names by 53 bits of a hash, without keeping them. Of a million names, two share a hash once in some 20,000 collections. */
export class NameCount {
  readonly #seen = new Set<number>();

  get size(): number {
    return this.#seen.size;
  }

  add(name: Uint8Array): void {
    let [a, b] = [0xdeadbeef, 0x41c6ce57];
    for (let i = 0; i < name.length; i++) {
      a = Math.imul(a ^ name[i]!, 2_654_435_761);
      b = Math.imul(b ^ name[i]!, 1_597_334_677);
    }
    a = Math.imul(a ^ (a >>> 16), 2_246_822_507) ^ Math.imul(b ^ (b >>> 13), 3_266_489_909);
    b = Math.imul(b ^ (b >>> 16), 2_246_822_507) ^ Math.imul(a ^ (a >>> 13), 3_266_489_909);
    this.#seen.add(2 ** 32 * (b & 0x1fffff) + (a >>> 0));
  }
}

/** Adds a chunk to the content of its source; `metadata` is JSON, and read only of the first chunk. */
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
