import { findSorted } from '../../core/sorted-numbers.ts';
import { languageOf } from '../../languages/detect.ts';
import type { StoredChunk } from '../../ports/stores.ts';
import { hashTerm, ownTerms, terms } from '../../text/terms.ts';

/** The features of a chunk for ranking, computed on first use and kept as long as the chunk is in the cache of its store. */
class AnalysedChunk {
  readonly #chunk: StoredChunk;
  #own: Uint32Array | undefined;
  #held: Uint32Array | undefined;
  #language: { code: string | undefined } | undefined;

  constructor(chunk: StoredChunk) {
    this.#chunk = chunk;
  }

  /** Hashes of its content terms, in order. */
  get own(): Uint32Array {
    return (this.#own ??= Uint32Array.from(ownTerms(indexedText(this.#chunk)), hashTerm));
  }

  /** The language of its text; undefined if unknown. */
  get language(): string | undefined {
    this.#language ??= { code: languageOf(this.#chunk.text) };
    return this.#language.code;
  }

  /** Hashes of its terms, sorted. */
  get #terms(): Uint32Array {
    return (this.#held ??= Uint32Array.from(new Set(terms(indexedText(this.#chunk)).map(hashTerm))).toSorted());
  }

  /** Whether it contains a term. */
  holds(term: string): boolean {
    return findSorted(this.#terms, hashTerm(term)) >= 0;
  }

  /** Computes all features now. */
  analyse(): void {
    void [this.own, this.language, this.#terms];
  }
}

const analyses = new WeakMap<StoredChunk, AnalysedChunk>();

/** The analysis of a chunk, computed once per chunk. */
export function analyseChunk(chunk: StoredChunk): AnalysedChunk {
  const found = analyses.get(chunk) ?? new AnalysedChunk(chunk);
  analyses.set(chunk, found);
  return found;
}

/** The indexed text of a chunk: title, headings and text. */
export const indexedText = ({ text, embed_text, metadata }: StoredChunk): string =>
  embed_text ?? (typeof metadata.title === 'string' ? `${metadata.title}\n\n${text}` : text);

/** The features of a hit. */
interface SimilarityEvidence {
  /** Vector similarity to the query of the best hit and of this one; undefined without vectors. */
  likeness: readonly [greatest: number, own: number] | undefined;
  /** Word share of the hit, with CAPITAL_WEIGHT if there are vectors; undefined if its language is not that of the query. */
  words: number | undefined;
  /** Share of the query that the embedder can read, 0 to 1. */
  coverage: number;
}

/** Weight of the word share relative to two likenesses of weight 1. Chosen, like CAPITAL_WEIGHT, on every other question of `bench/declining.ts`. */
const WORD_WEIGHT = 1.5;

/** Weight of capitalized words in the word share if there are vectors: names separate subjects. Without vectors it only harms. */
export const CAPITAL_WEIGHT = 2;

/**
 * Similarity of a hit to the query, 0 to 1, on one scale in all modes: the weighted mean of both likenesses, weighted by coverage, and of the word
 * share. Without vectors it is the word share; across languages it is the mean of the likenesses. `bench/declining.ts`
 * measures how well it separates questions that SQuAD's paragraphs answer from those of HotpotQA and NFCorpus: area under the curve .989 hybrid, .986
 * in mode vector, .988 in mode text, .964 without vectors.
 */
export function similarity({ likeness, words, coverage }: SimilarityEvidence): number {
  if (!likeness) return words ?? 0;
  const [greatest, own] = likeness;
  if (words === undefined) return (greatest + own) / 2;
  return (coverage * (greatest + own) + WORD_WEIGHT * words) / (2 * coverage + WORD_WEIGHT);
}

/** Scales a cosine to a range from 0 (unrelated texts) to 1 (same meaning). */
export const likenessOf = (cosine: number, [unrelated, alike]: readonly [number, number] = [0, 1]): number =>
  Math.min(1, Math.max(0, (cosine - unrelated) / (alike - unrelated)));

/**
 * Default `min_retrieval_score` for searches by words alone: one matching word of two is not enough, two of four are. On the questions of
 * `bench/declining.ts` it loses 3% of those that the collection answers and rejects 78% of the others.
 */
export const MIN_SCORE_BY_WORDS = 0.33;

const WORD = /[A-Za-z0-9]+(?:[-_.]+[A-Za-z0-9]+)*/g;
/** Ordinary words with digits: `16th`, `1990s`. */
const ORDINAL = /^\d+(?:st|nd|rd|th|s)$/i;

/** Identifiers, with a letter and a digit or an underscore: `ERR-4042`, `foo_bar`, `v2.3.1`, `HX100`. */
const isIdentifier = (word: string): boolean => /[A-Za-z]/.test(word) && /[\d_]/.test(word) && !ORDINAL.test(word);

/** The identifiers in a query, as indexed terms. */
export function identifiersIn(query: string): string[] {
  const words = Array.from(query.matchAll(WORD), ([word]) => word).filter(isIdentifier);
  return [...new Set(words.flatMap((word) => terms(word).slice(0, 1)))];
}

/** Bonus of a chunk with all identifiers of a query; with some, in proportion. */
const IDENTIFIER_BONUS = 0.25;

/** Returns a function that gives the bonus of a chunk for the identifiers of the query, which ranks it before similar ones; undefined if the query has none. */
export function identifierBonus(query: string): ((chunk: StoredChunk) => number) | undefined {
  const wanted = identifiersIn(query).map((term) => ({ term, part: longestPart(term) }));
  if (wanted.length === 0) return undefined;
  return (chunk) => {
    const plain = indexedText(chunk).toLowerCase();
    if (!wanted.some(({ part }) => plain.includes(part))) return 0; // usual, and much cheaper than analysing the text
    const analysed = analyseChunk(chunk);
    return (IDENTIFIER_BONUS * wanted.filter(({ term }) => analysed.holds(term)).length) / wanted.length;
  };
}

const longestPart = (term: string): string =>
  term.split(/[-_.]+/).reduce((longest, part) => (part.length > longest.length ? part : longest));
