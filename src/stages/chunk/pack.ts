import { type Block, skipSpace, trimEnd, isSpace, readLine } from '@citekb/documents/markdown';
import type { BlockWindow } from './block-window.ts';
import { type CutWindow, findCut, frameOf, type Sizes, nextSpacelessWord } from './split.ts';
import { firstSentenceStart } from '../../text/sentences.ts';

/** A heading with the text up to the next heading, or the text before the first heading: blocks `first` to `last` (exclusive). */
interface DocumentSection {
  first: number;
  last: number;
  start: number;
  end: number;
  /** The path of headings, outermost first. */
  headings: string[];
  /** The path, made unique; chunk ids are derived from it. */
  key: string[];
  /** Whether it has only headings, rules and comments. */
  isEmpty: boolean;
}

/** Groups blocks into sections, in order. Each page is a section, so that no passage is cited under the page before it. */
export function* toSections(
  blocks: Iterable<Block>,
  startsPage: (block: Block, before: Block) => boolean,
): Generator<DocumentSection, void> {
  const above: Block[] = [];
  const seen = new Map<string, number>();
  let open: DocumentSection | undefined;
  let previous: Block | undefined;
  let index = 0;
  for (const block of blocks) {
    if (block.kind === 'heading') {
      while (above.length > 0 && above.at(-1)!.level >= block.level) above.pop();
      above.push(block);
    }
    if (!open || block.kind === 'heading' || startsPage(block, previous!)) {
      if (open) yield open;
      const headings = above.map(({ title }) => title);
      open = { first: index, last: index, start: block.start, end: block.end, headings, key: makeUnique(headings, seen), isEmpty: true };
    }
    open.last = ++index;
    open.end = block.end;
    open.isEmpty &&= block.kind === 'heading' || block.kind === 'rule' || block.kind === 'comment';
    previous = block;
  }
  if (open) yield open;
}

/** Makes a repeated path unique by a number; headings never contain the zero character. */
function makeUnique(path: string[], seen: Map<string, number>): string[] {
  const name = path.join('\0');
  const earlier = seen.get(name) ?? 0;
  seen.set(name, earlier + 1);
  return earlier === 0 ? path : [...path, `\0${earlier}`];
}

/** Sections that are split together: a long one with the short ones that join it, or several short ones. */
export interface Group {
  first: number;
  last: number;
  start: number;
  end: number;
  /** The section that gives the chunks their headings and ids: the long one, else the first with text. */
  host: DocumentSection;
}

interface Lengths {
  /** Minimum length of a section of its own, in characters. */
  shortest: number;
  /** Limits in characters. */
  longest: number;
}

/**
 * Joins sections that are too short. Short neighbours form a group as soon as it is long enough; a rest joins the section before, or the one after at
 * the beginning of the document. A heading without text joins the text after it. Groups depend only on nearby sections, so that an edit does not
 * change ids elsewhere.
 */
export function* joinShortSections(sections: Iterable<DocumentSection>, { shortest, longest }: Lengths): Generator<Group, void> {
  let previous: Group | undefined;
  let run: DocumentSection[] = [];
  for (const section of sections) {
    const isLong = !section.isEmpty && section.end - section.start >= shortest;
    if (isLong) {
      const headings = joinRun(run, previous);
      if (previous) yield previous;
      previous = groupOf([...headings, section], section);
      run = [];
      continue;
    }
    run.push(section);
    const length = section.end - run[0]!.start;
    if (length >= shortest && (!section.isEmpty || length > longest / 2)) {
      if (previous) yield previous;
      previous = groupOf(run);
      run = [];
    }
  }
  if (run.length > 0 && previous) extend(previous, run);
  if (previous) yield previous;
  else if (run.length > 0) yield groupOf(run);
}

/** Joins a short run to the group before it, and returns the sections that belong to the next one: trailing headings without text. */
function joinRun(run: DocumentSection[], before: Group | undefined): DocumentSection[] {
  if (!before) return run;
  const end = run.findLastIndex((section) => !section.isEmpty) + 1;
  if (end > 0) extend(before, run.slice(0, end));
  return run.slice(end);
}

