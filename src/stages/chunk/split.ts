import { type Block, fenceMark, isSpace, readLine, skipSpace, trimEnd } from '@citekb/documents/markdown';
import type { BlockWindow } from './block-window.ts';
import { lastSentenceEnd } from '../../text/sentences.ts';

/** Text that completes a chunk that begins or ends inside a table or fence. */
interface Frame {
  /** Before a continuation: the header rows, or the opening line of the fence. */
  opening: string;
  /** After a cut: nothing, or the closing line of the fence. */
  closing: string;
}

/** The frame of a table or fence; undefined for other blocks, and if it would take more than half of a chunk. */
export function frameOf(text: string, block: Block, longest: number): Frame | undefined {
  if (block.kind !== 'table' && block.kind !== 'fence') return undefined;
  if (block.body - block.start > longest / 2) return undefined;
  const opening = `${text.slice(block.start, block.body).trimEnd()}\n`;
  if (block.kind === 'table') return { opening, closing: '' };
  const indent = indentAt(text, block.start);
  return { opening: indent + opening, closing: `\n${indent}${fenceMark(text, block.start)}` };
}

function indentAt(text: string, offset: number): string {
  let start = offset;
  while (text[start - 1] === ' ' || text[start - 1] === '\t') start -= 1;
  return text.slice(start, offset);
}

/** Characters on either side in which a grapheme or an unspaced word is searched for. */
const REACH = 64;

/** First code point of unspaced scripts (Thai, Khmer, kana, Han …). */
const SPACELESS = 0x0e00;

const CLOSING = /[\p{Pe}\p{Pf}\p{Po}]/u;

/** Finds the best cut of prose between `from` and `to`: after a sentence, else a line, a word, a grapheme. */
export function cutText(text: string, from: number, to: number): number {
  const sentence = lastSentenceEnd(text, from, to);
  return sentence >= from ? sentence : cutLine(text, from, to);
}

/** Finds the best cut of code: after a line, else a word, a grapheme. */
export function cutLine(text: string, from: number, to: number): number {
  const line = text.slice(from, to + 1).lastIndexOf('\n');
  return line >= 0 ? from + line : cutWord(text, from, to);
}

/** Finds a cut after a word between `from` and `to`, else between graphemes; it is one after `to` if a surrogate pair requires that. */
export function cutWord(text: string, from: number, to: number): number {
  const word = text.charCodeAt(to) >= SPACELESS ? cutSpaceless(text, from, to) : -1;
  if (word >= from) return word;
  for (let at = to; at >= from; at--) if (isSpace(text.charCodeAt(at))) return at;
  return cutGrapheme(text, from, to);
}

/** Finds a cut before an unspaced word that is not before closing punctuation; -1 if there is none nearby. */
function cutSpaceless(text: string, from: number, to: number): number {
  let at = segmentStart(text, to, 'word');
  for (let tries = 0; at > from && tries < 4 && CLOSING.test(text.charAt(at)); tries++) at = segmentStart(text, at - 1, 'word');
  return at >= from ? at : -1;
}

function cutGrapheme(text: string, from: number, to: number): number {
  if (isAscii(text, to)) return to;
  const grapheme = segmentStart(text, to, 'grapheme');
  if (grapheme >= from) return grapheme;
  if (!isLowSurrogate(text.charCodeAt(to))) return to;
  return to > from ? to - 1 : to + 1;
}

/** Finds the beginning of the next unspaced word; -1 if the script at `offset` has spaces or there is none nearby. */
export function nextSpacelessWord(text: string, offset: number): number {
  if (text.charCodeAt(offset) < SPACELESS) return -1;
  const { start, found, reached } = segmentAround(text, offset, 'word');
  if (!found) return -1;
  const end = start + found.index + found.segment.length;
  return end < reached ? end : -1;
}

/** Finds the beginning of the word or grapheme at `offset`; -1 if it is too far away. */
function segmentStart(text: string, offset: number, granularity: 'word' | 'grapheme'): number {
  const { start, found } = segmentAround(text, offset, granularity);
  return !found || (found.index === 0 && start > 0) ? -1 : start + found.index;
}

function segmentAround(text: string, offset: number, granularity: 'word' | 'grapheme') {
  let start = Math.max(0, offset - REACH);
  if (isLowSurrogate(text.charCodeAt(start))) start += 1;
  const reached = Math.min(text.length, offset + REACH);
  return {
    start,
    reached,
    found: segmenter(granularity)
      .segment(text.slice(start, reached))
      .containing(offset - start),
  };
}

/** Whether the characters before and at `offset` are ASCII. */
function isAscii(text: string, offset: number): boolean {
  return text.charCodeAt(offset) < 128 && text.charCodeAt(offset - 1) < 128;
}

const isLowSurrogate = (code: number): boolean => code >= 0xdc00 && code <= 0xdfff;

const segmenters = new Map<string, Intl.Segmenter>();

/** Returns a cached segmenter; creating one takes milliseconds. */
function segmenter(granularity: 'word' | 'grapheme'): Intl.Segmenter {
  const created = segmenters.get(granularity) ?? new Intl.Segmenter('und', { granularity });
  segmenters.set(granularity, created);
  return created;
}

