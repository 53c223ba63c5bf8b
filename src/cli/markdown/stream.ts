import type { ChalkInstance } from 'chalk';
import { fenceMark, readLine, lineKind } from '@citekb/documents/markdown';
import { LineWrapper, type Paint, unstyled, type Span, width, wrapSpans } from './line-wrapper.ts';
import { createInlineReader, parseSpans } from './inline.ts';

/** Kind of a line of Markdown. `rest`: the text after the mark. */
type MarkdownBlock =
  | { kind: 'blank' | 'table' | 'rule' }
  | { kind: 'fence'; fence: string }
  | { kind: 'text'; first?: string; hang?: string; paint?: Paint; rest: string };

interface BlockOptions {
  color: ChalkInstance;
  columns: number;
  /** Whether `head` is the whole line. */
  isComplete: boolean;
}

/** Beginnings of a line that are still ambiguous. */
const AMBIGUOUS_START = /^\s*(?:#{1,6}\s*|[-*+_][\s*_:|-]*|\d{1,9}(?:[.)]\s*)?|>\s*|`{1,2}|~{1,2}|(?:`{3}|~{3}|\|).*)?$/;
const QUOTE = /^\s*>\s*(?=\S|$)/;

/** Classifies the line that begins with `head`; undefined if it is still ambiguous, which a complete line never is. */
function classifyLine(head: string, { color, columns, isComplete }: BlockOptions): MarkdownBlock | undefined {
  if (!isComplete && AMBIGUOUS_START.test(head)) return undefined;
  const { kind, start, indent: blanks } = readLine(head, 0);
  if (kind === 'blank') return { kind };
  if (head[start] === '|') return { kind: 'table' };
  if (kind === 'fence') return { kind, fence: fenceMark(head, start) };
  if (kind === 'rule' || (kind === 'underline' && head.startsWith('---', start))) return { kind: 'rule' };
  const [marked = '', mark = ''] = /^(\S+)\s+(?=\S)/.exec(head.slice(start)) ?? [];
  const rest = head.slice(start + marked.length);
  const indent = ' '.repeat(Math.min(blanks, Math.floor(columns / 4))); // a narrow terminal limits the indent
  if (kind === 'heading' && marked && blanks < 4) return headingBlock(rest, mark, color);
  if (kind === 'item' && marked) return itemBlock(rest, { mark, indent });
  const [quote] = QUOTE.exec(head) ?? [];
  if (quote !== undefined) return { kind: 'text', first: color.dim('│ '), hang: color.dim('│ '), rest: head.slice(quote.length) };
  return { kind: 'text', first: indent, hang: indent, rest: head.trimStart() };
}

/** Makes a heading; without colours it keeps its marks. */
const headingBlock = (rest: string, marks: string, color: ChalkInstance): MarkdownBlock =>
  color.level > 0 ? { kind: 'text', paint: color.bold, rest } : { kind: 'text', first: `${marks} `, rest };

function itemBlock(rest: string, { mark, indent }: { mark: string; indent: string }): MarkdownBlock {
  const first = `${indent}${/\d/.test(mark) ? mark : '•'} `;
  return { kind: 'text', first, hang: ' '.repeat(first.length), rest };
}

interface MarkdownOptions {
  /** Characters of a line of the terminal. */
  columns: number;
  color: ChalkInstance;
  write(text: string): void;
}

/** Columns of a thematic break. */
const BREAK_WIDTH = 40;

/** Draws streamed Markdown on a terminal: each word, table row and line of code as soon as it is complete. No text is lost. */
export class MarkdownStream {
  readonly #options: MarkdownOptions;
  readonly #flow: LineWrapper;
  #output = '';
  /** Unclassified beginning of the current line; then the reader of its text. */
  #head = '';
  #line: ReturnType<typeof createInlineReader> | undefined;
  /** The line has ended inside a span, which the next line may close. */
  #hasOpenSpan = false;
  #table: string[] = [];
  #fence = '';
  #isBlank = false;
  #hasBegun = false;
  #isAtLineStart = true;

  constructor(options: MarkdownOptions) {
    this.#options = options;
    this.#flow = new LineWrapper(options.columns, (text) => (this.#output += text));
  }

  /** Whether what is drawn so far ends with a newline. */
  get isAtLineStart(): boolean {
    return this.#isAtLineStart;
  }

  push(piece: string): void {
    for (const [i, part] of piece.split('\n').entries()) {
      if (i > 0) this.#endLine();
      if (part) this.#addToLine(part);
    }
    this.#flush();
  }

  /** Draws the rest of the input, and ends the last line. */
  end(): void {
    if (this.#head || (this.#line && !this.#hasOpenSpan)) this.#endLine();
    this.#closeLine();
    this.#endTable();
    this.#flush();
  }

  #addToLine(part: string): void {
    if (this.#line && !this.#hasOpenSpan) return this.#line.push(part);
    this.#head += part;
    const block = this.#fence ? undefined : classifyLine(this.#head, { ...this.#options, isComplete: false });
    if (block) this.#continueWith(block);
  }

  #endLine(): void {
    if (!this.#line && this.#fence) return this.#writeCodeLine();
    if (!this.#line || this.#hasOpenSpan) this.#continueWith(classifyLine(this.#head, { ...this.#options, isComplete: true })!);
    if (this.#line?.isOpen) this.#hasOpenSpan = true;
    else this.#closeLine();
  }

  #closeLine(): void {
    if (!this.#line) return;
    this.#line.end();
    this.#flow.close();
    this.#line = undefined;
    this.#hasOpenSpan = false;
  }

  /** Begins a block, or continues an open span of the previous line if this line is plain text. */
  #continueWith(block: MarkdownBlock): void {
    const isPlain = block.kind === 'text' && !block.paint && (block.first ?? '').trim() === '';
    if (!this.#hasOpenSpan || !isPlain) {
      this.#closeLine();
      return this.#begin(block);
    }
    this.#hasOpenSpan = false;
    this.#head = '';
    this.#line!.push(`\n${block.rest}`);
  }

  #begin(block: MarkdownBlock): void {
    if (block.kind === 'table') this.#table.push(this.#head);
    else this.#endTable();
    if (block.kind === 'blank') this.#isBlank = true;
    if (block.kind === 'text') this.#beginText(block);
    if (block.kind === 'fence') {
      this.#writeGap();
      this.#fence = block.fence;
    }
    if (block.kind === 'rule') {
      this.#writeGap();
      this.#output += `${this.#options.color.dim('─'.repeat(Math.min(this.#options.columns, BREAK_WIDTH)))}\n`;
    }
    this.#head = '';
  }

  #beginText({ first = '', hang = '', paint = unstyled, rest }: Extract<MarkdownBlock, { kind: 'text' }>): void {
    this.#writeGap();
    this.#flow.open(first, hang);
    const write = ({ text, paint: drawn }: Span): void => {
      for (const [i, part] of text.split('\n').entries()) {
        if (i > 0) this.#flow.close();
        if (i > 0) this.#flow.open(hang, hang);
        this.#flow.write(part, drawn);
      }
    };
    this.#line = createInlineReader(write, this.#options.color, paint);
    this.#line.push(rest);
  }

  /** Writes a line of code without wrapping, so that it can be copied. */
  #writeCodeLine(): void {
    const isEnd = this.#head.trim().startsWith(this.#fence) && new Set(this.#head.trim()).size === 1;
    if (isEnd) this.#fence = '';
    else this.#output += this.#head.trim() ? `  ${this.#options.color.cyan(this.#head)}\n` : '\n';
    this.#head = '';
  }

  #endTable(): void {
    if (this.#table.length === 0) return;
    this.#writeGap();
    this.#output += drawTable(this.#table, this.#options);
    this.#table = [];
  }

  /** Writes one blank line for any number of them, except at the beginning. */
  #writeGap(): void {
    if (this.#isBlank && this.#hasBegun) this.#output += '\n';
    [this.#isBlank, this.#hasBegun] = [false, true];
  }

  #flush(): void {
    if (this.#output === '') return;
    this.#isAtLineStart = this.#output.endsWith('\n');
    this.#options.write(this.#output);
    this.#output = '';
  }
}

/** Columns between two cells. */
const GAP = 2;

interface Cell {
  spans: Span[];
  width: number;
}

/** Alignment of a cell: the share of the free space on its left. */
type Shift = 0 | 0.5 | 1;

interface TableView {
  color: ChalkInstance;
  columns: number;
}

/** Draws the lines of a Markdown table: as columns if they fit, else one record per row (`Header: value`). Other lines stay text. Each line ends with a newline. */
export function drawTable(lines: readonly string[], view: TableView): string {
  const delimiter = lines[1]?.trim() ?? '';
  if (lineKind(delimiter) !== 'separator') return lines.map((line) => `${wrapSpans(parseSpans(line, view.color), view)}\n`).join('');
  const [heads = [], ...rows] = lines.filter((_, i) => i !== 1).map((line) => cellsOf(line, view.color));
  const widths = columnWidths([heads, ...rows]);
  const room = widths.reduce((sum, cell) => sum + cell + GAP, -GAP);
  return room <= view.columns
    ? drawGrid(heads, rows, { widths, shifts: parseAlignments(delimiter), color: view.color })
    : drawRecords(heads, rows, view);
}

const splitCells = (line: string): string[] =>
  line
    .trim()
    .replace(/^\|/, '')
    .replace(/(?<!\\)\|$/, '')
    .split(/(?<!\\)\|/);

/** Reads the alignment of each column: `---:` right, `:---:` centred. */
const parseAlignments = (delimiter: string): Shift[] =>
  splitCells(delimiter).map((mark) => (!mark.trim().endsWith(':') ? 0 : mark.trim().startsWith(':') ? 0.5 : 1));

function cellsOf(line: string, color: ChalkInstance): Cell[] {
  return splitCells(line).map((text) => {
    const spans = parseSpans(text.replaceAll('\\|', '|').trim(), color);
    return { spans, width: spans.reduce((sum, span) => sum + width(span.text), 0) };
  });
}

const columnWidths = (rows: readonly Cell[][]): number[] =>
  Array.from({ length: Math.max(...rows.map((row) => row.length)) }, (_, i) => Math.max(...rows.map((row) => row[i]?.width ?? 0)));

const paintCell = (cell: Cell): string => cell.spans.map(({ text, paint }) => paint(text)).join('');

interface GridView {
  widths: readonly number[];
  shifts: readonly Shift[];
  color: ChalkInstance;
}

function drawGrid(heads: readonly Cell[], rows: readonly Cell[][], { widths, shifts, color }: GridView): string {
  const cellText = (cell: Cell, room: number, { shift, paint }: { shift: Shift; paint: Paint }) => {
    const before = Math.floor((room - cell.width) * shift);
    return ' '.repeat(before) + paint(paintCell(cell)) + ' '.repeat(room - cell.width - before);
  };
  const lineOf = (cells: readonly Cell[], paint = unstyled) =>
    widths
      .map((room, i) => (cells[i] ? cellText(cells[i], room, { shift: shifts[i] ?? 0, paint }) : ' '.repeat(room)))
      .join(' '.repeat(GAP))
      .trimEnd();
  const rule = color.dim(widths.map((room) => '─'.repeat(room)).join(' '.repeat(GAP)));
  return [lineOf(heads, color.bold), rule, ...rows.map((row) => lineOf(row))].map((line) => `${line}\n`).join('');
}

function drawRecords(heads: readonly Cell[], rows: readonly Cell[][], { color, columns }: TableView): string {
  const recordOf = (row: readonly Cell[]) =>
    row.map((cell, i) => {
      const name = heads[i]?.spans.map(({ text }) => text).join('');
      const label: Span[] = name ? [{ text: `${name}: `, paint: color.bold }] : [];
      return `${wrapSpans([...label, ...cell.spans], { hang: '  ', columns })}\n`;
    });
  return rows.map((row) => recordOf(row).join('')).join('\n');
}