function extend(group: Group, run: readonly DocumentSection[]): void {
  group.last = run.at(-1)!.last;
  group.end = run.at(-1)!.end;
}

function groupOf(sections: DocumentSection[], host = sections.find((section) => !section.isEmpty) ?? sections[0]!): Group {
  const [first, last] = [sections[0]!, sections.at(-1)!];
  return { first: first.first, last: last.last, start: first.start, end: last.end, host };
}

/** A chunk by its offsets. Its text is `opening`, the document from `from` to `end`, `closing`. */
export interface Piece {
  /** Where the overlap with the chunk before begins; `start` if there is none. */
  from: number;
  /** The bounds of the chunk without overlap. */
  start: number;
  end: number;
  /** Text that completes a table or fence that is continued or cut off. */
  opening: string;
  closing: string;
}

/** Sizes of chunks in characters, with their overlap. */
export interface PackSizes extends Sizes {
  /** Maximum overlap, in characters. */
  overlap: number;
}

interface Packing {
  group: Group;
  sizes: PackSizes;
  /** The chunk before in the same section, if any. */
  before: PreviousChunk | undefined;
}

/**
 * Splits a group into pieces of at most `longest` characters (`findCut` has exceptions), and without overlap at least `shortest`. The window forgets the
 * blocks before each piece.
 */
export function* pack(text: string, blocks: BlockWindow, { group, sizes, before }: Packing): Generator<Piece, void> {
  const labelOf = createRowLabels(text);
  let previous = before;
  let index = group.first;
  for (let start = skipSpace(text, group.start, group.end); ;) {
    blocks.forget(index - 1); // that one may introduce the piece
    const rest = group.end - start;
    const opening = openingAt(text, blocks, { index, offset: start, sizes, labelOf });
    // the last chunk has less overlap, so that no short rest follows it
    const limit = rest <= sizes.longest ? Math.min(sizes.overlap, sizes.longest - rest) : sizes.overlap;
    const isFramed = blocks.at(index)!.kind !== 'list' && opening !== '';
    const from = previous && !isFramed ? overlapStart(text, previous, { start, limit }) : start;
    const room = sizes.longest - opening.length - (start - from);
    const piece: Piece = { from, start, end: group.end, opening, closing: '' };
    if (rest <= room) return void (yield piece);
    const window = createCutWindow(text, { start, end: group.end, room, shortest: sizes.shortest });
    const cut = findCut(text, blocks, { index, window, sizes });
    // a unit that is kept whole beyond the limit leaves no room for the overlap
    if (cut > window.to) piece.from = start;
    if (cut >= group.end) return void (yield piece);
    while (blocks.at(index)!.end < cut) index += 1;
    const block = blocks.at(index)!;
    piece.end = trimEnd(text, start, cut);
    if (cut < block.end) piece.closing = frameAt(text, { block, offset: cut, sizes })?.closing ?? '';
    yield piece;
    previous = { block, start, end: piece.end };
    start = nextStart(text, { block, cut, end: group.end, longest: sizes.longest });
    while (blocks.at(index)!.end <= start) index += 1;
  }
}

/** Bounds the end of a chunk, so that it and the rest are long enough without white space. */
function createCutWindow(
  text: string,
  { start, end, room, shortest }: { start: number; end: number; room: number; shortest: number },
): CutWindow {
  const farthest = start + room;
  const from = Math.min(farthest, skipSpace(text, start + shortest - 1, farthest) + 1);
  const to = trimEnd(text, start, end - shortest + 1) - 1;
  return { start, from, to: Math.max(from, Math.min(farthest, to)), end };
}

/** Maximum length of a caption or introductory line, in characters and as a share of a chunk. */
const MAX_LEAD_LENGTH = 200;
const MAX_LEAD_SHARE = 0.2;
const CAPTION = /^[*_]*(?:tab(?:le|elle|leau|la|ela|ella)?|fig(?:ure|ur|ura)?|listing|code)\b\.?\s*\d/i;

interface Opening {
  index: number;
  offset: number;
  sizes: Sizes;
  labelOf: RowLabels;
}

