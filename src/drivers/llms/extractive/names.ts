import { queryTerms, terms } from '../../../base/terms.ts';
import { capitalsTell } from '../../../base/word-share.ts';

/** What a question names: it has to stand in a text that answers it. Terms, as `terms` makes them. */
export interface Named {
  /** Names: words with a capital that no sentence begins with, and what stands in quotation marks. */
  names: string[];
  /** Numbers, years and codes. */
  numbers: string[];
}

const WORD = /[\p{L}\p{N}]+(?:[-.'’][\p{L}\p{N}]+)*/gu;
/** What stands before a word that has a capital because a sentence or a quotation begins with it. */
const OPENING = /(?:^|[.?!:]["”»)]*\s+|["“«„(¿¡]\s*)$/u;
/** Characters of such an opening that are looked at: to look at all that stands before each word takes the square of the words. */
const LONGEST_OPENING = 20;
const QUOTED = /["“„«]([^"“”„«»]{2,80})["”“»]/gu;
/** From this share of capitals on, among four words or more, they are a style and name nothing. */
const STYLE = 0.6;
const CAPITAL = /^\p{Lu}/u;
/** `Jr`, `Dr`: they go with names and are none. */
const ABBREVIATED = /^\p{Lu}\p{Ll}$/u;
/** Whether a term is a number or a code. */
export const hasDigit = (term: string): boolean => /\p{N}/u.test(term);

interface Word {
  word: string;
  /** A sentence or a quotation begins with it. */
  opens: boolean;
}

const wordsOf = (question: string): Word[] =>
  Array.from(question.matchAll(WORD), ({ 0: word, index }) => ({
    word,
    opens: OPENING.test(question.slice(Math.max(0, index - LONGEST_OPENING), index)),
  }));

/** The names, the numbers and the quoted words of a question. A number of one digit is none: it is written as a word, too. */
export function namedIn(question: string): Named {
  const telling = new Set(queryTerms(question));
  const inside = wordsOf(question).filter(({ opens }) => !opens);
  const capitals = inside.filter(({ word }) => CAPITAL.test(word));
  const isStyle = !capitalsTell(question) || capitals.length > STYLE * Math.max(4, inside.length);
  const quoted = Array.from(question.matchAll(QUOTED), ([, text = '']) => text);
  const parts = capitals.flatMap(({ word }) => word.split('-')).filter((part) => CAPITAL.test(part) && !ABBREVIATED.test(part));
  const named = [...(isStyle ? [] : parts), ...quoted].flatMap((text) => terms(text));
  return {
    names: [...new Set(named)].filter((term) => telling.has(term) && !hasDigit(term)),
    numbers: [...telling].filter((term) => hasDigit(term) && term.length > 1),
  };
}

/**
 * What of it a text does not have. A name is there as it is spelled, but for one letter in a long one; as the beginning of a word (`Europe`,
 * `European`); and by its initials (`EU`). A number is there by its digits (`1950s`, `1950`) and a century by its years (`1700s`, `18th`).
 */
export function missingFrom({ names, numbers }: Named, text: string): Named {
  if (names.length + numbers.length === 0) return { names: [], numbers: [] };
  const held = new Set(terms(text));
  const initials = initialsIn(text);
  const isName = (name: string) =>
    held.has(name) || (name.length >= 2 && initials.includes(name)) || [...held].some((term) => isSpelled(name, term));
  const counts = new Set([...held].filter(hasDigit).flatMap(countsOf));
  return {
    names: names.filter((name) => !isName(name)),
    numbers: numbers.filter((number) => !held.has(number) && !countsOf(number).some((count) => counts.has(count))),
  };
}

/** The first letters of words with capitals that stand together, in small ones: `Court of Justice` gives `cj`. */
const initialsIn = (text: string): string =>
  Array.from(text.matchAll(/\p{Lu}[\p{L}'’-]{0,40}(?:\s+(?:(?:of|the|and|for|de)\s+){0,2}\p{Lu}[\p{L}'’-]{0,40})+/gu), ([run]) =>
    Array.from(run.matchAll(/(?<![\p{L}'’])\p{Lu}/gu), ([letter]) => letter.toLowerCase()).join(''),
  ).join(' ');

/** Letters from which a name may be the beginning of a word, and from which it may be written with another letter. */
const [STEM, LONG] = [4, 6];

function isSpelled(name: string, term: string): boolean {
  if (name.length < STEM || term.length < STEM || name[0] !== term[0]) return false;
  if (term.startsWith(name) || name.startsWith(term)) return true;
  const [shorter, longer] = [Math.min(name.length, term.length), Math.max(name.length, term.length)];
  if (shorter < LONG || longer - shorter > 1) return false;
  let start = 0;
  while (start < shorter && name[start] === term[start]) start++;
  let end = 0;
  while (end < shorter - start && name.at(-1 - end) === term.at(-1 - end)) end++;
  return longer - start - end <= 1;
}

/** A number without its ending, and the century that it is or begins. */
function countsOf(number: string): string[] {
  const [, digits, ending = ''] = /^(\d+)(s|st|nd|rd|th)?$/.exec(number) ?? [];
  if (digits === undefined) return [number];
  if (ending === 's' && /^\d{2}00$/.test(digits)) return [digits, `century ${Number(digits.slice(0, 2)) + 1}`];
  return ending === '' || ending === 's' ? [digits] : [digits, `century ${digits}`];
}
