import { codeFence, escapeLine, heading } from '../markdown/write.ts';
import type { HeadingLevel } from './headings.ts';
import { BULLET, LEADER, leftEdge, mostFrequent, NUMBER, type PageText, type PdfLine, type PdfRun, type TextPlace } from './lines.ts';
import { NOTE_START } from './margins.ts';
import type { PagePlace, TableReader } from './tables.ts';
import {
  detectFullLines,
  joinLines,
  type JoinOptions,
  type LineStep,
  measureSteps,
  PARAGRAPH_STEP,
  SENTENCE_END,
  type WordMender,
} from './words.ts';

/** Maximum lines of a table on a page. */
const MAX_ROWS = 500;
/** Maximum difference of equal widths of letters, in font sizes. */
const SAME_WIDTH = 0.01;
/** Width of the letters of a typewriter font, in font sizes. */
const WIDTHS = { least: 0.4, most: 0.75 };
/** Minimum different words that show the width of a font's letters. */
const MIN_WORDS = 5;
/** A document with a larger share of its letters in such fonts is typewritten; its text is not code. */
const MAX_CODE = 0.6;
/** Minimum share of the letters of a line of code in such a font, and of the runs in such a font that have letters of one width. */
const MIN_SHARE = 0.9;
/** Maximum distance of the lines of one piece of code, in font sizes. */
const FARTHEST = 3;
/** Maximum column of a run in a line of code; runs further right are not moved there. */
const MAX_LENGTH = 200;
/** Minimum entries of a table of contents. */
const MIN_ENTRIES = 3;
/** Maximum distance of the wrapped lines of a heading, in font sizes. */
const HEADING_STEP = 1.8;
/** Minimum indentation of the first line of a paragraph, in font sizes. */
const INDENT = 0.8;

/** The page number of an entry of a table of contents. */
const PAGE = /^(?:\d{1,4}|[ivxlc]+)$/i;

/** Adds missing dots before the page numbers of a table of contents. */
function addLeaders(lines: readonly PdfLine[]): PdfLine[] {
  const isContents = lines.filter(({ text }) => text.includes(LEADER)).length >= MIN_ENTRIES;
  return lines.map((line) => {
    const last = line.cells.at(-1)!;
    if (!isContents || line.cells.length < 2 || !PAGE.test(last.text) || line.text.includes(LEADER)) return line;
    return { ...line, text: `${line.text.slice(0, -last.text.length).trimEnd()}${LEADER}${last.text}` };
  });
}

interface Block {
  /** That of a heading. */
  level?: number | undefined;
  lines: PdfLine[];
  /** Its GFM table, if it can be read as one, and the lines of each row. */
  table?: string | undefined;
  rows?: readonly (readonly PdfLine[])[];
  /** Whether its table is the continuation of that on the page before: rows without a header. */
  isContinued?: boolean;
  /** Whether its lines are rows, which are not joined. */
  isRows?: boolean;
  /** Whether its lines are code, and stay as they are drawn. */
  isCode?: boolean;
}

/** Findings about the whole document. */
interface PageContext {
  levelOf: HeadingLevel;
  tables: TableReader;
  mendWord: WordMender;
  /** Whether a line is drawn in a typewriter font. */
  isCode(line: PdfLine): boolean;
}

/** Writes a page (from 1) as Markdown: headings, list items, tables, and paragraphs whose lines are joined again. */
export function pageMarkdown(drawn: readonly PdfLine[], page: number, context: PageContext): PageText {
  const { levelOf, tables, isCode, mendWord } = context;
  const lines = addLeaders(drawn);
  const isText = (line: PdfLine): boolean =>
    levelOf(line) === undefined &&
    !line.ruled &&
    !BULLET.test(line.text) &&
    !NUMBER.test(line.text) &&
    !(line.cells.length < 2 && isCode(line));
  const ends = endsOf(lines, (line) => line.text.includes(LEADER) || !isText(line));
  const stepOf = measureSteps(lines);
  const blocks: Block[] = [];
  const grids = new Set<object>();
  /** Adds the block that begins at a line, if it is more than a line of text. Returns the number of its lines. */
  const addBlock = (i: number): number => {
    const line = lines[i]!;
    if (line.ruled) {
      const { grid } = line.ruled;
      if (!grids.has(grid)) blocks.push(...ruledBlocks(lines.filter(({ ruled }) => ruled?.grid === grid), tables, { page, isFirst: i === 0 })); // prettier-ignore
      grids.add(grid);
      return 1;
    }
    const code = isTail(blocks.at(-1), line, stepOf) ? [] : codeAt(lines, i, context);
    if (code.length > 0) return add({ lines: code, isRows: true, isCode: true }, code.length);
    const rows =
      line.cells.length > 1 ? tables.readRegion(lines.slice(i, Math.min(ends[i]!, i + MAX_ROWS)), { page, isFirst: i === 0 }) : undefined;
    return rows ? add({ ...rows, isRows: true }, rows.lines.length) : 0;
  };
  const add = (block: Block, count: number): number => {
    blocks.push(block);
    return count;
  };
  for (let i = 0; i < lines.length;) {
    const count = addBlock(i);
    if (count === 0) addLine(blocks, lines[i]!, { levelOf, stepOf });
    i += Math.max(1, count);
  }
  tables.endPage(page, blocks.at(-1)?.table !== undefined);
  return joinBlocks(blocks, { isFull: detectFullLines(lines), mendWord });
}

