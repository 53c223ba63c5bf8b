import { terms } from '../../base/terms.ts';
import type { StoredChunk } from '../../ports/stores.ts';
import { indexedText } from './similarity.ts';

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