/** The bounds of a cut: a chunk from `start` ends between `from` (long enough) and `to`. */
export interface CutWindow {
  start: number;
  from: number;
  to: number;
  /** The end of the text to split. */
  end: number;
}

/** Limits in characters. */
export interface Sizes {
  longest: number;
  shortest: number;
}

/** The end of a sentence that introduces a list or table. */
const INTRODUCES = /[:：]/;

/**
 * Finds the end of the chunk that begins at `window.start`, in `blocks.at(index)`: after a block, else inside it, at rows, lines, items, sentences or
 * words. A row or fence that fits into a chunk stays whole; the chunk may then be longer by less than `shortest` or the header.
 */
export function findCut(
  text: string,
  blocks: BlockWindow,
  { index, window, sizes }: { index: number; window: CutWindow; sizes: Sizes },
): number {
  let at = index;
  let best = -1;
  let afterLead = -1;
  for (; blocks.at(at)!.end <= window.to; at++) {
    const block = blocks.at(at)!;
    if (block.end < window.from || block.kind === 'heading') continue;
    if (INTRODUCES.test(text.charAt(block.end - 1))) afterLead = block.end;
    else best = block.end;
  }
  if (Math.max(best, afterLead) >= 0) return best >= 0 ? best : afterLead;
  const block = blocks.at(at)!;
  if (block.start >= window.to) return at > index ? blocks.at(at - 1)!.end : window.to;
  return cutInside(text, block, { window: { ...window, from: Math.max(window.from, block.start + 1) }, sizes });
}

type Cut = (text: string, block: Block, where: { window: CutWindow; sizes: Sizes }) => number;

const cutInside: Cut = (text, block, where) => {
  if (block.kind === 'table') return cutTable(text, block, where);
  if (block.kind === 'fence') return cutFence(text, block, where);
  const { from, to } = where.window;
  const item = block.kind === 'list' ? cutItems(text, from, to) : -1;
  return item >= from ? item : cutText(text, from, to);
};

/** Cuts after the last row that fits, else after the first if it is not too long, else inside it. */
const cutTable: Cut = (text, block, { window, sizes }) => {
  const from = Math.max(window.from, block.body);
  const row = text.slice(from, window.to + 1).lastIndexOf('\n');
  if (row >= 0) return from + row;
  const rowStart = Math.max(block.body, window.start + text.slice(window.start, from).lastIndexOf('\n') + 1);
  const rest = text.slice(window.to, rowStart + sizes.longest + 1).indexOf('\n');
  const rowEnd = rest >= 0 ? window.to + rest : block.end;
  const begins = rowStart === block.body ? block.start : rowStart;
  const start = frameOf(text, block, sizes.longest) ? rowStart : begins;
  return endOfWhole(text, { begins, start, end: rowEnd }, { window, sizes }) ?? cutText(text, window.from, window.to);
};

/** Cuts after the last line that fits, unless the whole fence fits. Never leaves the closing line alone, nor cuts the opening line. */
const cutFence: Cut = (text, block, { window, sizes }) => {
  const whole = endOfWhole(text, { begins: block.start, start: block.start, end: block.end }, { window, sizes });
  if (block.start >= window.start && whole !== undefined) return whole;
  const from = Math.max(window.from, block.body + 1);
  const closing = frameOf(text, block, sizes.longest)?.closing.length ?? 0;
  const to = Math.min(window.to - closing, lastLineStart(text, block) - 2);
  if (from <= to) return cutLine(text, from, to);
  const before = trimEnd(text, window.start, block.start);
  if (block.body > window.to && before > window.start) return before;
  return block.end - window.start <= sizes.longest + sizes.shortest ? block.end : cutWord(text, window.from, window.to);
};

function lastLineStart(text: string, block: Block): number {
  const near = Math.max(block.body, block.end - 200);
  const newline = text.slice(near, block.end).lastIndexOf('\n');
  return newline < 0 ? block.end : near + newline + 1;
}

interface WholeUnit {
  /** The beginning of the text that must stay with it, such as the table header. */
  begins: number;
  start: number;
  end: number;
}

/** The end of a chunk that keeps a row or fence whole, with a rest that is too short; undefined if it would be too long. */
function endOfWhole(
  text: string,
  { begins, start, end }: WholeUnit,
  { window, sizes }: { window: CutWindow; sizes: Sizes },
): number | undefined {
  if (end - start > sizes.longest || begins - window.start >= sizes.shortest) return undefined;
  if (window.end - skipSpace(text, end, window.end) >= sizes.shortest) return end;
  return window.end - window.start <= sizes.longest + sizes.shortest ? window.end : undefined;
}

/** Finds a cut before the last of the least indented list items; -1 if there is none. */
function cutItems(text: string, from: number, to: number): number {
  const window = text.slice(from, to + 1);
  let best = -1;
  let least = Infinity;
  for (let newline = window.indexOf('\n'); newline >= 0; newline = window.indexOf('\n', newline + 1)) {
    const line = readLine(text, from + newline + 1);
    if (line.kind !== 'item' || line.indent > least) continue;
    best = from + newline;
    least = line.indent;
  }
  return best;
}
