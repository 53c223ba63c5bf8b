import type { Collection, Hit, StoredChunk } from '../../ports/stores.ts';
import { hashTerm, ownTerms } from '../../text/terms.ts';
import { analyseChunk } from './similarity.ts';
import { asksListing } from '../../languages/question.ts';

/** Name of a search arm: by keywords (BM25) or by vectors. */
export type ArmName = 'text' | 'vector';

/** The results of one kind of search, best first. */
export interface Arm {
  hits: readonly Hit[];
  /** The requested number of hits; a list of that length may be cut off. */
  limit: number;
  /** The score of an unrelated chunk. Default: 0. */
  floor?: number;
  /** 0 to 1; the weights of all arms add up to 1. */
  weight: number;
  /** The score of a chunk that another arm found, if known. */
  score?: (chunk: StoredChunk) => number | undefined;
}

/** Rank (from 1) and score of a chunk in an arm; without a rank if the arm does not list it. */
interface ArmRank {
  rank?: number;
  score: number;
}

/** Adjustments of a fused score after fusion. */
export interface Rescored {
  /** For word pairs of the query. */
  bigrams?: number;
  /** For its similarity to the mean of the best passages. */
  centroid?: number;
  /** For a table of contents, an index or a change log. */
  page_kind?: number;
  /** For a short fragment of a longer document, such as a heading with a line, which resembles many questions and answers none. */
  length?: number;
}

/** A chunk with its scores. `fused` is 0 to 1, plus `bonus`. */
export interface FusedCandidate {
  chunk: StoredChunk;
  fused: number;
  /** The part of `fused` that does not come from an arm. */
  bonus?: number;
  /** Adjustments of `fused` after fusion. */
  rescored?: Rescored;
  ranks: Partial<Record<ArmName, ArmRank>>;
}

/** Sorts candidates by score, best first; ties by id, so that results are reproducible. */
export const sortByScore = (candidates: readonly FusedCandidate[]): FusedCandidate[] =>
  candidates.toSorted((a, b) => b.fused - a.fused || (a.chunk.id < b.chunk.id ? -1 : 1));

/**
 * Fuses rankings: each arm's scores are counted from its floor, divided by its best, weighted and added. A chunk that an arm does not list gets its
 * own score there if known, else the score of the last hit if the list was cut off, else 0. `bonus` is added. On five sets (SciFact, NFCorpus,
 * Cranfield, SQuAD, HotpotQA; whole passages) mean nDCG@10 is .661; unlisted chunks at 0 give .659, z-scores .659, reciprocal ranks (k = 60) .641,
 * the better arm alone .623.
 */
export function fuse(arms: Partial<Record<ArmName, Arm>>, bonus: (chunk: StoredChunk) => number = () => 0): FusedCandidate[] {
  const found = new Map<string, FusedCandidate>();
  const entries = Object.entries(arms) as [ArmName, Arm][];
  for (const [name, { hits }] of entries) {
    for (const [index, { chunk, score }] of hits.entries()) {
      const candidate = found.get(chunk.id) ?? { chunk, fused: 0, ranks: {} };
      candidate.ranks[name] ??= { rank: index + 1, score };
      found.set(chunk.id, candidate);
    }
  }
  const candidates = [...found.values()];
  for (const candidate of candidates) {
    candidate.fused = bonus(candidate.chunk);
    if (candidate.fused > 0) candidate.bonus = candidate.fused;
  }
  for (const [name, arm] of entries) {
    const share = createScale(arm);
    for (const candidate of candidates) {
      const score = candidate.ranks[name]?.score ?? arm.score?.(candidate.chunk);
      if (score !== undefined) candidate.ranks[name] ??= { score };
      candidate.fused += arm.weight * share(score);
    }
  }
  return sortByScore(candidates);
}

/** Returns a function that scales the scores of an arm: the best to 1, the floor to 0. Unlisted chunks get the last score if the list was cut off. */
function createScale({ hits, limit, floor = 0 }: Arm): (score: number | undefined) => number {
  const best = (hits[0]?.score ?? floor) - floor;
  const scaled = (score: number) => (best > 0 ? Math.min(1, Math.max(0, (score - floor) / best)) : 0);
  const unlisted = hits.length >= limit ? scaled(hits.at(-1)!.score) : 0;
  return (score) => (score === undefined ? unlisted : scaled(score));
}

/** The cosine of two vectors. Stored ones may not have unit length. */
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

/** Word pairs of a query: the second terms by the first, with the index of the pair. */
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
 * Computes BM25 scores of chunks for adjacent word pairs of the query, without function words: `foreign key` says more than both words apart. All 0
 * for a query of one word.
 */
function pairScores(query: string, chunks: readonly StoredChunk[]): number[] {
  const { pairs, count } = pairsOf(query);
  const scores = chunks.map(() => 0);
  if (count === 0) return scores;
  const texts = chunks.map((chunk) => analyseChunk(chunk).own);
  const counts = texts.map((found) => countsIn(found, pairs, count));
  const average = texts.reduce((sum, { length }) => sum + length, 0) / texts.length;
  for (let pair = 0; pair < count; pair++) {
    const holding = counts.filter((held) => held[pair]! > 0).length;
    const weight = Math.log(1 + (chunks.length - holding + 0.5) / (holding + 0.5));
    for (const [i, held] of counts.entries()) {
      const frequency = held[pair]!;
      if (frequency > 0) scores[i]! += (weight * frequency * (K1 + 1)) / (frequency + K1 * (1 - B + (B * texts[i]!.length) / average));
    }
  }
  return scores;
}

