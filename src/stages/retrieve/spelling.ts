import { subjectTerms } from '../../languages/question.ts';
import { languageOf } from '../../languages/detect.ts';
import { distance } from '../../core/nearest.ts';
import { ownTerms, terms } from '../../text/terms.ts';

/** A word that may be misspelt: small letters alone. Names, codes and what is written in another script are left as they are. */
const MAY_BE_MISSPELT = /^(?:\p{Lu}\p{Ll}|\p{Ll}{2})\p{Ll}+$/u;
const WORD = /(?<![\p{L}\p{N}_./@#-])\p{L}+(?![\p{L}\p{N}_/@#]|[.-][\p{L}\p{N}])/gu;

/** Letters from which a word may differ by a changed letter («maximun») or one too many, and by two: shorter words that do are others («band», «bank»). */
const CHANGED = 6;
const TWO = 9;

/** Letters of a word that is put right, at least. */
const SHORTEST = 4;

/** Whether both are the same letters. */
const isSwapped = (a: string, b: string): boolean => [...a].toSorted().join('') === [...b].toSorted().join('');

/** How far two words are from each other; Infinity for such as are not misspelt for each other. */
function farness(word: string, known: string): number {
  if (known[0] !== word[0] || Math.abs(known.length - word.length) > 2 || known.length < SHORTEST) return Infinity;
  if (word.length < CHANGED && ownTerms(known).length === 0) return Infinity;
  const far = distance(word, known);
  if (far > (word.length >= TWO ? 2 : 1)) return Infinity;
  const isLacking = known.length > word.length || isSwapped(word, known);
  return word.length >= CHANGED || isLacking ? far : Infinity;
}

/** The words of texts, those of most texts first. */
function wordsOf(texts: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const text of texts) for (const word of new Set(text.match(/\p{Ll}+/gu))) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts].toSorted(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)).map(([word]) => word);
}

/** The word of the texts that one was meant to be: the nearest, and of equally near ones that of most texts. */
function meantBy(word: string, vocabulary: readonly string[]): string | undefined {
  let [best, least]: [string | undefined, number] = [undefined, Infinity];
  for (const known of vocabulary) {
    const far = farness(word, known);
    if (far < least) [best, least] = [known, far];
  }
  return best;
}

/**
 * The query with the words that none of the texts holds put right after those that they do hold, where these differ by a letter or two. The texts are what a
 * search for the query found: a word that any document holds is in one of them. Undefined where nothing is to be put right; where a word is left that they
 * don't hold, which then asks about something else (every twentieth question about another subject has a word like one of theirs); and where the query is in
 * another language than the first text.
 */
export function correctSpelling(query: string, found: readonly string[]): string | undefined {
  const texts = found.map((text) => text.toLowerCase());
  const isHeld = (word: string) => [word, ...terms(word)].some((form) => texts.some((text) => text.includes(form)));
  const telling = new Set(subjectTerms(query));
  const words = Array.from(query.matchAll(WORD), ([word]) => word);
  const unknown = new Set(words.filter((word) => terms(word).some((term) => telling.has(term)) && !isHeld(word.toLowerCase())));
  const isMisspelt = (word: string) =>
    word.length >= SHORTEST && MAY_BE_MISSPELT.test(word) && (word === words[0] || !/^\p{Lu}/u.test(word));
  if (unknown.size === 0 || ![...unknown].every(isMisspelt)) return undefined;
  const [asked, written] = [languageOf(query), languageOf(texts[0] ?? '')];
  if (asked !== undefined && written !== undefined && asked !== written) return undefined;
  const vocabulary = wordsOf(texts);
  const right = new Map([...unknown].map((word) => [word, meantBy(word.toLowerCase(), vocabulary)]));
  return [...right.values()].every(Boolean) ? query.replace(WORD, (word) => right.get(word) ?? word) : undefined;
}
