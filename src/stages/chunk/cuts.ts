import type { Block } from './block.ts';
import { frameOf } from './frames.ts';
import { readLine } from './lines.ts';
import { cutLine, cutText, cutWord } from './split.ts';
import { skipSpace } from './whitespace.ts';

/** Where a chunk that begins at `start` may end: at `from` at least, so that it is long enough, and at `to` at most. */
export interface Window {
  start: number;
  from: number;
  to: number;
  /** Where the text ends that chunks are made of. */
  end: number;
}

/** Characters of a chunk. */
export interface Sizes {
  longest: number;
  shortest: number;
}

/** What ends a sentence that needs the list or table below it. */
const LEADS_IN = /[:：]/;

/**
 * The end of the chunk that begins at `window.start`, in `blocks[index]`: after a block, else inside the block that does not fit, at its rows, lines,
 * items, sentences, words. A row or a fence that would fit into a chunk is not cut: the chunk is then longer, by less than `shortest` or the header.
 */
export function findCut(
  text: string,
  blocks: readonly Block[],
  { index, window, sizes }: { index: number; window: Window; sizes: Sizes },
): number {
  let at = index;
  let best = -1;
  let poor = -1;
  for (; blocks[at]!.end <= window.to; at++) {
    const block = blocks[at]!;
    if (block.end < window.from || block.kind === 'heading') continue;
    if (LEADS_IN.test(text.charAt(block.end - 1))) poor = block.end;
    else best = block.end;
  }
  if (Math.max(best, poor) >= 0) return best >= 0 ? best : poor;
  const block = blocks[at]!;
  if (block.start >= window.to) return at > index ? blocks[at - 1]!.end : window.to;
  return cutInside(text, block, { window: { ...window, from: Math.max(window.from, block.start + 1) }, sizes });
}

type Cut = (text: string, block: Block, where: { window: Window; sizes: Sizes }) => number;

const cutInside: Cut = (text, block, where) => {
  if (block.kind === 'table') return cutTable(text, block, where);
  if (block.kind === 'fence') return cutFence(text, block, where);
  const { from, to } = where.window;
  const item = block.kind === 'list' ? cutItems(text, from, to) : -1;
  return item >= from ? item : cutText(text, from, to);
};

/** After the last row that fits, after the first one where that is not too long, else inside it. */
const cutTable: Cut = (text, block, { window, sizes }) => {
  const from = Math.max(window.from, block.body);
  const row = text.slice(from, window.to + 1).lastIndexOf('\n');
  if (row >= 0) return from + row;
  const rowStart = Math.max(block.body, window.start + text.slice(window.start, from).lastIndexOf('\n') + 1);
  const rest = text.slice(window.to, rowStart + sizes.longest + 1).indexOf('\n');
  const rowEnd = rest >= 0 ? window.to + rest : block.end;
  const begins = rowStart === block.body ? block.start : rowStart;
  const start = frameOf(text, block, sizes.longest) ? rowStart : begins;
  return wholeEnd(text, { begins, start, end: rowEnd }, { window, sizes }) ?? cutText(text, window.from, window.to);
};

/** After the last line that fits, unless the fence as a whole is short enough. The closing line never stands alone after a cut. */
const cutFence: Cut = (text, block, { window, sizes }) => {
  const whole = wholeEnd(text, { begins: block.start, start: block.start, end: block.end }, { window, sizes });
  if (block.start >= window.start && whole !== undefined) return whole;
  const from = Math.max(window.from, block.body + 1);
  const closing = frameOf(text, block, sizes.longest)?.closing.length ?? 0;
  const to = Math.min(window.to - closing, lastLineStart(text, block) - 2);
  if (from <= to) return cutLine(text, from, to);
  return block.end - window.start <= sizes.longest + sizes.shortest ? block.end : cutWord(text, window.from, window.to);
};

/** Where the last line of a block begins, as far as that is near its end: a closing line is short. */
function lastLineStart(text: string, block: Block): number {
  const near = Math.max(block.body, block.end - 200);
  const newline = text.slice(near, block.end).lastIndexOf('\n');
  return newline < 0 ? block.end : near + newline + 1;
}

interface Whole {
  /** Where that begins which must stay together with it. */
  begins: number;
  start: number;
  end: number;
}

/** Where a chunk ends that takes a row or fence as a whole, and what is too short to stand after it; undefined where that is too long. */
function wholeEnd(text: string, { begins, start, end }: Whole, { window, sizes }: { window: Window; sizes: Sizes }): number | undefined {
  if (end - start > sizes.longest || begins - window.start >= sizes.shortest) return undefined;
  if (window.end - skipSpace(text, end, window.end) >= sizes.shortest) return end;
  return window.end - window.start <= sizes.longest + sizes.shortest ? window.end : undefined;
}

/** Before the last list item within `from` to `to`, of those that are least indented; -1 where none begins there. */
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
