import { continuesCode, formatCode } from './pdf-code.ts';
import { escapeLine, escapeTags, heading } from '../../../text/markdown/write.ts';
import { BULLET, LEADER, NUMBER, type PageText, type PdfLine, type TextPlace } from './pdf-lines.ts';
import type { HeadingLevel } from './pdf-headings.ts';
import { NOTE_START } from './pdf-notes.ts';
import { type Labels, textBehind } from './paragraphs/pdf-labels.ts';
import type { WordMender } from './pdf-words.ts';
import { type LineStep, usualSteps, PARAGRAPH_STEP } from './paragraphs/pdf-line-steps.ts';
import { detectFullLines, joinLines, type JoinOptions, SENTENCE_END } from './pdf-wrapping.ts';
import type { TableReader } from './pdf-tables.ts';

/** The end of an entry of a table of contents. */
const PAGE = /^(?:\d{1,4}|[ivxlc]+)$/i;
/** Fewer entries are no table of contents. */
const LEAST_ENTRIES = 3;

/** The lines of a page, those of a table of contents with dots before their page also where the file draws none. */
function withLeaders(lines: readonly PdfLine[]): PdfLine[] {
  const isContents = lines.filter(({ text }) => text.includes(LEADER)).length >= LEAST_ENTRIES;
  return lines.map((line) => {
    const last = line.cells.at(-1)!;
    if (!isContents || line.cells.length < 2 || !PAGE.test(last.text) || line.text.includes(LEADER)) return line;
    return { ...line, text: `${line.text.slice(0, -last.text.length).trimEnd()}${LEADER}${last.text}` };
  });
}

/** Lines of a page that a table has at most. */
const MOST_ROWS = 500;

/** Wrapped lines of one heading stand this close, in font sizes. */
const HEADING_STEP = 1.8;
/** A first line that begins further right, in font sizes, begins a paragraph where the sentence before has ended. */
const INDENT = 0.8;
/** What word processors draw in front of items further in, in a font of signs. */
const INNER_BULLET = /^[o§]$/;
/** The number of a section, in front of its title. */
const SECTION = /^\d{1,2}(?:\.\d{1,3}){0,5}[.)]?\s+\p{Lu}/u;

interface Block {
  level: number | undefined;
  lines: PdfLine[];
  /** What its text is about, as it stands in front of it. */
  label?: string | undefined;
  /** The table that it is, where it can be read as one, and the lines of each of its rows. */
  table?: string | undefined;
  rows?: readonly (readonly PdfLine[])[];
  /** Rows of which none is joined to the next. */
  isRows?: boolean;
  /** Whether its lines are code, and stay as they are drawn. */
  isCode?: boolean;
}

/** What is known of a document when its pages are written. */
export interface PageContext {
  levelOf: HeadingLevel;
  labels: Labels;
  tables: TableReader;
  mendWord: WordMender;
  /** Whether a line is drawn in a typewriter font. */
  isCode(line: PdfLine): boolean;
}

/** The Markdown of a page, its number from 1: headings, list items, tables, and paragraphs whose lines are joined again. */
export function pageMarkdown(drawn: readonly PdfLine[], page: number, context: PageContext): PageText {
  const { levelOf, labels, tables, isCode } = context;
  const lines = withLeaders(drawn.map((line) => labels.divided(withBullet(line))));
  const isText = (line: PdfLine): boolean =>
    levelOf(line) === undefined &&
    !line.ruled &&
    !BULLET.test(line.text) &&
    !NUMBER.test(line.text) &&
    !labels.begins(line) &&
    !(line.cells.length < 2 && isCode(line));
  const ends = endsOf(lines, (line) => line.text.includes(LEADER) || !isText(line));
  const stepOf = usualSteps(lines);
  const isFull = detectFullLines(lines);
  const blocks: Block[] = [];
  /** What is more than a line of text: an option with its names, code, a table. */
  const partAt = (i: number): { block: Block; count: number } | undefined => {
    const [line, level] = [lines[i]!, undefined];
    const option = levelOf(line) === undefined ? labels.optionAt(lines, i) : undefined;
    if (option) return { block: { level, label: option.label, lines: option.lines }, count: option.above + 1 };
    const code = isTail(blocks.at(-1), line, stepOf) ? [] : codeAt(lines, i, context);
    if (code.length > 0) return { block: { level, lines: code, isRows: true, isCode: true }, count: code.length };
    const within = lines.slice(i, Math.min(ends[i]!, i + MOST_ROWS));
    const rows = line.cells.length > 1 ? tables.rowsOf(within, { page, isFirst: i === 0 }) : undefined;
    return rows && { block: { level, ...rows, isRows: true }, count: rows.lines.length };
  };
  const grids = new Set<object>();
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i]!;
    if (line.ruled) {
      const { grid } = line.ruled;
      if (!grids.has(grid)) blocks.push(...ruledBlocks(lines.filter(({ ruled }) => ruled?.grid === grid), tables)); // prettier-ignore
      grids.add(grid);
      continue;
    }
    const part = partAt(i);
    if (part) {
      blocks.push(part.block);
      i += part.count - 1;
    } else if (isText(line) && !continuesBlock(blocks.at(-1), line, { levelOf, stepOf }) && labels.isAbove(line, lines[i + 1]))
      blocks.push({ level: undefined, label: line.text, lines: [lines[++i]!] });
    else addLine(blocks, line, { levelOf, labels, stepOf });
  }
  tables.endPage(page, blocks.at(-1)?.table !== undefined);
  return joinBlocks(blocks, { isFull, mendWord: context.mendWord });
}

