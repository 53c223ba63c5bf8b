import type { StoredChunk } from '../../../ports/stores.ts';

/** Bytes of decoded chunks that a store keeps, of all its collections together: some 15,000 chunks of 1,000 characters with 384 dimensions. */
const MOST_BYTES = 64 * 2 ** 20;

/**
 * Chunks that searches have read, within a bound of bytes: the one that was not asked for longest goes first. Reading a row takes LanceDB a quarter of a
 * millisecond of processor time, and a hybrid search reads 200 of them; most searches find what others found before. A `snapshot` names a table and its
 * version: what another version holds under an id is another chunk.
 */
export class ChunkCache {
  readonly #chunks = new Map<string, StoredChunk>();
  readonly #most: number;
  #bytes = 0;

  constructor(most = MOST_BYTES) {
    this.#most = most;
  }

  /** Bytes that the chunks take, about. */
  get bytes(): number {
    return this.#bytes;
  }

  get(snapshot: string, id: string): StoredChunk | undefined {
    const key = keyOf(snapshot, id);
    const chunk = this.#chunks.get(key);
    if (chunk && this.#chunks.delete(key)) this.#chunks.set(key, chunk); // a Map keeps its entries in the order in which they were set
    return chunk;
  }

  add(snapshot: string, chunk: StoredChunk): void {
    const key = keyOf(snapshot, chunk.id);
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

const keyOf = (snapshot: string, id: string): string => `${snapshot} ${id}`;

/** Texts at two bytes a character, and as much again as small objects take. */
function bytesOf({ text, embed_text = '', metadata, vector }: StoredChunk): number {
  return 2 * (text.length + embed_text.length + JSON.stringify(metadata).length) + (vector?.byteLength ?? 0) + 500;
}