/** Counts each pair in a text. */
function countsIn(found: Uint32Array, pairs: Pairs, count: number): Uint32Array {
  const pairCounts = new Uint32Array(count);
  for (let at = 1; at < found.length; at++) {
    const pair = pairs.get(found[at - 1]!)?.get(found[at]!);
    if (pair !== undefined) pairCounts[pair]!++;
  }
  return pairCounts;
}

// The weights below were chosen on the development halves of the sets in docs/benchmarks.md "Retrieval".

interface RescoreInput extends Partial<Record<ArmName, Arm>> {
  /** Loads the vectors that the search did not return. */
  withVectors?: Collection['withVectors'];
}

/** Weight of BM25 of word pairs relative to words. */
const PAIR_WEIGHT = 0.4;
/** Number of best candidates that are rescored; the others are too far behind. */
const MAX_RESCORED = 30;

/** Weight of the cosine to the mean vector of the best passages, relative to the cosine to the query. */
const CENTROID_WEIGHT = 0.4;
const CENTROID_PASSAGES = 3;

/** Penalty of a listing if none was requested. */
const LISTING_PENALTY = 0.1;
/** Penalty of a page that says that another version has replaced it: with .1 the old version of a short page still came first for 3 of 9 questions. */
const OUTDATED_PENALTY = 0.3;

/**
 * Maximum penalty of a short passage of a document with several, decreasing to 0 at FULL_LENGTH bytes (bytes, since a letter of an unspaced script
 * says more). With .15 a follow-up finds its passage among the first five in 93 of 100 cases, with .1 in 96.
 */
const SHORT_PENALTY = 0.1;
const FULL_LENGTH = 400;

function kindPenalty(page_kind: unknown, isListingAsked: boolean): number {
  if (page_kind === 'outdated') return OUTDATED_PENALTY;
  return typeof page_kind === 'string' && !isListingAsked ? LISTING_PENALTY : 0;
}

/** Adjusts the fused scores and sorts: by word pairs if words were searched, by similarity to the best if vectors were, too. */
export async function rescore(
  query: string,
  candidates: readonly FusedCandidate[],
  { text, vector, withVectors }: RescoreInput,
): Promise<FusedCandidate[]> {
  const isListingAsked = asksListing(query);
  const sorted = sortByScore(
    candidates.map((candidate) =>
      adjustScore(candidate, {
        page_kind: -kindPenalty(candidate.chunk.metadata.page_kind, isListingAsked),
        length: -SHORT_PENALTY * shortness(candidate.chunk),
      }),
    ),
  );
  const [first, rest] = [sorted.slice(0, MAX_RESCORED), sorted.slice(MAX_RESCORED)];
  const rescored = text ? sortByScore(adjustByBigrams(query, first, text)) : first;
  if (!text || !vector) return sortByScore([...rescored, ...rest]);
  const chunks = await withVectors?.(rescored.map(({ chunk }) => chunk));
  const complete = chunks ? rescored.map((candidate, i) => ({ ...candidate, chunk: chunks[i]! })) : rescored;
  return sortByScore([...adjustByCentroid(complete, vector), ...rest]);
}

function adjustByBigrams(query: string, candidates: readonly FusedCandidate[], { hits, weight }: Arm): FusedCandidate[] {
  const best = hits[0]?.score ?? 0;
  if (best <= 0) return [...candidates];
  const scores = pairScores(
    query,
    candidates.map(({ chunk }) => chunk),
  );
  return candidates.map((candidate, i) => adjustScore(candidate, { bigrams: (weight * PAIR_WEIGHT * scores[i]!) / best }));
}

/** Adds the cosine to the mean vector of the best. */
function adjustByCentroid(candidates: readonly FusedCandidate[], { weight, floor = 0 }: Arm): FusedCandidate[] {
  const vectors = candidates.slice(0, CENTROID_PASSAGES).flatMap(({ chunk }) => chunk.vector ?? []);
  if (vectors.length === 0) return [...candidates];
  const centroid = vectors[0]!.map((_, axis) => vectors.reduce((sum, vector) => sum + vector[axis]!, 0));
  return candidates.map((candidate) => {
    const near = candidate.chunk.vector ? cosineOf(centroid, candidate.chunk.vector) : 0;
    return adjustScore(candidate, { centroid: weight * CENTROID_WEIGHT * Math.max(0, (near - floor) / (1 - floor)) });
  });
}

function adjustScore(candidate: FusedCandidate, changes: Rescored): FusedCandidate {
  const effective = Object.entries(changes).filter(([, change]) => change !== 0);
  if (effective.length === 0) return candidate;
  const fused = effective.reduce((sum, [, change]) => sum + change, candidate.fused);
  return { ...candidate, fused: Math.max(0, fused), rescored: { ...candidate.rescored, ...Object.fromEntries(effective) } };
}

const shortness = ({ text, chunk_count = 1 }: StoredChunk): number =>
  chunk_count > 1 ? Math.max(0, 1 - Buffer.byteLength(text) / FULL_LENGTH) : 0;