interface LineContext extends Pick<PageContext, 'levelOf' | 'labels'> {
  stepOf: LineStep;
}

/** Adds a line to the last block where it continues that, or else as a block of its own. */
function addLine(blocks: Block[], line: PdfLine, context: LineContext): void {
  const [level, block] = [context.levelOf(line), blocks.at(-1)];
  if (block && level === undefined && isLateBeginning(block, line, context.stepOf))
    blocks.push({ level, lines: [block.lines.pop()!, line] });
  else if (level === undefined && context.labels.begins(line)) blocks.push({ level, ...textBehind([], line, true) });
  else if (block && continuesBlock(block, line, context)) block.lines.push(line);
  else blocks.push({ level, lines: [line] });
}

function continuesBlock(block: Block | undefined, line: PdfLine, { levelOf, stepOf }: Omit<LineContext, 'labels'>): boolean {
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
  return { text, places, beginsWithin: beginsWithin(blocks[0]), endsWithin: endsWithin(blocks.at(-1), joining) };
}

const isProse = ({ level, isRows }: Block): boolean => level === undefined && !isRows;

const beginsWithin = (block: Block | undefined): boolean =>
  block !== undefined && isProse(block) && block.label === undefined && /^\(?\p{Ll}(?![.)]\s)/u.test(block.lines[0]!.text);

/** Whether the last line of a page is as full as one is that goes on. */
function endsWithin(block: Block | undefined, { isFull }: JoinOptions): boolean {
  const last = block?.lines.at(-1);
  return last !== undefined && isProse(block!) && !SENTENCE_END.test(last.text) && !NOTE_START.test(block!.lines[0]!.text) && isFull(last);
}

/** Where the rows of a block begin in its Markdown, or the block where it has none. Below the first row of a table stands a line that is none. */
function placesIn({ lines, table, rows, isRows, isCode }: Block, written: string): TextPlace[] {
  const parts = rows ?? (isRows && !isCode ? lines.map((line) => [line]) : [lines]);
  const places: TextPlace[] = [];
  let at = 0;
  for (const [i, part] of parts.entries()) {
    places.push({ at, lines: part });
    at = written.indexOf('\n', at) + 1;
    if (table !== undefined && i === 0) at = written.indexOf('\n', at) + 1;
  }
  return places;
}

/** A table whose rules are drawn, below its title. */
function ruledBlocks(lines: readonly PdfLine[], tables: TableReader): Block[] {
  const { title, ...table } = tables.ruledTable(lines);
  return [...(title.length > 0 ? [{ level: undefined, lines: title }] : []), { level: undefined, ...table, isRows: true }];
}

/** For each line the index of the next one, or of itself, at which something ends. */
function endsOf(lines: readonly PdfLine[], isEnd: (line: PdfLine) => boolean): number[] {
  const ends = Array<number>(lines.length);
  for (let i = lines.length - 1; i >= 0; i--) ends[i] = isEnd(lines[i]!) ? i : (ends[i + 1] ?? lines.length);
  return ends;
}

/** Whether a line stands below a paragraph as its last line does: as close as its lines, and as far left. */
function isTail(block: Block | undefined, line: PdfLine, stepOf: LineStep): boolean {
  if (!block || block.isRows || block.level) return false;
  const before = block.lines.at(-1)!;
  const left = block.lines.reduce((least, { x }) => Math.min(least, x), Number.POSITIVE_INFINITY);
  return before.y > line.y && before.y - line.y <= PARAGRAPH_STEP * stepOf(line) && Math.abs(line.x - left) < INDENT * line.size;
}

