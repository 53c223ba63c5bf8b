// How much of a page's text an extraction kept: what extraction.ts measures.

/** What is known of one page of a set: the whole text that it is about, or phrases that belong to it and phrases that do not. */
export interface Expectation {
  text?: string | undefined;
  must_include?: readonly string[] | undefined;
  must_not_include?: readonly string[] | undefined;
}

export interface Score {
  recall: number;
  precision: number;
  f1: number;
  /** Phrases that are there, of those that must be. */
  kept: number;
  wanted: number;
  /** Phrases that are there, of those that must not be. */
  strayed: number;
  unwanted: number;
}

/** Scripts that are written without spaces: a letter counts as a word. */
const UNSPACED = /[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/;

const plain = (text: string): string => text.normalize('NFKC').toLowerCase();
const wordsOf = (text: string): string[] =>
  [...plain(text).matchAll(/[\p{L}\p{N}_]+/gu)].flatMap(([word]) => (UNSPACED.test(word) ? [...word] : word));
const lettersOf = (text: string): string => plain(text).replace(/[^\p{L}\p{N}]+/gu, '');

/** The words that Markdown shows: of links and pictures their text. */
const shownWords = (markdown: string): string =>
  markdown
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/<!--.*?-->/gs, ' ')
    .replace(/\\([!-/:-@[-`{-~])/g, '$1');

function counted(words: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

/** Compares words as bags, whatever their order, and phrases by their letters and digits alone. */
export function scored(markdown: string, { text, must_include = [], must_not_include = [] }: Expectation): Score {
  const words = shownWords(markdown);
  const [expected, got] = [wordsOf(text ?? ''), wordsOf(words)];
  const left = counted(got);
  let common = 0;
  for (const [word, count] of counted(expected)) common += Math.min(count, left.get(word) ?? 0);
  const [recall, precision] = [common / Math.max(1, expected.length), common / Math.max(1, got.length)];
  const letters = `${lettersOf(words)}\0${lettersOf(markdown)}`;
  const here = (phrases: readonly string[]) => phrases.map(lettersOf).filter((phrase) => phrase !== '' && letters.includes(phrase)).length;
  const real = (phrases: readonly string[]) => phrases.filter((phrase) => lettersOf(phrase) !== '').length;
  return {
    recall,
    precision,
    f1: common === 0 ? 0 : (2 * recall * precision) / (recall + precision),
    kept: here(must_include),
    wanted: real(must_include),
    strayed: here(must_not_include),
    unwanted: real(must_not_include),
  };
}
