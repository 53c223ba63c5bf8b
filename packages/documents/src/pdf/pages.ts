import { escapeLine } from '../markdown/write.ts';
import { MarkedBlocks } from '../parsed-document.ts';
import type { ParsedFile } from '../parser.ts';
import type { Box, Mark } from '../types.ts';
import { insertLinks, type PageLink } from './annotations.ts';
import { detectTypewriterLines, pageMarkdown } from './blocks.ts';
import type { OutlineEntry, Viewport } from './file.ts';
import { type HeadingLevel, headingLevels, titleOnFirstPage } from './headings.ts';
import { leftEdge, type PageText, type PageTurn, type PdfLine, RAISED_SIGN, rightEdge, type TextPlace, type TurnedText } from './lines.ts';
import { type HeightOnPage, separateNotes, separateRunningLines } from './margins.ts';
import { TableReader } from './tables.ts';
import { createWordMender, mendPageBreaks } from './words.ts';

/** How far letters reach above and below their baseline, in font sizes. */
const ABOVE = 0.8;
const BELOW = 0.25;
/** A line that is this much higher than the one before is in another column, in font sizes. */
const COLUMN_JUMP = 1;
/** Minimum lines in two halves that may be two columns of text. */
const MIN_LINES = 6;
/** Minimum average characters of lines of text; cells of a table are shorter. */
const MIN_LENGTH = 22;
/** Maximum distance between the beginnings of the lines of a column, in font sizes. */
const ALIGNED = 1.5;
/** Minimum share of the lines of a text that go on in the middle of a sentence. */
const FLOWING = 0.4;
/** Maximum stacks of a page of text. */
const MAX_STACKS = 300;
/** Maximum distance of the lines of a stack, in font sizes. */
const FARTHEST = 2.5;

/** What is read of a page. */
export interface PageContent {
  lines: readonly PdfLine[];
  links?: readonly PageLink[];
  /** Text in other directions. */
  turned?: readonly TurnedText[];
  /** Without it, marks have no boxes. */
  frame?: PageFrame | undefined;
}

/** A page as it is shown, and how its lines are turned on it. */
interface PageFrame {
  viewport: Viewport;
  turn: PageTurn;
}

/** Writes pages as Markdown, with marks at pages and blocks; also finds the title on the first page. */
export function textOfPages(
  contents: readonly PageContent[],
  outline: readonly OutlineEntry[],
): Pick<ParsedFile, 'text' | 'title' | 'marks' | 'visible'> {
  const drawn = contents.map(({ lines }) => separateColumns(lines));
  const separated = separateRunningLines(drawn, heightsOnPages(contents));
  const noted = separateNotes(separated.pages.map(({ lines }) => lines));
  const mendWord = createWordMender(noted);
  const pages = mendPageBreaks(noted, mendWord);
  const isCode = detectTypewriterLines(pages);
  const levelOf = headingLevels(pages, outline, isCode);
  const context = { levelOf, tables: new TableReader(mendWord), isCode, mendWord };
  const writer = new PageWriter();
  for (const [index, page] of pages.entries()) {
    const { links = [], frame, turned = [] } = contents[index]!;
    const { heads, feet } = separated.pages[index]!;
    const toBlock = ({ text, places }: Pick<PageText, 'text' | 'places'>) => ({ text, marks: marksOf(places, index + 1, frame) });
    const written = page.length > 0 ? pageMarkdown(sortForReading(page, levelOf), index + 1, context) : undefined;
    writer.addRunning(heads.map((line) => toBlock(linesText([line]))));
    if (written) writer.addPage(toBlock(insertLinks(written, links)), written);
    for (const { turn, lines } of turned) {
      const { text, places } = linesText(lines);
      if (text !== '') writer.addRunning([{ text, marks: marksOf(places, index + 1, frame && { ...frame, turn }) }]);
    }
    writer.addRunning(feet.map((line) => toBlock(linesText([line]))));
  }
  const { text, marks } = writer.finish();
  const repeated = [...separated.removed, ...context.tables.repeated];
  return { text, title: titleOnFirstPage(pages), marks, visible: visibleOnce(contents, repeated) };
}

/** Lists what all lines say, without the lines and cells that are `repeated`. */
function visibleOnce(contents: readonly PageContent[], repeated: readonly string[]): string {
  const left = new Map<string, number>();
  for (const text of repeated) left.set(text, (left.get(text) ?? 0) + 1);
  const isLeft = ({ text }: { text: string }): boolean => {
    const count = left.get(text) ?? 0;
    left.set(text, count - 1);
    return count <= 0;
  };
  const lines = contents.flatMap(({ lines: upright, turned = [] }) => [...upright, ...turned.flatMap((text) => text.lines)]);
  const visible = lines.filter(isLeft).flatMap((line) => (line.cells.length > 1 ? line.cells.filter(isLeft) : [line]));
  return visible.map(({ text }) => text.replaceAll(RAISED_SIGN, ' ')).join('\n');
}

