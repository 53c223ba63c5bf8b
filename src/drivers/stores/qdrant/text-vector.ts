import { searchedTerms, terms } from '../../../base/terms.ts';

// Qdrant has no BM25 index of its own that could be given our terms. It has sparse vectors, and multiplies each number of a query's by the inverse
// document frequency (modifier `idf`: ln((n - df + 0.5) / (df + 0.5) + 1), as in BM25). What is left of BM25 is how often a term stands in a
// chunk, against its length: that is the chunk's vector. https://qdrant.tech/documentation/concepts/indexing/#idf-modifier

/** BM25's usual constants (Robertson and Zaragoza, "The Probabilistic Relevance Framework", 2009): how soon repetition counts no more, how much length counts. */
const K1 = 1.2;
const B = 0.75;
/**
 * Terms of a chunk on average. BM25 takes that of the collection, which is not known when a chunk is written; measured for chunks of 1,000 characters
 * of scifact, nfcorpus, cranfield, squad and hotpotqa it was 90 to 141.
 */
const AVERAGE_LENGTH = 120;

export interface SparseVector {
  indices: number[];
  values: number[];
}

/** A term's place among the 2^32 of a sparse vector: FNV-1a over its UTF-16 units, its bits then mixed as MurmurHash3 ends. Two terms may share one. */
export function indexOf(term: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < term.length; at++) hash = Math.imul(hash ^ term.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** What a chunk is found by; undefined where there is nothing. */
export function textVector(text: string): SparseVector | undefined {
  const found = terms(text);
  if (found.length === 0) return undefined;
  const counts = new Map<number, number>();
  for (const term of found) {
    const index = indexOf(term);
    counts.set(index, (counts.get(index) ?? 0) + 1);
  }
  const length = K1 * (1 - B + (B * found.length) / AVERAGE_LENGTH);
  return {
    indices: [...counts.keys()],
    values: Array.from(counts.values(), (count) => Math.fround((count * (K1 + 1)) / (count + length))),
  };
}

/** What is searched for: each term once. Undefined where there is nothing. */
export function queryVector(text: string): SparseVector | undefined {
  const indices = [...new Set(searchedTerms(text).map(indexOf))];
  return indices.length > 0 ? { indices, values: indices.map(() => 1) } : undefined;
}