/** Composes the opening of a chunk inside a table, fence or list: its introductory line or caption, its frame, and in a row its first cell. */
function openingAt(text: string, blocks: BlockWindow, { index, offset, sizes, labelOf }: Opening): string {
  const block = blocks.at(index)!;
  const frame = frameAt(text, { block, offset, sizes })?.opening ?? '';
  const isContinued = frame !== '' || (block.kind === 'list' && offset > block.start);
  const room = sizes.longest / 2 - frame.length; // the introductory line and the table header take at most half of a chunk
  const lead = isContinued ? leadOf(text, blocks.at(index - 1), { block, longest: Math.min(sizes.longest * MAX_LEAD_SHARE, room) }) : '';
  const label = block.kind === 'table' && frame !== '' ? labelOf(block, offset) : '';
  return lead + frame + (label.length <= room - lead.length ? label : '');
}

/** Returns the beginning of the row at an offset of a table: its first cell, and the empty ones up to that of the offset. Offsets must ascend. */
type RowLabels = (table: Block, offset: number) => string;

/** Maximum characters of a first cell that is repeated. */
const MAX_LABEL_LENGTH = 100;

/** Creates a function that reads each row once: one row may be cut into thousands of chunks. */
function createRowLabels(text: string): RowLabels {
  let [at, row, bars, labelEnd] = [0, 0, 0, 0];
  const startRow = (start: number): void => {
    [row, bars, labelEnd] = [start, text.startsWith('|', start) ? 0 : 1, start];
  };
  return (table, offset) => {
    if (at < table.body) startRow((at = table.body));
    for (; at < offset; at++) {
      if (text[at] === '\n') startRow(at + 1);
      else if (text[at] === '|' && text[at - 1] !== '\\' && ++bars === 2) labelEnd = at;
    }
    const label = text.slice(row, labelEnd).replace(/^\|/, '').trim();
    return bars < 2 || label === '' || label.length > MAX_LABEL_LENGTH ? '' : `| ${label} ${'|  '.repeat(bars - 2)}| `;
  };
}

/**
 * Finds the last line of the paragraph before a block if it introduces the block (`The parts are:`) or is its caption, and has at most `longest`
 * characters; else empty.
 */
function leadOf(text: string, before: Block | undefined, { block, longest: room }: { block: Block; longest: number }): string {
  if (before?.kind !== 'paragraph') return '';
  const longest = Math.min(MAX_LEAD_LENGTH, room);
  const near = text.slice(Math.max(before.start, before.end - longest - 1), before.end);
  const line = near.slice(near.lastIndexOf('\n') + 1).trim();
  const isShort = block.kind === 'table' && !near.includes('\n') && !/[.!?;,]$/.test(line);
  const leads = /[:：]$/.test(line) || CAPTION.test(line) || isShort;
  return line.length <= longest && leads ? `${line}\n\n` : '';
}

/** The frame of the table or fence at `offset`; undefined outside of rows and code. */
function frameAt(text: string, { block, offset, sizes }: { block: Block; offset: number; sizes: Sizes }) {
  return offset >= block.body && offset > block.start ? frameOf(text, block, sizes.longest) : undefined;
}

/** Maximum indentation of the text of a list item, in characters. */
const MAX_ITEM_INDENT = 12;

/**
 * Finds where the chunk after a cut begins: with the indentation of its line in code and in continued list items, else at its first
 * character.
 */
function nextStart(text: string, { block, cut, end, longest }: { block: Block; cut: number; end: number; longest: number }): number {
  const start = skipSpace(text, cut, end);
  const line = cut + text.slice(cut, start).lastIndexOf('\n') + 1;
  const isCode = block.kind === 'fence' && start < block.end;
  const deepest = isCode ? longest / 2 : MAX_ITEM_INDENT; // no chunk may consist of indentation alone
  return line === cut || start - line > deepest ? start : line;
}

/** The chunk before: its bounds and its last block. */
export interface PreviousChunk {
  block: Block;
  start: number;
  end: number;
}

/**
 * The offset at which the overlap of the chunk at `start` begins: a sentence, item or word, at most `limit` characters before; `start` in rows, code
 * and headings.
 */
function overlapStart(
  text: string,
  { block, start: earliest, end }: PreviousChunk,
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
