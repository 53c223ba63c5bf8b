import { hashTerm, ownTerms } from '../../text/terms.ts';
import type { StoredChunk } from '../../ports/stores.ts';
import { indexedText } from './similarity.ts';
import { asksListing } from '../../languages/question.ts';
import { type Arm, type ArmName, byScore, type FusedCandidate, type Rescored } from './fuse.ts';

/** The cosine of two vectors. Those of an embedder are of unit length, but a stored one may have come from elsewhere. */
export function cosineOf(a: Float32Array, b: Float32Array): number {
  let [product, lengthA, lengthB] = [0, 0, 0];
  for (let axis = 0; axis < a.length; axis++) {
    product += a[axis]! * b[axis]!;
    lengthA += a[axis]! ** 2;
    lengthB += b[axis]! ** 2;
  }
  return product === 0 ? 0 : product / Math.sqrt(lengthA * lengthB);
}

/** BM25's usual constants. */
const K1 = 1.2;
const B = 0.75;

/** The hashes of the own terms of a chunk, in their order: a search meets many chunks that others met before. They go when their chunk goes. */
const analysed = new WeakMap<StoredChunk, Uint32Array>();

function termsOf(chunk: StoredChunk): Uint32Array {
  const known = analysed.get(chunk);
  if (known) return known;
  const found = Uint32Array.from(ownTerms(indexedText(chunk)), hashTerm);
  analysed.set(chunk, found);
  return found;
}

/** The second terms of a query's pairs by their first, each pair with its number. */
type Pairs = Map<number, Map<number, number>>;

function pairsOf(query: string): { pairs: Pairs; count: number } {
  const own = ownTerms(query).map(hashTerm);
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
function pairScores(query: string, chunks: readonly StoredChunk[]): number[] {
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

// What is chosen here was chosen on the questions of docs/benchmarks.md «Retrieval»: the development halves of two kinds of sets.

type Arms = Partial<Record<ArmName, Arm>>;

/** How much BM25 of word pairs counts beside BM25 of words. */
const PAIRS = 0.4;
/** Candidates that are looked at for word pairs and company: the others are too far behind. */
const LOOKED_AT = 30;

/** How much it counts, beside the cosine to the query, how near a passage is to the middle of the best: what they agree on is what is asked about. */
const COMPANY = 0.4;
const BEST = 5;

/** What a passage loses that lists what there is to read, where no list is asked for. */
const LISTING = 0.1;

/** What the shortest passage loses of a document that has others; from so many bytes on, nothing. Bytes: a letter of an unspaced
 * script says more. With .15 a follow-up finds its passage among the first five in 93 of 100, with .1 in 96. */
const SCRAP = 0.1;
const WHOLE = 400;

/** Candidates in the order of what fusion gave them and of what it can't see. Word pairs count where words were searched, company where vectors were as well. */
export function rescore(query: string, candidates: readonly FusedCandidate[], { text, vector }: Arms): FusedCandidate[] {
  const isAsked = asksListing(query);
  const lowered = byScore(
    candidates.map((candidate) =>
      changed(candidate, {
        page_kind: typeof candidate.chunk.metadata.page_kind === 'string' && !isAsked ? -LISTING : 0,
        length: -SCRAP * scrapShare(candidate.chunk),
      }),
    ),
  );
  const [first, rest] = [lowered.slice(0, LOOKED_AT), lowered.slice(LOOKED_AT)];
  const paired = text ? byScore(byPairs(query, first, text)) : first;
  return byScore([...(text && vector ? byCompany(paired, vector) : paired), ...rest]);
}

function byPairs(query: string, candidates: readonly FusedCandidate[], { hits, weight }: Arm): FusedCandidate[] {
  const best = hits[0]?.score ?? 0;
  if (best <= 0) return [...candidates];
  const scores = pairScores(
    query,
    candidates.map(({ chunk }) => chunk),
  );
  return candidates.map((candidate, i) => changed(candidate, { pairs: (weight * PAIRS * scores[i]!) / best }));
}

/** Candidates, best first, with what they gain by the cosine to the mean vector of the best. */
function byCompany(candidates: readonly FusedCandidate[], { weight, floor = 0 }: Arm): FusedCandidate[] {
  const vectors = candidates.slice(0, BEST).flatMap(({ chunk }) => chunk.vector ?? []);
  if (vectors.length === 0) return [...candidates];
  const middle = vectors[0]!.map((_, axis) => vectors.reduce((sum, vector) => sum + vector[axis]!, 0));
  return candidates.map((candidate) => {
    const near = candidate.chunk.vector ? cosineOf(middle, candidate.chunk.vector) : 0;
    return changed(candidate, { company: weight * COMPANY * Math.max(0, (near - floor) / (1 - floor)) });
  });
}

function changed(candidate: FusedCandidate, changes: Rescored): FusedCandidate {
  const told = Object.entries(changes).filter(([, change]) => change !== 0);
  if (told.length === 0) return candidate;
  const fused = told.reduce((sum, [, change]) => sum + change, candidate.fused);
  return { ...candidate, fused: Math.max(0, fused), rescored: { ...candidate.rescored, ...Object.fromEntries(told) } };
}

const scrapShare = ({ text, chunk_count = 1 }: StoredChunk): number =>
  chunk_count > 1 ? Math.max(0, 1 - Buffer.byteLength(text) / WHOLE) : 0;
