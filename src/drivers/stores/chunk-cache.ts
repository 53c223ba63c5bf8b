import type { StoredChunk } from '../../ports/stores.ts';

/** Bytes of decoded chunks that a store keeps, of all its collections together: some 15,000 chunks of 1,000 characters with 384 dimensions. */
const MOST_BYTES = 64 * 2 ** 20;

/**
 * Keeps chunks that searches have read, up to a number of bytes; the least recently used goes first. Reading a row takes LanceDB a quarter of a millisecond
 * of processor time, and a hybrid search reads 200 of them; Qdrant sends 400 kB for as many. Most searches find what others found before. A key names one
 * state of a chunk, which never changes: its table and version, or its point.
 */
export class ChunkCache {
  readonly #chunks = new Map<string, StoredChunk>();
  readonly #most: number;
  #bytes = 0;

  constructor(most = MOST_BYTES) {
    this.#most = most;
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
    this.#bytes += bytesOf(chunk);
    for (const oldest of this.#chunks.keys()) {
      if (this.#bytes <= this.#most) break;
      this.#remove(oldest);
    }
  }

  #remove(key: string): void {
    const chunk = this.#chunks.get(key);
    if (chunk && this.#chunks.delete(key)) this.#bytes -= bytesOf(chunk);
  }
}

/** Ranking adds hashes and counts of the terms to a chunk, 4 bytes each; there is a term for six characters. */
const ANALYSED = 2;

/** Estimates the bytes of a chunk: two for each character, its analysed terms, and some for small objects. */
function bytesOf({ text, embed_text = '', metadata, vector }: StoredChunk): number {
  const analysed = ANALYSED * (embed_text || text).length;
  return 2 * (text.length + embed_text.length + JSON.stringify(metadata).length) + analysed + (vector?.byteLength ?? 0) + 500;
}
