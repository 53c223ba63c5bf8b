import { escapeLine, heading } from './markdown-text.ts';
import type { HeadingLevel } from './pdf-headings.ts';
import type { Line } from './pdf-lines.ts';
import { rowsOf, withLeaders } from './pdf-tables.ts';

/** A step down that is larger than the usual one by this factor begins a paragraph. */
const WIDER = 1.25;
/** Wrapped lines of one heading stand this close, in font sizes. */
const HEADING_STEP = 1.8;
/** A first line that begins further right, in font sizes, begins a paragraph where the sentence before has ended. */
const INDENT = 0.8;
/** A line that is shorter than this share of the widest around it ends on purpose. */
const FULL = 0.8;

const BULLET = /^[•◦▪■●‣∙·–—*-]\s+(?=\S)/;
const NUMBER = /^(?:\d{1,3}[.)]|\(?[a-z]\))\s/;
const SENTENCE_END = /[.!?:;…。！？]["'”’)\]]*$/;

interface Block {
  level: number | undefined;
  lines: Line[];
  /** Its rows, where it is a table that can be read as one. */
  table?: string | undefined;
  /** Rows of which none is joined to the next. */
  isRows?: boolean;
}

/** The Markdown of a page: headings, list items, tables, and paragraphs whose lines are joined again. */
export function pageMarkdown(drawn: readonly Line[], levelOf: HeadingLevel): string {
  const lines = withLeaders(drawn);
  const isText = (line: Line): boolean => levelOf(line) === undefined && !BULLET.test(line.text) && !NUMBER.test(line.text);
  const step = usualStep(lines);
  const width = lines.reduce((most, { x, right }) => Math.max(most, right - x), 0);
  const blocks: Block[] = [];
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i]!;
    const rows = line.cells.length > 1 ? rowsOf(lines.slice(i), isText) : undefined;
    if (rows) {
      blocks.push({ level: undefined, ...rows, isRows: true });
      i += rows.lines.length - 1;
      continue;
    }
    const level = levelOf(line);
    const block = blocks.at(-1);
    if (block && !block.isRows && block.level === level && (level ? continuesHeading(block, line) : continuesText(block, line, step)))
      block.lines.push(line);
    else blocks.push({ level, lines: [line] });
  }
  return blocks
    .map((block, i) => `${i === 0 ? '' : isItem(block) && isItem(blocks[i - 1]!) ? '\n' : '\n\n'}${blockMarkdown(block, width)}`)
    .join('');
}

/** The distance from line to line, in points, that is most common on the page. */
function usualStep(lines: readonly Line[]): number {
  const steps = lines.slice(1).map(({ y }, i) => lines[i]!.y - y);
  const plausible = steps.filter((step, i) => step > 0 && step < 3 * lines[i]!.size).toSorted((a, b) => a - b);
  return plausible[Math.floor(plausible.length / 2)] ?? Number.POSITIVE_INFINITY;
}

function continuesHeading({ lines }: Block, { y, size }: Line): boolean {
  const before = lines.at(-1)!;
  return before.y - y > 0 && before.y - y < HEADING_STEP * size && Math.abs(before.size - size) < 0.5;
}

function continuesText({ lines }: Block, line: Line, step: number): boolean {
  const before = lines.at(-1)!;
  if (BULLET.test(line.text) || NUMBER.test(line.text)) return false;
  const down = before.y - line.y;
  const isMidSentence = !SENTENCE_END.test(before.text) && /^\p{Ll}/u.test(line.text);
  if (down < 0 || down > WIDER * step) return isMidSentence && down < 0;
  if (Math.abs(before.size - line.size) > 0.15 * before.size) return isMidSentence;
  return !(line.x - before.x > INDENT * line.size && SENTENCE_END.test(before.text));
}

const isItem = ({ level, lines }: Block): boolean => level === undefined && BULLET.test(lines[0]!.text);

function blockMarkdown({ level, lines, table, isRows }: Block, width: number): string {
  if (table !== undefined) return table;
  if (isRows) return lines.map(({ text }) => escapeLine(text)).join('\n');
  if (level) return heading(level, joined(lines, 0));
  const text = joined(lines, width);
  if (BULLET.test(text)) return `- ${text.replace(BULLET, '')}`;
  return NUMBER.test(text) ? text : text.split('\n').map(escapeLine).join('\n');
}

/** One line where the page was full; a line that ended on purpose stays one. */
function joined(lines: readonly Line[], width: number): string {
  return lines.reduce((text, line, i) => {
    if (i === 0) return line.text;
    const before = lines[i - 1]!;
    const isWrapped = /\p{L}[-\u00ad\u2010]$/u.test(text) && /^\p{Ll}/u.test(line.text);
    if (isWrapped) return text.slice(0, -1) + line.text;
    const isFull = before.right - before.x >= FULL * width && !before.text.includes(' … ');
    return `${text}${isFull ? ' ' : '\n'}${line.text}`;
  }, '');
}
