import { queryTerms, terms } from '../../../base/terms.ts';
import { hasDigit } from './names.ts';

const SEPARATOR = /[\s,;:.?!()"“”«»/|]+/u;

/** A text as words in their order, a term each; undefined where a word is a number, a code or several terms. */
const wordsOf = (text: string): (string | undefined)[] =>
  text.split(SEPARATOR).map((word) => {
    const [term, ...more] = terms(word);
    return term === undefined || more.length > 0 || hasDigit(term) ? undefined : term;
  });

const pairsAmong = (words: readonly (string | undefined)[]): string[] =>
  words.flatMap((word, i) => (word !== undefined && words[i + 1] !== undefined ? [`${word} ${words[i + 1]}`] : []));

/** The pairs of telling words that stand together in a question (`water tank`, `commercial use`): they name one thing between them. */
export function pairsOf(question: string): Set<string> {
  const telling = new Set(queryTerms(question));
  return new Set(pairsAmong(wordsOf(question).map((word) => (word !== undefined && telling.has(word) ? word : undefined))));
}

/** Whether a text names a thing of the same kind, and not the one that is asked for: `steam pressure` where the pair is `brew pressure`. */
export function isOfAnother(text: string, pairs: ReadonlySet<string>): boolean {
  const own = [...pairsOf(text)];
  return [...pairs].some((pair) => !own.includes(pair) && own.some((other) => other.split(' ')[1] === pair.split(' ')[1]));
}

/** Those of the pairs that a text has, one word right behind the other. */
export const pairsIn = (text: string, pairs: ReadonlySet<string>): Set<string> => new Set(pairsAmong(wordsOf(text))).intersection(pairs);
