import type { Box, Mark } from '../types.ts';
import { escapeLine } from '../markdown/write.ts';
import type { ParsedFile } from '../parser.ts';
import { MarkedBlocks } from '../parsed-document.ts';
import { detectTypewriterLines } from './pdf-code.ts';
import { separateColumns, sortForReading } from './pdf-columns.ts';
import type { OutlineEntry, Viewport } from './pdf-file.ts';
import type { Grid } from './pdf-grids.ts';
import { headingLevels, titleOnFirstPage } from './pdf-headings.ts';
import { detectLabels } from './pdf-labels.ts';
import {
  leftEdge,
  RAISED_SIGN,
  type PageText,
  type PageTurn,
  type PdfLine,
  rightEdge,
  type TextPlace,
  type TurnedText,
} from './pdf-lines.ts';
import { insertLinks, type PageLink } from './pdf-links.ts';
import { separateNotes } from './pdf-notes.ts';
import { pageMarkdown } from './pdf-paragraphs.ts';
import { linesInGrids } from './pdf-ruled-lines.ts';
import { type HeightOnPage, separateRunningLines } from './pdf-running-lines.ts';
import { TableReader } from './pdf-tables.ts';
import { createWordMender, mendPageBreaks } from './pdf-words.ts';

/** What is read of a page. */
export interface PageContent {
  lines: readonly PdfLine[];
  links?: readonly PageLink[];
  /** Borders of tables. */
  grids?: readonly Grid[];
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
  const drawn = contents.map(({ lines, grids = [] }) => separateColumns(linesInGrids(lines, grids)));
  const separated = separateRunningLines(drawn, heightsOnPages(contents));
  const noted = separateNotes(separated.pages.map(({ lines }) => lines));
  const mendWord = createWordMender(noted);
  const pages = mendPageBreaks(noted, mendWord);
  const isCode = detectTypewriterLines(pages);
  const levelOf = headingLevels(pages, outline, isCode);
  const context = { levelOf, labels: detectLabels(pages), tables: new TableReader(mendWord), isCode, mendWord };
  const writer = new PageWriter();
  const stamps = new RepeatedStamps(contents);
  for (const [index, page] of pages.entries()) {
    const { links = [], frame, turned = [] } = contents[index]!;
    const { heads, feet } = separated.pages[index]!;
    const toBlock = ({ text, places }: Pick<PageText, 'text' | 'places'>) => ({ text, marks: marksOf(places, index + 1, frame) });
    const written = page.length > 0 ? pageMarkdown(sortForReading(page, levelOf), index + 1, context) : undefined;
    writer.addRunning(heads.map((line) => toBlock(linesText([line]))));
    if (written) writer.addPage(toBlock(insertLinks(written, links)), written);
    for (const { turn, lines } of turned) {
      const { text, places } = linesText(stamps.dropRepeated(lines));
      if (text !== '') writer.addRunning([{ text, marks: marksOf(places, index + 1, frame && { ...frame, turn }) }]);
    }
    writer.addRunning(feet.map((line) => toBlock(linesText([line]))));
  }
  const { text, marks } = writer.finish();
  const repeated = [...separated.removed, ...context.tables.repeated, ...stamps.repeated];
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

/** Minimum pages that repeat a turned line. */
const MIN_STAMPED = 3;

/** Drops turned lines that pages before have in the same place, such as the name of a journal in the margin. */
class RepeatedStamps {
  readonly repeated: string[] = [];
  readonly #pages = new Map<string, number>();
  readonly #seen = new Set<string>();

  constructor(contents: readonly PageContent[]) {
    for (const { turned = [] } of contents)
      for (const key of new Set(turned.flatMap(({ lines }) => lines.map(stampKey)))) this.#pages.set(key, (this.#pages.get(key) ?? 0) + 1);
  }

  dropRepeated(lines: readonly PdfLine[]): PdfLine[] {
    return lines.filter((line) => {
      const key = stampKey(line);
      const isRepeated = this.#seen.has(key) && this.#pages.get(key)! >= MIN_STAMPED;
      this.#seen.add(key);
      if (isRepeated) this.repeated.push(line.text);
      return !isRepeated;
    });
  }
}

const stampKey = ({ text, x, y }: PdfLine): string => `${Math.round(x / 4)} ${Math.round(y / 4)} ${text}`;

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

/** How far letters reach above and below their baseline, in font sizes. */
const ABOVE = 0.8;
const BELOW = 0.25;
/** A line that is this much higher than the one before is in another column, in font sizes. */
const COLUMN_JUMP = 1;

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
