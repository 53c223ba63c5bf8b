import type { Chunk, Document, Location, Mark } from '../../schema/items.ts';
import { type Block, blocksOf, readBlocks, newlinesIn } from '@citekb/documents/markdown';
import { BlockWindow } from './block-window.ts';
import { type PreviousChunk, type Group, joinShortSections, pack, type PackSizes, type Piece, toSections } from './pack.ts';
import { chunkId } from '../../core/ids.ts';
import { decodeUrlPart } from '../../http/message.ts';
import { type Chunking, DEFAULT_CHUNK_SIZE } from '../../schema/config.ts';
import { passageKindOf } from '../../text/page-kind.ts';
import { anchorsIn, boxesIn } from '../../text/passage-location.ts';
import { removeInvisible } from '../../text/clean-text.ts';
import { withoutMarks } from '../../text/markdown/plain-text.ts';

/** Locates a piece in its source. Pieces must be passed in order, so that the text is scanned once. */
type Locator = (piece: Piece, group: Group) => Location;

function createLocator(document: Document, blocks: BlockWindow): Locator {
  const { text, marks = [] } = document;
  const lineAt = createLineCounter(text, marks);
  const rowsOf = createRowCounter(text, marks, blocks);
  const offsetOf = createOffsetCounter(text);
  return (piece, group) => {
    const { host } = group;
    const overlap = pieceText(text, { ...piece, end: piece.start, closing: '' }, piece.from).length;
    const place = { offset: offsetOf(piece.start), ...(overlap > 0 ? { overlap } : {}) };
    const location: Location = {};
    const headings = host.headings.filter((title) => title !== '');
    if (headings.length > 0) location.headings = headings;
    if (marks.length === 0) return { ...location, ...place };
    // empty headings may precede the text, whose position counts
    const mark = markAt(marks, Math.max(piece.start, Math.min(host.start, piece.end - 1)));
    if (mark?.page !== undefined) Object.assign(location, pagesOf(mark.page, markAt(marks, piece.end - 1)?.page));
    if (mark?.page_ratio !== undefined) location.page_ratio = mark.page_ratio;
    const marked = marks.slice(Math.max(0, markIndex(marks, piece.from)), markIndex(marks, piece.end - 1) + 1);
    const boxes = boxesIn(text, marked, piece);
    if (boxes.length > 0) location.boxes = boxes;
    if (mark?.sheet !== undefined) location.sheet = mark.sheet;
    if (mark?.anchor !== undefined) location.anchor = mark.anchor;
    const anchors = anchorsIn(text, marked, piece);
    if (anchors.length > 0) location.anchors = anchors;
    if (mark?.member !== undefined) location.member = mark.member;
    if (mark?.time !== undefined) {
      const last = markAt(marks, piece.end - 1);
      Object.assign(location, { time_start: mark.time, time_end: last?.time_end ?? last?.time });
    }
    // the overlap may be quoted as well, so its lines count
    const [first, last] = [lineAt(piece.from), lineAt(piece.end - 1)];
    if (first !== undefined && last !== undefined) Object.assign(location, { line_start: first, line_end: last });
    return { ...location, ...rowsOf(piece, group), ...place };
  };
}

const pagesOf = (page: number, last = page): Pick<Location, 'page' | 'page_end'> => ({ page, ...(last > page ? { page_end: last } : {}) });

const markAt = (marks: readonly Mark[], offset: number): Mark | undefined => marks[markIndex(marks, offset)];

