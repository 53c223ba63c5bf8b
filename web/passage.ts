import { readBlocks } from '@citekb/documents/markdown';

const SEGMENTER = new Intl.Segmenter(undefined, { granularity: 'word' });

/** Minimum share of the words of a statement that a supporting block contains. */
const MIN_SHARE = 0.3;

/** Lists the words of a text in lower case, also of scripts without spaces. */
export const wordsOf = (text: string): string[] =>
  Array.from(SEGMENTER.segment(text.toLowerCase()), ({ segment, isWordLike }) => (isWordLike ? segment : '')).filter(Boolean);

/** Reduces a text to letters and digits, to compare renderings. */
export const bareText = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');

/**
 * Finds the index of the block that most likely supports a statement; -1 if none. Rare words count more; of equal blocks, the shorter wins.
 */
export function findQuotedBlock(blocks: readonly string[], statement: string): number {
  const wanted = new Set(wordsOf(statement));
  const held = blocks.map((block) => new Set(wordsOf(block)));
  const weights = new Map(
    [...wanted].map((word) => [word, Math.log(1 + blocks.length / (1 + held.filter((words) => words.has(word)).length))]),
  );
  const weightOf = (words: Iterable<string>): number => [...words].reduce((sum, word) => sum + weights.get(word)!, 0);
  const totalWeight = weightOf(wanted);
  if (totalWeight === 0) return -1;
  const shares = held.map((words) => weightOf([...wanted].filter((word) => words.has(word))) / totalWeight - words.size / 10_000);
  const best = shares.indexOf(Math.max(...shares));
  return shares[best]! >= MIN_SHARE ? best : -1;
}

/** Maximum characters of a section that is extended by its parent section. */
const MAX_EXTENDED_SECTION = 3_000;
/** Maximum characters of a section that is shown around a passage. */
const MAX_SECTION = 20_000;

interface Heading {
  at: number;
  level: number;
}

const headingsOf = (text: string): Heading[] =>
  readBlocks(text).flatMap(({ kind, start, level }) => (kind === 'heading' ? [{ at: start, level }] : []));

/** Finds a passage in its document. The passage may begin with a repeated heading or table header, which is further up in the document. */
function findPassage(text: string, passage: string): number {
  const whole = text.indexOf(passage.trim());
  if (whole >= 0) return whole;
  const lines = passage.split('\n').filter((line) => line.trim().length > 20 && !/^[|\s:-]+$/.test(line));
  return lines.map((line) => text.indexOf(line.trim())).find((place) => place >= 0) ?? -1;
}

/**
 * Finds the section of a document that holds a passage, with the sections above it as long as they are short; the passage itself if it is
 * not found.
 */
export function sectionAround(text: string, passage: string): string {
  const start = findPassage(text, passage);
  if (start < 0) return passage;
  const end = Math.min(start + passage.length, text.length);
  const headings = headingsOf(text);
  const sectionRange = (top: Heading | undefined): [number, number] => {
    if (!top) return [0, text.length];
    const next = headings.find(({ at, level }) => at >= end && level <= top.level);
    return [top.at, next?.at ?? text.length];
  };
  let top = headings.findLast(({ at }) => at <= start);
  for (let above = top; above;) {
    const { at, level } = above;
    above = headings.findLast((heading) => heading.at < at && heading.level < level);
    const [from, to] = sectionRange(above);
    if (to - from > MAX_EXTENDED_SECTION) break;
    top = above;
  }
  const [from, to] = sectionRange(top);
  return to - from <= MAX_SECTION ? text.slice(from, to).trim() : windowAround(text, { from, to, start, end });
}

/** Selects whole paragraphs around a passage, for a section that is too long. */
function windowAround(text: string, { from, to, start, end }: Record<'from' | 'to' | 'start' | 'end', number>): string {
  const before = text.indexOf('\n\n', Math.max(from, start - MAX_SECTION / 4));
  const after = text.lastIndexOf('\n\n', Math.min(to, end + MAX_SECTION / 4));
  return text.slice(before >= 0 && before < start ? before : start, after > end ? after : end).trim();
}