/** Writes lines below one another. */
const linesText = (lines: readonly PdfLine[]): Pick<PageText, 'text' | 'places'> => ({
  text: lines.map(({ text }) => escapeLine(text)).join('\n'),
  places: lines.length > 0 ? [{ at: 0, lines }] : [],
});

interface MarkedText {
  text: string;
  marks: Mark[];
}

/** Joins the Markdown of pages. A paragraph or table that continues on the next page stays whole: running lines in between follow it. */
class PageWriter {
  readonly #blocks = new MarkedBlocks();
  #running: MarkedText[] = [];
  #end: PageText['end'];

  addRunning(blocks: readonly MarkedText[]): void {
    this.#running.push(...blocks);
    if (this.#end === undefined) this.#addRunning();
  }

  addPage({ text, marks }: MarkedText, { begin, end }: PageText): void {
    const continues = begin !== undefined && begin === this.#end;
    if (!continues) this.#addRunning();
    this.#blocks.addMarked(text, marks, continues ? JOINTS[begin] : undefined);
    this.#end = end;
  }

  finish(): Pick<MarkedBlocks, 'text' | 'marks'> {
    this.#addRunning();
    return this.#blocks;
  }

  #addRunning(): void {
    for (const { text, marks } of this.#running) this.#blocks.addMarked(text, marks);
    this.#running = [];
  }
}

/** What joins the halves of a block that continues on the next page. */
const JOINTS = { paragraph: ' ', table: '\n' };

/** Finds how far below the upper edge of its page each line is. Without a frame, text reaches from edge to edge. */
function heightsOnPages(contents: readonly PageContent[]): HeightOnPage[] {
  const bare = contents.flatMap(({ lines, frame }) => (frame ? [] : lines.map(({ y }) => y)));
  const top = bare.reduce((most, y) => Math.max(most, y), -Infinity);
  const bottom = bare.reduce((least, y) => Math.min(least, y), Infinity);
  return contents.map(({ frame }) => {
    if (!frame) return ({ y }) => (top - y) / Math.max(1, top - bottom);
    return ({ x, y }) => toShares(frame)(x, y)[1];
  });
}

/** Whether a page has text: a letter or a digit. */
export const hasText = ({ lines, turned = [] }: Pick<PageContent, 'lines' | 'turned'>): boolean =>
  [...lines, ...turned.flatMap((text) => text.lines)].some(({ text }) => /[\p{L}\p{N}]/u.test(text));

/** Makes a mark at each place of a page, with its position on the page; without a frame a single mark. */
function marksOf(places: readonly TextPlace[], page: number, frame: PageFrame | undefined): Mark[] {
  if (!frame || places.length === 0) return [{ at: 0, page }];
  const { width, height } = frame.viewport;
  const page_ratio = Math.min(1000, round(width / height) || 0);
  return places.map(({ at, lines }) => ({ at, page, page_ratio, boxes: boxesOf(lines, frame) }));
}

/** Finds the rectangles of lines on their page, one for each column. */
function boxesOf(lines: readonly PdfLine[], frame: PageFrame): Box[] {
  const columns: PdfLine[][] = [];
  for (const line of lines) {
    const column = columns.at(-1);
    if (column && line.y - column.at(-1)!.y < COLUMN_JUMP * line.size) column.push(line);
    else columns.push([line]);
  }
  return columns.map((column) => boxOf(column, frame));
}

/** Maps a point of a line to shares of the width and height of the page as it is shown. */
function toShares({ viewport, turn: [cos, sin] }: PageFrame): (right: number, up: number) => [x: number, y: number] {
  const [a = 1, b = 0, c = 0, d = 1, e = 0, f = 0] = viewport.transform;
  return (right, up) => {
    const [x, y] = [cos * right - sin * up, sin * right + cos * up];
    return [share((a * x + c * y + e) / viewport.width), share((b * x + d * y + f) / viewport.height)];
  };
}

function boxOf(lines: readonly PdfLine[], frame: PageFrame): Box {
  const shares = toShares(frame);
  const upper = lines.reduce((most, { y, size }) => Math.max(most, y + ABOVE * size), -Infinity);
  const lower = lines.reduce((least, { y, size }) => Math.min(least, y - BELOW * size), Infinity);
  const [left, top] = shares(leftEdge(lines), upper);
  const [right, bottom] = shares(rightEdge(lines), lower);
  return {
    left: round(Math.min(left, right)),
    top: round(Math.min(top, bottom)),
    width: round(Math.abs(right - left)),
    height: round(Math.abs(bottom - top)),
  };
}

/** Limits a coordinate to the page. */
const share = (value: number): number => (Number.isFinite(value) ? Math.min(1, Math.max(0, value)) : 0);

const round = (value: number): number => Math.round(value * 1000) / 1000;

/** Orders two columns of text that are drawn line by line across both: one column after the other. Other lines stay as they are. */
export function separateColumns(lines: readonly PdfLine[]): PdfLine[] {
  const ordered: PdfLine[] = [];
  for (let i = 0; i < lines.length;) {
    const halves = halvesAt(lines, i);
    if (halves.length < MIN_LINES || !isFlowing(halves, 0) || !isFlowing(halves, 1)) ordered.push(...lines.slice(i, i + halves.length));
    else ordered.push(...halves.map((line) => cutHalf(line, 0)), ...halves.flatMap((line) => (line.cells[1] ? [cutHalf(line, 1)] : [])));
    i += halves.length;
  }
  return ordered;
}

/** Returns the lines from `start` on that may be two columns: their second halves begin at one place. At least one line. */
function halvesAt(lines: readonly PdfLine[], start: number): PdfLine[] {
  const [first, second] = lines[start]!.cells;
  if (!second) return [lines[start]!];
  let end = start + 1;
  const isAt = (x: number | undefined, edge: number, size: number) => x !== undefined && Math.abs(x - edge) <= ALIGNED * size;
  for (; end < lines.length; end++) {
    const { cells, size, y } = lines[end]!;
    if (cells.length > 2 || y >= lines[end - 1]!.y || !isAt(cells[0]?.x, first!.x, size)) break;
    if (cells[1] ? !isAt(cells[1].x, second.x, size) : cells[0]!.right > second.x) break;
  }
  return lines.slice(start, end);
}

/** Whether the cells of one half are lines of text rather than a column of a table. */
function isFlowing(lines: readonly PdfLine[], column: 0 | 1): boolean {
  const texts = lines.flatMap(({ cells }) => cells[column]?.text ?? []);
  const length = texts.reduce((sum, text) => sum + text.length, 0);
  const flowing = texts.filter((text, i) => i > 0 && /^\p{Ll}/u.test(text) && !/[.!?:]$/.test(texts[i - 1]!));
  return texts.length >= MIN_LINES && length >= MIN_LENGTH * texts.length && flowing.length >= FLOWING * texts.length;
}

function cutHalf(line: PdfLine, column: 0 | 1): PdfLine {
  const cell = line.cells[column]!;
  return { ...line, ...cell, cells: [cell], runs: line.runs.filter(({ x, right }) => x < cell.right && right > cell.x) };
}

/** Lines drawn one below the other. */
interface Stack {
  lines: PdfLine[];
  isHeading: boolean;
  left: number;
  right: number;
  top: number;
  bottom: number;
}

/** Orders the lines of a page whose headings are drawn after the text below them: each stack behind those above it. */
export function sortForReading(lines: readonly PdfLine[], levelOf: HeadingLevel): PdfLine[] {
  const stacks = stacksOf(lines, levelOf);
  if (stacks.length > MAX_STACKS) return [...lines];
  const isLate = stacks.some((stack, i) => stack.isHeading && stacks.slice(0, i).some((before) => isAbove(stack, before)));
  if (!isLate) return [...lines];
  const ordered = new Set<Stack>();
  const visit = (stack: Stack): void => {
    for (const other of stacks) if (!ordered.has(other) && other !== stack && isAbove(other, stack)) visit(other);
    ordered.add(stack);
  };
  for (const stack of stacks) visit(stack);
  return [...ordered].flatMap((stack) => stack.lines);
}

const isAbove = (one: Stack, other: Stack): boolean => one.bottom > other.top && one.left < other.right && one.right > other.left;

function stacksOf(lines: readonly PdfLine[], levelOf: HeadingLevel): Stack[] {
  const stacks: Stack[] = [];
  for (const line of lines) {
    const [stack, isHeading] = [stacks.at(-1), levelOf(line) !== undefined];
    const isNext =
      stack !== undefined &&
      isHeading === stack.isHeading &&
      line.y <= stack.bottom &&
      stack.bottom - line.y <= FARTHEST * line.size &&
      line.x < stack.right &&
      line.right > stack.left;
    if (!isNext) stacks.push({ lines: [line], isHeading, left: line.x, right: line.right, top: line.y, bottom: line.y });
    else {
      stack.lines.push(line);
      Object.assign(stack, { left: Math.min(stack.left, line.x), right: Math.max(stack.right, line.right), bottom: line.y });
    }
  }
  return stacks;
}