interface LineContext extends Pick<PageContext, 'levelOf'> {
  stepOf: LineStep;
}

/** Adds a line to the last block if it continues that, else as a block of its own. */
function addLine(blocks: Block[], line: PdfLine, context: LineContext): void {
  const [level, block] = [context.levelOf(line), blocks.at(-1)];
  if (block && level === undefined && isLateBeginning(block, line, context.stepOf)) blocks.push({ lines: [block.lines.pop()!, line] });
  else if (block && continuesBlock(block, line, context)) block.lines.push(line);
  else blocks.push({ level, lines: [line] });
}

function continuesBlock(block: Block | undefined, line: PdfLine, { levelOf, stepOf }: LineContext): boolean {
  const level = levelOf(line);
  if (!block || block.isRows || block.level !== level) return false;
  return level ? continuesHeading(block, line) : continuesText(block, line, stepOf);
}

function joinBlocks(blocks: readonly Block[], joining: JoinOptions): PageText {
  const depths = depthsOf(blocks);
  const places: TextPlace[] = [];
  let text = '';
  for (const [i, block] of blocks.entries()) {
    if (i > 0) text += isItem(block) && isItem(blocks[i - 1]!) ? '\n' : '\n\n';
    const written = blockMarkdown(block, joining, depths[i]);
    for (const { at, lines } of placesIn(block, written)) places.push({ at: text.length + at, lines });
    text += written;
  }
  return { text, places, begin: beginOf(blocks[0]), end: endOf(blocks.at(-1), joining) };
}

const beginOf = (block: Block | undefined): PageText['begin'] =>
  block?.isContinued ? 'table' : beginsWithin(block) ? 'paragraph' : undefined;

const endOf = (block: Block | undefined, joining: JoinOptions): PageText['end'] =>
  block?.table !== undefined ? 'table' : endsWithin(block, joining) ? 'paragraph' : undefined;

const isProse = ({ level, isRows }: Block): boolean => level === undefined && !isRows;

const beginsWithin = (block: Block | undefined): boolean =>
  block !== undefined && isProse(block) && /^\(?\p{Ll}(?![.)]\s)/u.test(block.lines[0]!.text);

/** Whether the last line of a page is so full that its text may go on. */
function endsWithin(block: Block | undefined, { isFull }: JoinOptions): boolean {
  const last = block?.lines.at(-1);
  return last !== undefined && isProse(block!) && !SENTENCE_END.test(last.text) && !NOTE_START.test(block!.lines[0]!.text) && isFull(last);
}

/** Finds the places of the rows of a block in its Markdown, or of the whole block. The second line of a table is its delimiter row. */
function placesIn({ lines, table, rows, isContinued, isRows, isCode }: Block, written: string): TextPlace[] {
  const parts = rows ?? (isRows && !isCode ? lines.map((line) => [line]) : [lines]);
  const places: TextPlace[] = [];
  let at = 0;
  for (const [i, part] of parts.entries()) {
    places.push({ at, lines: part });
    at = written.indexOf('\n', at) + 1;
    if (table !== undefined && !isContinued && i === 0) at = written.indexOf('\n', at) + 1;
  }
  return places;
}

/** Reads a table whose borders are drawn, below its title. */
function ruledBlocks(lines: readonly PdfLine[], tables: TableReader, place: PagePlace): Block[] {
  const { title, ...table } = tables.readRuled(lines, place);
  return [...(title.length > 0 ? [{ lines: title }] : []), { ...table, isRows: true }];
}

