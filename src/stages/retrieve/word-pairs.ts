import { ownTerms } from '../../base/terms.ts';
import type { StoredChunk } from '../../ports/stores.ts';
import { indexedText } from './similarity.ts';

/** BM25's usual constants. */
const K1 = 1.2;
const B = 0.75;

/** The hashes of the own terms of a chunk, in their order: a search meets many chunks that others met before. They go when their chunk goes. */
const analysed = new WeakMap<StoredChunk, Uint32Array>();

/** FNV-1a over the UTF-16 units of a term. */
function hashOf(term: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < term.length; at++) hash = Math.imul(hash ^ term.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}

function termsOf(chunk: StoredChunk): Uint32Array {
  const known = analysed.get(chunk);
  if (known) return known;
  const found = Uint32Array.from(ownTerms(indexedText(chunk)), hashOf);
  analysed.set(chunk, found);
  return found;
}

/** The second terms of a query's pairs by their first, each pair with its number. */
type Pairs = Map<number, Map<number, number>>;

function pairsOf(query: string): { pairs: Pairs; count: number } {
  const own = ownTerms(query).map(hashOf);
  const pairs: Pairs = new Map();
  let count = 0;
  for (const [i, second] of own.slice(1).entries()) {
    const seconds = pairs.get(own[i]!) ?? new Map<number, number>();
    pairs.set(own[i]!, seconds);
    if (!seconds.has(second)) seconds.set(second, count++);
  }
  return { pairs, count };
}

/**
 * What each chunk scores by BM25 for the pairs of words that are neighbours in the query, function words aside: `foreign key` says more than both of its words
 * anywhere. A pair counts the more, the fewer of these chunks hold it. All 0 for a query of one word.
 */
export function pairScores(query: string, chunks: readonly StoredChunk[]): number[] {
  const { pairs, count } = pairsOf(query);
  const scores = chunks.map(() => 0);
  if (count === 0) return scores;
  const texts = chunks.map(termsOf);
  const counts = texts.map((found) => countsIn(found, pairs, count));
  const average = texts.reduce((sum, { length }) => sum + length, 0) / texts.length;
  for (let pair = 0; pair < count; pair++) {
    const holding = counts.filter((held) => held[pair]! > 0).length;
    const weight = Math.log(1 + (chunks.length - holding + 0.5) / (holding + 0.5));
    for (const [i, held] of counts.entries()) {
      const times = held[pair]!;
      if (times > 0) scores[i]! += (weight * times * (K1 + 1)) / (times + K1 * (1 - B + (B * texts[i]!.length) / average));
    }
  }
  return scores;
}

/** How often each pair stands in a text. */
function countsIn(found: Uint32Array, pairs: Pairs, count: number): Uint32Array {
  const held = new Uint32Array(count);
  for (let at = 1; at < found.length; at++) {
    const pair = pairs.get(found[at - 1]!)?.get(found[at]!);
    if (pair !== undefined) held[pair]!++;
  }
  return held;
}
