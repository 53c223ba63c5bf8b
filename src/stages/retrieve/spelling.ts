import { subjectTerms } from '../../languages/question.ts';
import { languageOf } from '../../languages/detect.ts';
import { editDistance } from '../../core/nearest.ts';
import { ownTerms, terms } from '../../text/terms.ts';

/** A word that may be misspelt: lower-case letters, perhaps after a capital. Names, codes and other scripts are not corrected. */
const MAY_BE_MISSPELT = /^(?:\p{Lu}\p{Ll}|\p{Ll}{2})\p{Ll}+$/u;
const WORD = /(?<![\p{L}\p{N}_./@#-])\p{L}+(?![\p{L}\p{N}_/@#]|[.-][\p{L}\p{N}])/gu;

/**
 * Minimum length of a word with one changed ("maximun") or extra letter, and of one with two errors: shorter ones are often other words ("band",
 * "bank").
 */
const MIN_CHANGED_LENGTH = 6;
const MIN_TWO_ERRORS_LENGTH = 9;

/** Minimum length of a corrected word; a function word with two swapped letters may be shorter ("teh"). */
const MIN_CORRECTED_LENGTH = 4;

const isAnagram = (a: string, b: string): boolean => [...a].toSorted().join('') === [...b].toSorted().join('');

/** The edit distance of two words; Infinity if one is not a likely misspelling of the other. */
function misspellingDistance(word: string, known: string): number {
  if (known[0] !== word[0] || Math.abs(known.length - word.length) > 2 || known.length < MIN_CORRECTED_LENGTH) return Infinity;
  if (word.length < MIN_CHANGED_LENGTH && ownTerms(known).length === 0) return Infinity;
  const edits = editDistance(word, known);
  if (edits > (word.length >= MIN_TWO_ERRORS_LENGTH ? 2 : 1)) return Infinity;
  const isLacking = known.length > word.length || isAnagram(word, known);
  return word.length >= MIN_CHANGED_LENGTH || isLacking ? edits : Infinity;
}

/** Lists the words of texts, most frequent first; hyphenated ones ("wi-fi") whole and in parts. */
function wordsOf(texts: readonly string[]): string[] {
  const counts = new Map<string, number>();
  const found = (text: string) => new Set([...(text.match(/\p{Ll}+/gu) ?? []), ...(text.match(/(?<!\p{Ll})\p{Ll}+-\p{Ll}+/gu) ?? [])]);
  for (const text of texts) for (const word of found(text)) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts].toSorted(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)).map(([word]) => word);
}

/** Finds the function word that a short word becomes if two adjacent letters are swapped; undefined if there is none. */
function swappedFunctionWord(word: string): string | undefined {
  const swapped = Array.from(word.slice(1), (letter, at) => word.slice(0, at) + letter + word[at] + word.slice(at + 2));
  return word.length < MIN_CORRECTED_LENGTH ? swapped.find((known) => known !== word && ownTerms(known).length === 0) : undefined;
}

/** Finds the nearest word of the vocabulary; of equally near ones the most frequent. */
function nearestWord(word: string, vocabulary: readonly string[]): string | undefined {
  let [best, least]: [string | undefined, number] = [undefined, Infinity];
  for (const known of vocabulary) {
    const far = misspellingDistance(word, known);
    if (far < least) [best, least] = [known, far];
  }
  return best;
}

/**
 * Corrects words of the query that no text contains, by words of the texts that differ by a letter or two. The texts are the hits of the query, so
 * that every word that some document contains is in one of them. Undefined if nothing is corrected, if an unknown word remains (the query is about
 * something else), or if the first text is in another language.
 */
export function correctSpelling(query: string, found: readonly string[]): string | undefined {
  const texts = found.map((text) => text.toLowerCase());
  const occurs = (word: string) => [word, ...terms(word)].some((form) => texts.some((text) => text.includes(form)));
  const topic = new Set(subjectTerms(query));
  const words = Array.from(query.matchAll(WORD), ([word]) => word);
  const unknown = new Set(words.filter((word) => terms(word).some((term) => topic.has(term)) && !occurs(word.toLowerCase())));
  const isMisspelt = (word: string) =>
    (word.length >= MIN_CORRECTED_LENGTH || swappedFunctionWord(word) !== undefined) &&
    MAY_BE_MISSPELT.test(word) &&
    (word === words[0] || !/^\p{Lu}/u.test(word));
  if (unknown.size === 0 || ![...unknown].every(isMisspelt)) return undefined;
  const [queryLanguage, textLanguage] = [languageOf(query), languageOf(texts[0] ?? '')];
  if (queryLanguage !== undefined && textLanguage !== undefined && queryLanguage !== textLanguage) return undefined;
  const vocabulary = wordsOf(texts);
  const corrections = new Map([...unknown].map((word) => [word, swappedFunctionWord(word) ?? nearestWord(word.toLowerCase(), vocabulary)]));
  return [...corrections.values()].every(Boolean) ? query.replace(WORD, (word) => corrections.get(word) ?? word) : undefined;
}
