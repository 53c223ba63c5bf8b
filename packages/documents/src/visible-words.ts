// The invariant of every format: the words that a reader of a file sees are in the Markdown that is stored. Order and white space are ignored.

/** The text that a reader of a file sees, compared with the Markdown that was made of it. */
export interface Completeness {
  /** Number of visible words. */
  words: number;
  /** Visible words that the Markdown lacks, in order. A word that it holds too few times is listed once for each time. */
  missing: string[];
}

/** Characters of scripts that put no spaces between words: each counts as a word. */
const UNSPACED = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}`;
const CHARACTERS = new RegExp(String.raw`[${UNSPACED}]\p{M}*|[^${UNSPACED}]+`, 'gu');
const WORD = /[\p{L}\p{N}\p{M}]+/gu;
const PLAIN_WORD = /[a-z\d]+/g;
/** Characters beyond ASCII and its quotes, dashes and bullets. */
// oxlint-disable-next-line no-control-regex
const BEYOND_PLAIN = /[^\x00-\x7f\u2010-\u205e]/;
const MAY_BE_UNSPACED = /[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\uffff]/;
/** Characters without a width, marks of emphasis within words, and backslashes that escape. */
const INVISIBLE = /[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff*`~^\\]/g;
const ADDRESS = /\]\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*(?:\s+"[^"\n]*")?\)/g;
const LINE_BREAK = /<br\s*\/?>/gi;
const TAG = /<\/?[a-z][^<>]*>/gi;

/** Removes the addresses of links from Markdown. */
export const withoutAddresses = (markdown: string): string => markdown.replace(ADDRESS, '] ');

/** Splits a text into words, without case, ligatures and emphasis. */
export const wordsOf = (text: string): string[] => text.split('\n').flatMap(wordsOfLine);

function wordsOfLine(line: string): string[] {
  const lower = line.replace(INVISIBLE, '').toLowerCase();
  if (!BEYOND_PLAIN.test(lower)) return lower.match(PLAIN_WORD) ?? [];
  const words = lower.normalize('NFKC').toLowerCase().match(WORD) ?? [];
  return MAY_BE_UNSPACED.test(lower) ? words.flatMap((word) => word.match(CHARACTERS) ?? []) : words;
}

/** Compares the text that a reader of a file sees with the Markdown that was made of it. */
export const compareWords = (visible: string, markdown: string): Completeness => withoutJoins(findMissing(visible, markdown));

/** Leaves out missing words that one side splits. Joins words only where one is missing or begins like one: that takes long. */
function withoutJoins({ words, stored, counts, isMissing }: Comparison): Completeness {
  const beginnings = new Set<string>();
  for (const [i, word] of words.entries()) if (isMissing[i]) for (let end = 1; end <= MAX_BEGINNING; end++) beginnings.add(word.slice(0, end)); // prettier-ignore
  const isBeginning = (word: string): boolean => beginnings.has(word.length > MAX_BEGINNING ? word.slice(0, MAX_BEGINNING) : word);
  const joins = new Set<string>();
  for (let i = 0; i < stored.length; i++)
    for (let k = i + 1, join = stored[i]!; k < i + MAX_JOINED && k < stored.length && isBeginning(join); k++) {
      join += stored[k]!;
      if (isBeginning(join)) joins.add(join);
    }
  for (let i = 0, last = isMissing.indexOf(true); last >= 0; last = isMissing.indexOf(true, last + 1))
    for (i = Math.max(i, last - MAX_JOINED + 1); i <= last; i++) {
      if (joins.has(words[i]!)) isMissing[i] = false;
      for (const [k, join] of joinsAt(words, i).entries()) if (counts.has(join)) isMissing.fill(false, i, i + k + 2);
    }
  return { words: words.length, missing: words.filter((_, i) => isMissing[i]) };
}

interface Comparison {
  /** Visible words, and whether the Markdown lacks them. */
  words: readonly string[];
  isMissing: boolean[];
  /** Words of the Markdown, and how often it has each. */
  stored: readonly string[];
  counts: ReadonlyMap<string, number>;
}

/** Finds the visible words that the Markdown lacks, or splits otherwise. */
function findMissing(visible: string, markdown: string): Comparison {
  const words = wordsOf(visible);
  const text = withoutAddresses(markdown);
  const stored = wordsOf(text.replace(LINE_BREAK, ' ').replace(TAG, ''));
  const counts = countWords(stored);
  // tags may also be text, for instance in code
  if (text.includes('<')) for (const [word, count] of countWords(wordsOf(text))) counts.set(word, Math.max(count, counts.get(word) ?? 0));
  const left = new Map(counts);
  const isMissing = words.map((word) => {
    const count = left.get(word) ?? 0;
    left.set(word, count - 1);
    return count <= 0;
  });
  return { words, stored, counts, isMissing };
}

function countWords(words: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

/** Maximum adjacent words that are joined: a word may be hyphenated at the end of a line, or consist of several runs. */
const MAX_JOINED = 4;
/** Maximum characters of a word by which its joins are looked for. */
const MAX_BEGINNING = 12;

/** Joins the word at an index with the next one, the next two, and so on. */
function joinsAt(words: readonly string[], start: number): string[] {
  const joins: string[] = [];
  let join = words[start]!;
  for (let i = start + 1; i < Math.min(words.length, start + MAX_JOINED); i++) joins.push((join += words[i]!));
  return joins;
}

/** Share of missing words from which a document is reported: fewer may be numbers of pages and marks of lists. */
const REPORTED_SHARE = 0.02;

/** Returns the number of visible words that the Markdown of a document lacks, if they are more than a few percent of all. */
export function countMissing(visible: string, markdown: string): number | undefined {
  const comparison = findMissing(visible, markdown);
  const { words, isMissing } = comparison;
  const isReported = (count: number): boolean => count > words.length * REPORTED_SHARE;
  if (!isReported(isMissing.filter(Boolean).length)) return undefined;
  const { missing } = withoutJoins(comparison);
  return isReported(missing.length) ? missing.length : undefined;
}