/** The index of the last mark at or before an offset; -1 if there is none. */
function markIndex(marks: readonly Mark[], offset: number): number {
  let [low, high] = [0, marks.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (marks[middle]!.at <= offset) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

function createLineCounter(text: string, marks: readonly Mark[]): (offset: number) => number | undefined {
  const newlines = createNewlineCounter(text);
  return (offset) => {
    const mark = markAt(marks, offset);
    return mark?.line === undefined ? undefined : mark.line + newlines(mark.at, offset);
  };
}

function createRowCounter(text: string, marks: readonly Mark[], blocks: BlockWindow) {
  const newlines = createNewlineCounter(text);
  let next = 0;
  const rowAt = (offset: number, table: Block): number | undefined => {
    const mark = markAt(marks, offset);
    if (mark?.row === undefined) return undefined;
    const from = Math.max(mark.at, table.start);
    const header = text.indexOf('\n', table.start);
    const separators = from <= header && offset > header ? 1 : 0;
    return mark.row + newlines(from, offset) - separators;
  };
  return ({ start, end }: Piece, { last }: Group): Pick<Location, 'row_start' | 'row_end'> => {
    let rows: { row_start?: number; row_end?: number } = {};
    next = Math.max(next, blocks.first);
    while (next < last && blocks.at(next)!.end <= start) next += 1;
    for (let index = next; index < last && blocks.at(index)!.start < end; index++) {
      const block = blocks.at(index)!;
      if (block.kind !== 'table') continue;
      const first = rowAt(Math.max(start, block.start), block);
      const final = rowAt(Math.min(end, block.end) - 1, block);
      if (first !== undefined && final !== undefined) rows = { row_start: rows.row_start ?? first, row_end: final };
    }
    return rows;
  };
}

/** Counts the newlines between offsets, starting from its last result if `from` is the same. */
function createNewlineCounter(text: string): (from: number, to: number) => number {
  let [base, reached, count] = [0, 0, 0];
  return (from, to) => {
    if (from !== base) [base, reached, count] = [from, from, 0];
    count += to < reached ? -newlinesIn(text.slice(to, reached)) : newlinesIn(text.slice(reached, to));
    reached = to;
    return count;
  };
}

/** Converts offsets, in ascending order, to those in the text with `\n` line ends, as chunks have it. */
function createOffsetCounter(text: string): (at: number) => number {
  let [reached, removed] = [0, 0];
  return (at) => {
    removed += text.slice(reached, at).split('\r\n').length - 1;
    reached = at;
    return at - removed;
  };
}

/**
 * Splits a document into chunks, in order; every character except white space is in one of them. A document without text has none. Text is split by
 * structure: at headings, else between blocks, sentences, words. `chunk_size` limits `text`; a row or fence that is slightly too long may exceed it,
 * by less than `min_chunk_length` and the repeated table header. Takes linear time.
 */
export const chunkDocument = (document: Document, chunking: Chunking): Chunk[] => [...chunksOf(document, chunking)];

/** Maximum characters of a text whose blocks are all kept; those of a longer one are read twice instead. */
const MAX_KEPT_TEXT = 1_000_000;

/** Yields the chunks of a document (see `chunkDocument`). Of a long one it keeps little more than the text. */
export function* chunksOf(document: Document, chunking: Chunking): Generator<Chunk, void> {
  const { text } = document;
  const kept = text.length <= MAX_KEPT_TEXT ? readBlocks(text) : undefined;
  const sizes = sizesOf(chunking);
  const groups = joinShortSections(toSections(kept ?? blocksOf(text), pageStarts(document)), sizes);
  const blocks = new BlockWindow(kept ?? blocksOf(text));
  const locate = createLocator(document, blocks);
  const place = placeWords(document.source);
  let before: { group: Group; piece: Piece } | undefined;
  for (const group of groups) {
    const path = embedPath({ place, title: document.title, headings: group.host.headings });
    let ordinal = 0;
    for (const piece of pack(text, blocks, { group, sizes, before: continuedChunk(blocks, group, before) })) {
      const passage = pieceText(text, piece, piece.from);
      const page_kind = document.metadata.page_kind ?? passageKindOf(passage, group.host.headings);
      yield {
        id: chunkId(document.id, group.host.key, ordinal++),
        text: passage,
        embed_text: embedText(path, pieceText(text, piece, embedStart(blocks, group, piece))),
        source: document.source,
        metadata: { ...document.metadata, ...(page_kind ? { page_kind } : {}), title: document.title, location: locate(piece, group) },
      };
      before = { group, piece };
    }
  }
}

/** The sizes in effect: minimum length and overlap are at most half of a chunk. */
function sizesOf({ chunk_size = DEFAULT_CHUNK_SIZE, chunk_overlap, min_chunk_length }: Chunking): PackSizes {
  const half = chunk_size >> 1;
  return { longest: chunk_size, shortest: Math.max(1, Math.min(min_chunk_length, half)), overlap: Math.min(chunk_overlap, half) };
}

/** Returns a function that tells whether a block begins a page or sheet. It does not if it continues a sentence in lower case. */
function pageStarts({ text, marks = [] }: Document): (block: Block, before: Block) => boolean {
  if (!marks.some((mark) => mark.page !== undefined || mark.sheet !== undefined)) return () => false;
  return ({ start }, previous) => {
    const [previousMark, mark] = [markAt(marks, previous.start), markAt(marks, start)];
    if (previousMark?.page === mark?.page && previousMark?.sheet === mark?.sheet) return false;
    return !/^\s*\p{Ll}/u.test(text.slice(start, start + 20));
  };
}

/** The chunk before a group that continues the same section on a new page; undefined otherwise. */
function continuedChunk(blocks: BlockWindow, group: Group, before: { group: Group; piece: Piece } | undefined): PreviousChunk | undefined {
  if (!before || blocks.at(group.first)!.kind === 'heading') return undefined;
  const same = before.group.host.headings.join('\0') === group.host.headings.join('\0');
  return same ? { block: blocks.at(before.group.last - 1)!, start: before.piece.start, end: before.piece.end } : undefined;
}

function pieceText(text: string, { opening, closing, end }: Piece, from: number): string {
  const passage = opening + text.slice(from, end) + closing;
  return passage.includes('\r') ? passage.replaceAll('\r\n', '\n') : passage;
}

/** The offset at which the embedded text begins: after leading headings that the path contains anyway. */
function embedStart(blocks: BlockWindow, { first, last, host }: Group, { from, start, end }: Piece): number {
  let after = from;
  for (let index = first; index < last; index++) {
    const block = blocks.at(index);
    const isTop = block?.kind === 'heading' && block.start >= start && block.end <= end;
    if (!isTop || !host.headings.includes(block.title)) break;
    after = block.end;
  }
  return after;
}

/** Maximum length of a title, which is repeated in every chunk. */
const MAX_TITLE_LENGTH = 200;

interface EmbedPathParts {
  /** Words from the path or address of the document. */
  place?: string;
  title: string;
  headings: readonly string[];
}

/** Joins place, title and headings in one line, each name once: `manuals helios > Manual > Maintenance > Replacing the filter`. */
export function embedPath({ place = '', title, headings }: EmbedPathParts): string {
  const names: string[] = [];
  for (const name of [title.replace(/\s+/g, ' ').trim().slice(0, MAX_TITLE_LENGTH).toWellFormed(), ...headings]) {
    if (name !== '' && !(names.length < 2 && isNamed(names, name))) names.push(name);
  }
  return (place === '' || isNamed(names, place) ? names : [place, ...names]).join(' > ');
}

/** Whether one of the names contains `name`, such as a first heading that repeats the title. */
function isNamed(names: readonly string[], name: string): boolean {
  return names.some((other) => ` ${other.toLowerCase()} `.includes(` ${name.toLowerCase()} `));
}

/** Composes the text to embed: the path, then the passage without invisible characters and markup, which would cost tokens. */
export function embedText(path: string, passage: string): string {
  const plain = withoutMarks(removeInvisible(passage));
  if (path === '' || plain === '') return path || plain || passage;
  return `${path}\n\n${plain}`;
}

/** Number of path segments that describe a document: its file name and its folder, which is often named after the product. */
const PATH_SEGMENTS = 2;

const MAX_PATH_WORDS_LENGTH = 100;

/** Hashes, UUIDs and long numbers. */
const OPAQUE = /^(?=.*\d)[\da-f-]{12,}$/i;
const EXTENSION = /(?<=.)\.[a-z]\w{0,9}$/i;
const WORD_BOUNDARY = /[-_.\s+]+|(?<=\p{Ll}{2})(?=\p{Lu}\p{L})/u;

/** Extracts the words of the last segments of a path or address, which may be the only mention of its subject. Empty for other sources. */
export function placeWords(source: string): string {
  const isAddress = /^[a-z][a-z\d+.-]*:\/\//i.test(source);
  const path = isAddress ? (URL.canParse(source) ? decodeUrlPart(new URL(source).pathname) : '') : source;
  if (!isAddress && !/[\\/]/.test(path) && !EXTENSION.test(path)) return '';
  const parts = path
    .split(/[\\/]/)
    .filter((part) => part !== '')
    .slice(-PATH_SEGMENTS);
  const names = parts.map((part, i) => (i === parts.length - 1 ? part.replace(EXTENSION, '') : part));
  const words = names.filter((name) => !OPAQUE.test(name)).flatMap((name) => name.split(WORD_BOUNDARY));
  return words.filter(Boolean).join(' ').slice(0, MAX_PATH_WORDS_LENGTH).toWellFormed();
}
