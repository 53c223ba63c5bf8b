import type { StoredChunk } from '../../ports/stores.ts';
import { terms } from '../../text/terms.ts';

/** Everything that a chunk is found by: title and headings before its text. */
export const indexedText = ({ text, embed_text, metadata }: StoredChunk): string =>
  embed_text ?? (typeof metadata.title === 'string' ? `${metadata.title}\n\n${text}` : text);

/** What is known of a hit. */
interface SimilarityEvidence {
  /** How alike to the query the most alike of all hits is, and this one, by their vectors; undefined where there are none to compare. */
  likeness: readonly [greatest: number, own: number] | undefined;
  /** `sharesOf` of the hit, with CAPITAL where there are vectors; undefined where it is in another language than the query. */
  words: number | undefined;
  /** How much of the query the embedder reads, 0 to 1. */
  reads: number;
}

/** How much the share of words counts beside two likenesses of 1 each. Chosen, like CAPITAL, on every other question of `bench/declining.ts`. */
const WORDS = 1.5;

/** How often a word with a capital counts in the share of words that stands beside vectors: names tell subjects apart. By words alone it only harms. */
export const CAPITAL = 2;

/**
 * How similar a hit is to the query, 0 to 1, on one scale in every mode: the mean of both likenesses and the share of words, in which the
 * likenesses count as much as the embedder reads of the query. Without vectors it is the share of words, and across languages the
 * mean of the likenesses alone.
 *
 * `bench/declining.ts` measures how well it tells the questions that SQuAD's paragraphs answer from those of HotpotQA and NFCorpus: area under the
 * curve .989 (the greatest of the first hits, hybrid), .986 in mode vector, .988 in mode text; without vectors .964.
 */
export function similarity({ likeness, words, reads }: SimilarityEvidence): number {
  if (!likeness) return words ?? 0;
  const [greatest, own] = likeness;
  if (words === undefined) return (greatest + own) / 2;
  return (reads * (greatest + own) + WORDS * words) / (2 * reads + WORDS);
}

/** Where a cosine stands between that of texts that have nothing to do with each other and that of texts that say the same: 0 to 1. */
export const likenessOf = (cosine: number, [unrelated, alike]: readonly [number, number] = [0, 1]): number =>
  Math.min(1, Math.max(0, (cosine - unrelated) / (alike - unrelated)));

/**
 * The score from which a passage is taken to be about the query where words alone are compared: from here on one of two words is not enough, two
 * of four are. With the questions of `bench/declining.ts`, 3 % of those that the collection answers are lost, and 78 % of the others score less.
 */
export const MIN_SCORE_BY_WORDS = 0.33;

const WORD = /[A-Za-z0-9]+(?:[-_.]+[A-Za-z0-9]+)*/g;
/** `16th`, `1990s`: words of ordinary language. */
const ORDINAL = /^\d+(?:st|nd|rd|th|s)$/i;

/** Words that hold a letter and beside it a digit or an underscore: `ERR-4042`, `foo_bar`, `v2.3.1`, `HX100`. */
const isIdentifier = (word: string): boolean => /[A-Za-z]/.test(word) && /[\d_]/.test(word) && !ORDINAL.test(word);

/** The exact identifiers in a query, each as the term that texts are indexed under. */
export function identifiersIn(query: string): string[] {
  const words = Array.from(query.matchAll(WORD), ([word]) => word).filter(isIdentifier);
  return [...new Set(words.flatMap((word) => terms(word).slice(0, 1)))];
}

/** What a chunk gains that holds every identifier of a query; the bonus of one that holds some is in proportion. */
const BONUS = 0.25;

/**
 * How much a chunk gains for the identifiers of the query that it holds, so that what only looks like them stands behind it; undefined for a query
 * without any.
 */
export function identifierBonus(query: string): ((chunk: StoredChunk) => number) | undefined {
  const wanted = identifiersIn(query).map((term) => ({ term, part: longestPart(term) }));
  if (wanted.length === 0) return undefined;
  return (chunk) => {
    const text = indexedText(chunk);
    const plain = text.toLowerCase();
    if (!wanted.some(({ part }) => plain.includes(part))) return 0; // nearly always: analysing a text costs more than looking through it
    const held = new Set(terms(text));
    return (BONUS * wanted.filter(({ term }) => held.has(term)).length) / wanted.length;
  };
}

const longestPart = (term: string): string =>
  term.split(/[-_.]+/).reduce((longest, part) => (part.length > longest.length ? part : longest));
