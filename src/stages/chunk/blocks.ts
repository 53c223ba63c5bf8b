import type { Block, BlockKind } from './block.ts';
import { readFence, readHeading, readMarkup, underlined } from './block-kinds.ts';
import { readLine, type Line } from './lines.ts';
import { trimEnd } from './whitespace.ts';

/** What the reader knows between two lines. */
interface Reading {
  text: string;
  blocks: Block[];
  /** The paragraph, list or table that the next line may continue. */
  open: Block | undefined;
  /** Whether a blank line stands between `open` and the next line. */
  gap: boolean;
  /** Where the last line of `open` begins. */
  lastLine: number;
  /** Whether a list began above that an indented line may belong to, also after a fence inside it. */
  listed: boolean;
  /** Closing marks (`-->`, `</pre>`) that do not occur any more: they are looked for once only, which keeps reading linear. */
  missing: Set<string>;
}

/** Cuts Markdown into blocks, in order; all characters between two blocks are white space. Takes time in proportion to the text. */
export function readBlocks(text: string): Block[] {
  const reading: Reading = { text, blocks: [], open: undefined, gap: false, lastLine: 0, listed: false, missing: new Set() };
  for (let at = 0; at < text.length;) {
    const line = readLine(text, at);
    at = line.next;
    if (line.kind === 'blank') {
      reading.gap = true;
      if (reading.open?.kind !== 'list') reading.open = undefined;
      continue;
    }
    const whole = wholeBlock(reading, line);
    if (whole) {
      reading.blocks.push(whole.block);
      reading.open = undefined;
      at = whole.next;
    } else takeLine(reading, line);
    reading.gap = false;
  }
  return reading.blocks;
}

/** The block that begins with the line and is known to end somewhere: a heading, a fence, a comment, a rule. */
function wholeBlock(reading: Reading, line: Line): { block: Block; next: number } | undefined {
  const { text, open, listed } = reading;
  if (line.indent > 3) return line.kind === 'fence' && listed ? readFence(text, line) : undefined;
  if (line.indent < 2 && line.kind !== 'text' && line.kind !== 'item' && line.kind !== 'fence') reading.listed = false;
  switch (line.kind) {
    case 'heading':
      return { block: readHeading(text, line), next: line.next };
    case 'fence':
      return readFence(text, line);
    case 'comment':
    case 'verbatim':
      return readMarkup(text, line, reading.missing);
    case 'underline':
      if (open && underlined(text, open, line)) return { block: reading.blocks.pop()!, next: line.next };
      return /^-{3}/.test(text.slice(line.start, line.start + 3)) ? { block: blockOf('rule', line), next: line.next } : undefined;
    case 'rule':
      return { block: blockOf('rule', line), next: line.next };
    default:
      return undefined;
  }
}

/** Adds the line to the open block, or begins a paragraph, list or table with it. */
function takeLine(reading: Reading, line: Line): void {
  const { open } = reading;
  if (line.kind === 'separator' && open && open.kind !== 'table' && beginTable(reading, line)) return;
  if (line.kind === 'item' && !(open?.kind === 'paragraph' && !interrupts(reading.text, line))) {
    reading.listed = true;
    if (open?.kind === 'list') extend(reading, line);
    else begin(reading, 'list', line);
    return;
  }
  if (open && !(open.kind === 'list' && reading.gap && line.indent < 2)) {
    extend(reading, line);
    return;
  }
  if (line.indent < 2) reading.listed = false;
  begin(reading, 'paragraph', line);
}

/** A number other than 1 within a paragraph is a number that fell at the beginning of a line. */
const interrupts = (text: string, line: Line): boolean =>
  !/^\d/.test(text.slice(line.start, line.start + 1)) || /^1[.)]/.test(text.slice(line.start, line.start + 2));

/** Makes the last line of the open block the header of a table, if it looks like one. */
function beginTable(reading: Reading, separator: Line): boolean {
  const { text, blocks, lastLine } = reading;
  const open = reading.open!;
  const header = text.slice(lastLine, open.end);
  if (reading.gap || !header.includes('|') || (open.kind === 'list' && !header.startsWith('|'))) return false;
  if (lastLine === open.start) blocks.pop();
  else open.end = trimEnd(text, open.start, lastLine);
  reading.open = { ...blockOf('table', separator), start: lastLine, body: separator.next };
  reading.lastLine = separator.start;
  blocks.push(reading.open);
  return true;
}

function begin(reading: Reading, kind: BlockKind, line: Line): void {
  reading.open = blockOf(kind, line);
  reading.lastLine = line.start;
  reading.blocks.push(reading.open);
}

function extend(reading: Reading, line: Line): void {
  reading.open!.end = line.end;
  reading.lastLine = line.start;
}

const blockOf = (kind: BlockKind, { start, end }: Line): Block => ({ kind, start, end, body: start, level: 0, title: '' });
