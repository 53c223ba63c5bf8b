import type { StoredChunk } from '../../../ports/stores.ts';

/** Bytes of decoded chunks that an open collection keeps: some 15,000 chunks of 1,000 characters with 384 dimensions. */
const MOST_BYTES = 64 * 2 ** 20;

/**
 * Chunks of one version of a table that searches have read, by id. Reading a row takes LanceDB a quarter of a millisecond of processor time, and a hybrid
 * search reads 200 of them; most searches find what others found before.
 */
export class ChunkCache {
  #snapshot = '';
  #chunks = new RecentChunks();

  /** The chunks of a table's version; those of any other are forgotten. `snapshot` names table and version. */
  at(snapshot: string): RecentChunks {
    if (snapshot !== this.#snapshot) {
      this.#snapshot = snapshot;
      this.#chunks = new RecentChunks();
    }
    return this.#chunks;
  }
}

/** Chunks by id within a bound of bytes: the one that was not asked for longest goes first. */
export class RecentChunks {
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

  get(id: string): StoredChunk | undefined {
    const chunk = this.#chunks.get(id);
    if (chunk && this.#chunks.delete(id)) this.#chunks.set(id, chunk); // a Map keeps its entries in the order in which they were set
    return chunk;
  }

  add(chunk: StoredChunk): void {
    this.#remove(chunk.id);
    this.#chunks.set(chunk.id, chunk);
    this.#bytes += bytesOf(chunk);
    for (const id of this.#chunks.keys()) {
      if (this.#bytes <= this.#most) break;
      this.#remove(id);
    }
  }

  #remove(id: string): void {
    const chunk = this.#chunks.get(id);
    if (chunk && this.#chunks.delete(id)) this.#bytes -= bytesOf(chunk);
  }
}

/** Texts at two bytes a character, and as much again as small objects take. */
function bytesOf({ text, embed_text = '', metadata, vector }: StoredChunk): number {
  return 2 * (text.length + embed_text.length + JSON.stringify(metadata).length) + (vector?.byteLength ?? 0) + 500;
}