/** The lines of code from one on; none where they are the label of text that is indented below them. */
function codeAt(lines: readonly PdfLine[], start: number, { levelOf, labels, isCode }: PageContext): PdfLine[] {
  const isPart = (line: PdfLine, i: number): boolean =>
    isCode(line) && levelOf(line) === undefined && !labels.begins(line) && (i === start || continuesCode(lines[i - 1]!, line));
  let end = start;
  while (end < lines.length && isPart(lines[end]!, end)) end++;
  const [last, next] = [lines[end - 1], lines[end]];
  const isLabel = end > start && next !== undefined && continuesCode(last!, next) && next.x > last!.x + INDENT * last!.size;
  return isLabel ? [] : lines.slice(start, end);
}

/** A line whose sign of an item is a letter of a font of signs, with a bullet in its place. */
const withBullet = (line: PdfLine): PdfLine =>
  line.cells.length > 1 && INNER_BULLET.test(line.cells[0]!.text) ? { ...line, text: `•${line.text.slice(1)}` } : line;

/** How deep each item lies in the list around it, by how far right its bullet stands. */
function depthsOf(blocks: readonly Block[]): number[] {
  let edges: number[] = [];
  return blocks.map((block) => {
    if (!isItem(block)) edges = [];
    else {
      const [{ x, size }] = block.lines as [PdfLine];
      edges = edges.filter((edge) => edge < x - INDENT * size);
      edges.push(x);
    }
    return Math.max(0, edges.length - 1);
  });
}

function continuesHeading({ lines }: Block, { text, y, size }: PdfLine): boolean {
  const before = lines.at(-1)!;
  if (SECTION.test(text)) return false;
  return before.y - y > 0 && before.y - y < HEADING_STEP * size && Math.abs(before.size - size) < 0.5;
}

function continuesText({ lines, label }: Block, line: PdfLine, stepOf: LineStep): boolean {
  const before = lines.at(-1)!;
  if (BULLET.test(line.text) || NUMBER.test(line.text) || NOTE_START.test(line.text)) return false;
  const down = before.y - line.y;
  const isMidSentence = isWithinSentence(before, line);
  if (lines.length + Number(label !== undefined) > 1 && line.x < Math.min(...lines.map(({ x }) => x)) - INDENT * line.size) return false;
  if (down < 0 || down > PARAGRAPH_STEP * stepOf(line)) return isMidSentence && down < 0;
  if (Math.abs(before.size - line.size) > 0.15 * before.size) return isMidSentence;
  return !(line.x - before.x > INDENT * line.size && SENTENCE_END.test(before.text));
}

/** Whether a paragraph's last line begins another, which goes on further left: both first lines are indented alike. */
function isLateBeginning({ lines, level, isRows }: Block, line: PdfLine, stepOf: LineStep): boolean {
  const [above, before] = lines.slice(-2);
  if (!above || !before || level !== undefined || isRows || BULLET.test(before.text) || NUMBER.test(before.text)) return false;
  const isBelow = before.y > line.y && before.y - line.y <= PARAGRAPH_STEP * stepOf(line);
  return isBelow && line.x < before.x - INDENT * line.size && SENTENCE_END.test(above.text) && isWithinSentence(before, line);
}

const isWithinSentence = (before: PdfLine, line: PdfLine): boolean => !SENTENCE_END.test(before.text) && /^\p{Ll}/u.test(line.text);

const isItem = ({ level, lines, isCode }: Block): boolean => level === undefined && !isCode && BULLET.test(lines[0]!.text);

function blockMarkdown({ level, lines, label, table, isRows, isCode }: Block, joining: JoinOptions, depth = 0): string {
  if (label !== undefined) return `**${escapeTags(label).replace(/[*\\]/g, '\\$&')}**\n\n${blockMarkdown({ level, lines }, joining)}`;
  if (table !== undefined) return table;
  if (isCode) return formatCode(lines);
  if (isRows) return lines.map(({ text }) => escapeLine(text)).join('\n');
  if (level) return heading(level, joinLines(lines, { ...joining, isFull: () => true }));
  const text = joinLines(lines, joining);
  if (BULLET.test(text)) return `${'  '.repeat(depth)}- ${text.replace(BULLET, '')}`;
  return NUMBER.test(text) ? text : text.split('\n').map(escapeLine).join('\n');
}
