import { analyse, UNSPACED } from './analyse.ts';

/**
 * Analysed runs of text without white space: a text repeats its words, so nearly all are found here. Each run has one place, by its FNV-1a hash,
 * and gives it up to the next one; so the table stays small, and a run is found without making a string of it.
 */
const PLACES = 1 << 17;
/** Longer runs come once, mostly: they are not kept. */
const KNOWN_LENGTH = 32;
const known: ({ run: string; terms: readonly string[] } | undefined)[] = Array.from({ length: PLACES }, () => undefined);

function learn(run: string, place: number): readonly string[] {
  const found = analyse(run);
  if (run.length <= KNOWN_LENGTH) known[place] = { run, terms: found };
  return found;
}

const isSpace = (code: number): boolean => code === 32 || (code >= 9 && code <= 13) || (code > 127 && /\s/.test(String.fromCharCode(code)));

/**
 * What a text is found by: its words, normalized and stemmed, in their order, none with white space in it. Identifiers stand whole beside
 * their parts (`ERR-4042`: `err-4042`, `err`, `4042`), so that what only looks alike shares fewer terms. Texts and queries are analysed alike.
 */
export function terms(text: string): string[] {
  const found: string[] = [];
  let start = 0;
  let hash = 0;
  for (let at = 0; at <= text.length; at++) {
    const code = at < text.length ? text.charCodeAt(at) : 32;
    if (!isSpace(code)) {
      hash = Math.imul(hash ^ code, 16_777_619);
      continue;
    }
    if (at > start) {
      const place = hash & (PLACES - 1);
      const before = known[place];
      const isKnown = before && before.run.length === at - start && text.startsWith(before.run, start);
      for (const term of isKnown ? before.terms : learn(text.slice(start, at), place)) found.push(term);
    }
    start = at + 1;
    hash = 0;
  }
  return found;
}

/** English words that say how a question is asked, not what about; stemmed as `terms` stems them. */
const FUNCTION_WORDS = new Set(
  terms(
    `a about after again all also am an and any are as at be because been before being but by can could did do does doing don for from had has have having he her here
    hers him his how i if in into is it its itself just let ll me my no nor not of off on once only or our ours out over own please re s same she should so
    some such t tell than that the their theirs them then there these they this those through to too under until up us ve very was we were what when where which while who whom
    whose why will with would you your yours`,
  ),
);

/** The terms of a text that say what it is about: without English function words, and without single letters of unspaced scripts that stand in a pair. */
export function ownTerms(text: string): string[] {
  const all = terms(text);
  const paired = new Set(all.filter((term) => term.search(UNSPACED) === 0 && term.length > 1).flatMap((term) => [...term]));
  return all.filter((term) => !FUNCTION_WORDS.has(term) && !paired.has(term));
}

/** The terms of a query: those that say what it is about, or all, where there are no such. */
export function queryTerms(text: string): string[] {
  const telling = ownTerms(text);
  return telling.length > 0 ? telling : terms(text);
}

/** Terms that a query is searched by: a longer one is a text that was pasted, and each term takes time in the index. */
const MOST_SEARCHED = 1_000;

/** The terms that a query is searched by: the first ones of those that say what it is about. */
export const searchedTerms = (query: string): string[] => queryTerms(query).slice(0, MOST_SEARCHED);
