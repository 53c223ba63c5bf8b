/** Maximum query vectors that are kept: a question is asked of several collections, then by the chat, and again by others. */
const QUERIES = 1_000;

/** Keeps vectors of queries; the one that was not asked for longest goes first. Who asks for one that is being made waits for it. */
export class QueryCache {
  readonly #vectors = new Map<string, Promise<Float32Array>>();
  readonly #most: number;

  constructor(most = QUERIES) {
    this.#most = most;
  }

  /** Returns the vector of a query; `make` computes an unknown one. A failure is not kept. */
  async get(query: string, make: () => Promise<Float32Array>): Promise<Float32Array> {
    const vector = this.#vectors.get(query) ?? make();
    this.#vectors.delete(query);
    this.#vectors.set(query, vector); // a Map keeps its entries in the order in which they were set
    if (this.#vectors.size > this.#most) this.#vectors.delete(this.#vectors.keys().next().value!);
    try {
      return await vector;
    } catch (error) {
      if (this.#vectors.get(query) === vector) this.#vectors.delete(query);
      throw error;
    }
  }
}