/** Finds for each line the index of the first end at it or behind it. */
function endsOf(lines: readonly PdfLine[], isEnd: (line: PdfLine) => boolean): number[] {
  const ends = Array<number>(lines.length);
  for (let i = lines.length - 1; i >= 0; i--) ends[i] = isEnd(lines[i]!) ? i : (ends[i + 1] ?? lines.length);
  return ends;
}

/** Whether a line stands below a paragraph like its last line: as close, and as far left. */
function isTail(block: Block | undefined, line: PdfLine, stepOf: LineStep): boolean {
  if (!block || block.isRows || block.level) return false;
  const before = block.lines.at(-1)!;
  const isClose = before.y > line.y && before.y - line.y <= PARAGRAPH_STEP * stepOf(line);
  return isClose && Math.abs(line.x - leftEdge(block.lines)) < INDENT * line.size;
}

/** Returns the lines of code from `start` on. */
function codeAt(lines: readonly PdfLine[], start: number, { levelOf, isCode }: PageContext): PdfLine[] {
  const isPart = (line: PdfLine, i: number): boolean =>
    isCode(line) && levelOf(line) === undefined && (i === start || continuesCode(lines[i - 1]!, line));
  let end = start;
  while (end < lines.length && isPart(lines[end]!, end)) end++;
  return lines.slice(start, end);
}

/** Finds the nesting depth of each item by the position of its bullet. */
function depthsOf(blocks: readonly Block[]): number[] {
  let edges: number[] = [];
  let above = Infinity;
  return blocks.map((block) => {
    if (!isItem(block)) edges = [];
    else {
      const [{ x, y, size }] = block.lines as [PdfLine];
      if (y > above) edges = []; // in the next column
      edges = edges.filter((edge) => edge < x - INDENT * size);
      edges.push(x);
      above = y;
    }
    return Math.max(0, edges.length - 1);
  });
}

function continuesHeading({ lines }: Block, { y, size }: PdfLine): boolean {
  const before = lines.at(-1)!;
  return before.y - y > 0 && before.y - y < HEADING_STEP * size && Math.abs(before.size - size) < 0.5;
}

function continuesText({ lines }: Block, line: PdfLine, stepOf: LineStep): boolean {
  const before = lines.at(-1)!;
  if (BULLET.test(line.text) || NUMBER.test(line.text) || NOTE_START.test(line.text)) return false;
  const down = before.y - line.y;
  const isMidSentence = isWithinSentence(before, line);
  if (lines.length > 1 && line.x < leftEdge(lines) - INDENT * line.size) return false;
  if (down < 0 || down > PARAGRAPH_STEP * stepOf(line)) return isMidSentence && down < 0;
  if (Math.abs(before.size - line.size) > 0.15 * before.size) return isMidSentence;
  return !(line.x - before.x > INDENT * line.size && SENTENCE_END.test(before.text));
}

/** Whether the last line of a paragraph begins another one, which goes on further left: both first lines are indented alike. */
function isLateBeginning({ lines, level, isRows }: Block, line: PdfLine, stepOf: LineStep): boolean {
  const [above, before] = lines.slice(-2);
  if (!above || !before || level !== undefined || isRows || BULLET.test(before.text) || NUMBER.test(before.text)) return false;
  const isBelow = before.y > line.y && before.y - line.y <= PARAGRAPH_STEP * stepOf(line);
  return isBelow && line.x < before.x - INDENT * line.size && SENTENCE_END.test(above.text) && isWithinSentence(before, line);
}

const isWithinSentence = (before: PdfLine, line: PdfLine): boolean => !SENTENCE_END.test(before.text) && /^\p{Ll}/u.test(line.text);

const isItem = ({ level, lines, isCode }: Block): boolean => level === undefined && !isCode && BULLET.test(lines[0]!.text);

function blockMarkdown({ level, lines, table, isRows, isCode }: Block, joining: JoinOptions, depth = 0): string {
  if (table !== undefined) return table;
  if (isCode) return formatCode(lines);
  if (isRows) return lines.map(({ text }) => escapeLine(text)).join('\n');
  if (level) return heading(level, joinLines(lines, { ...joining, isFull: () => true }));
  const text = joinLines(lines, joining);
  if (BULLET.test(text)) return `${'  '.repeat(depth)}- ${text.replace(BULLET, '')}`;
  return NUMBER.test(text) ? text : text.split('\n').map(escapeLine).join('\n');
}

