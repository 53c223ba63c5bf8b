import type { StoredChunk } from '../../ports/stores.ts';

/** Maximum bytes of decoded chunks in the cache of a store: some 15,000 chunks of 1,000 characters with 384 dimensions. */
const MAX_BYTES = 64 * 2 ** 20;

/**
 * LRU cache of the chunks that searches have read, bounded in bytes. Reading a row takes LanceDB a quarter of a millisecond of processor time, and a hybrid
 * search reads 200 of them; Qdrant sends 400 kB for as many. Most searches find chunks that earlier ones have found. A key identifies one immutable state of
 * a chunk: its row and the version of the table, or its point.
 */
export class ChunkCache {
  readonly #chunks = new Map<string, StoredChunk>();
  readonly #capacity: number;
  #bytes = 0;

  constructor(capacity = MAX_BYTES) {
    this.#capacity = capacity;
  }

  /** Estimated bytes of the chunks. */
  get bytes(): number {
    return this.#bytes;
  }

  get(key: string): StoredChunk | undefined {
    const chunk = this.#chunks.get(key);
    if (chunk && this.#chunks.delete(key)) this.#chunks.set(key, chunk); // a Map keeps its entries in the order in which they were set
    return chunk;
  }

  add(key: string, chunk: StoredChunk): void {
    this.#remove(key);
    this.#chunks.set(key, chunk);
    this.#bytes += estimateBytes(chunk);
    for (const oldest of this.#chunks.keys()) {
      if (this.#bytes <= this.#capacity) break;
      this.#remove(oldest);
    }
  }

  #remove(key: string): void {
    const chunk = this.#chunks.get(key);
    if (chunk && this.#chunks.delete(key)) this.#bytes -= estimateBytes(chunk);
  }
}

/** Ranking adds the terms of a chunk to it: a hash and a count of 4 bytes each, and about six characters make a term. */
const BYTES_PER_ANALYSED_LETTER = 2;

/** Estimates the bytes of a chunk: two for each character, those of its terms and vector, and some for small objects. */
function estimateBytes({ text, embed_text = '', metadata, vector }: StoredChunk): number {
  const analysedBytes = BYTES_PER_ANALYSED_LETTER * (embed_text || text).length;
  return 2 * (text.length + embed_text.length + JSON.stringify(metadata).length) + analysedBytes + (vector?.byteLength ?? 0) + 500;
}
