import type { Block } from '../../text/markdown/blocks.ts';
import { isSpace, readLine, skipSpace } from '../../text/markdown/lines.ts';
import { firstSentenceStart } from '../../text/sentences.ts';
import { nextSpacelessWord } from './split.ts';

/** The end of the chunk before: its text and its last block. */
export interface Before {
  block: Block;
  start: number;
  end: number;
}

/**
 * Where the overlap of the chunk at `start` begins: at a sentence, a list item or a word, at most `limit` characters before. `start` if there is
 * none: rows, code and headings are not repeated.
 */
export function overlapStart(
  text: string,
  { block, start: earliest, end }: Before,
  { start, limit }: { start: number; limit: number },
): number {
  if (limit <= 0 || (block.kind !== 'paragraph' && block.kind !== 'list')) return start;
  const whole = skipSpace(text, Math.max(block.start, earliest), end);
  const from = start - limit;
  if (from <= whole) return whole;
  if (from >= end) return start;
  const item = block.kind === 'list' ? firstItem(text, from, end) : -1;
  const sentence = item >= 0 ? item : firstSentenceStart(text, from, end);
  const found = sentence >= 0 ? sentence : firstWord(text, from, end);
  return found < end ? found : start;
}

function firstItem(text: string, from: number, end: number): number {
  const window = text.slice(from, end);
  for (let newline = window.indexOf('\n'); newline >= 0; newline = window.indexOf('\n', newline + 1)) {
    const line = readLine(text, from + newline + 1);
    if (line.kind === 'item') return line.start;
  }
  return -1;
}

/** The beginning of the first word at or after `from`; `end` if there is none. */
function firstWord(text: string, from: number, end: number): number {
  for (let at = from; at < end; at++) if (isSpace(text.charCodeAt(at - 1))) return skipSpace(text, at, end);
  const word = nextSpacelessWord(text, from);
  return word >= 0 ? Math.min(word, end) : end;
}