/** A sign in front of the rest of a line of code that was too long. */
const WRAPPED = /[←↩↪→˓]/;

/** A run of ASCII letters; a longer one may have spaces that are guessed. */
const WORD = /^(?=[^a-z]*[a-z][^a-z]*[a-z])[!-~](?:[ -~]{2,200})[!-~]$/i;

/** Creates a test for lines that are drawn in a typewriter font: code, commands, output of programs. */
export function detectTypewriterLines(pages: readonly PdfLine[][]): (line: PdfLine) => boolean {
  const fonts = typewriterFonts(pages);
  const lettersOf = (runs: readonly PdfRun[]): number => runs.reduce((sum, { text }) => sum + text.replace(/\s+/g, '').length, 0);
  const shareOf = (runs: readonly PdfRun[]): number => lettersOf(runs.filter(({ font }) => fonts.has(font))) / Math.max(1, lettersOf(runs));
  if (fonts.size === 0 || shareOf(pages.flatMap((lines) => lines.flatMap(({ runs }) => runs))) > MAX_CODE) return () => false;
  return ({ runs }) => {
    const first = runs.find(({ text }) => text.trim() !== ''); // neither a bullet nor a number
    return first !== undefined && (fonts.has(first.font) || WRAPPED.test(first.text)) && shareOf(runs) >= MIN_SHARE;
  };
}

/** Finds the fonts whose letters are equally wide. */
function typewriterFonts(pages: readonly PdfLine[][]): Set<string> {
  const fonts = new Map<string, { widths: Map<number, number>; words: Set<string> }>();
  for (const lines of pages)
    for (const { runs } of lines)
      for (const run of runs) {
        if (!WORD.test(run.text)) continue;
        const { widths, words } = fonts.get(run.font) ?? { widths: new Map<number, number>(), words: new Set<string>() };
        fonts.set(run.font, { widths, words });
        const width = Math.round(letterWidth(run) / SAME_WIDTH);
        widths.set(width, (widths.get(width) ?? 0) + 1);
        if (words.size < MIN_WORDS) words.add(run.text);
      }
  const isTypewriter = (widths: ReadonlyMap<number, number>): boolean => {
    const [usual, runs] = mostFrequent(widths) ?? [0, 0];
    const near = runs + (widths.get(usual - 1) ?? 0) + (widths.get(usual + 1) ?? 0);
    const all = widths.values().reduce((sum, count) => sum + count, 0);
    return near >= MIN_SHARE * all && usual * SAME_WIDTH >= WIDTHS.least && usual * SAME_WIDTH <= WIDTHS.most;
  };
  return new Set([...fonts].flatMap(([font, { widths, words }]) => (words.size >= MIN_WORDS && isTypewriter(widths) ? [font] : [])));
}

/** In font sizes. */
const letterWidth = ({ text, x, right, size }: PdfRun): number => (right - x) / (text.length * size);

/** Whether a line of code belongs to the same piece as the line before. */
export const continuesCode = (before: PdfLine, line: PdfLine): boolean =>
  before.y > line.y && before.y - line.y <= FARTHEST * line.size && Math.abs(before.size - line.size) < 0.5;

/** Writes lines of code as a fenced block: indented as drawn, with an empty line at each gap. */
export function formatCode(lines: readonly PdfLine[]): string {
  const left = leftEdge(lines);
  const steps = lines.slice(1).map(({ y }, i) => lines[i]!.y - y);
  const step = Math.min(...steps);
  const texts = lines.map((line, i) => `${i > 0 && steps[i - 1]! > 1.6 * step ? '\n' : ''}${spaceRuns(line, left)}`);
  return codeFence(texts.join('\n'), '');
}

/** Writes the text of a line, with as many spaces between its runs as letters would fit there. */
function spaceRuns({ runs }: PdfLine, left: number): string {
  const inked = runs.filter(({ text }) => text.trim() !== '').toSorted((a, b) => a.x - b.x);
  const widest = inked.reduce((most, run) => (run.text.length > most.text.length ? run : most), inked[0]!);
  const width = letterWidth(widest) * widest.size;
  return inked
    .reduce((text, run) => {
      const column = width > 0 ? Math.round((run.x - left) / width) : 0;
      return text + ' '.repeat(Math.max(0, Math.min(column, MAX_LENGTH) - text.length)) + run.text;
    }, '')
    .trimEnd();
}
