import type { ChalkInstance } from 'chalk';
import { fenceMark } from '../../text/markdown/blocks.ts';
import { readLine, lineKind } from '../../text/markdown/lines.ts';
import { Flow, type Paint, plain, type Span, width, foldSpans } from './flow.ts';
import { inline, spansOf } from './inline.ts';

/** Kind of a line of Markdown. `rest`: its text after the mark. */
type MarkdownBlock =
  | { kind: 'blank' | 'table' | 'rule' }
  | { kind: 'fence'; fence: string }
  | { kind: 'text'; first?: string; hang?: string; paint?: Paint; rest: string };

interface BlockOptions {
  color: ChalkInstance;
  columns: number;
  /** Whether `head` is the whole line. */
  isOver: boolean;
}

/** Beginnings of a line that are still ambiguous. */
const UNDECIDED = /^\s*(?:#{1,6}\s*|[-*+_][\s*_:|-]*|\d{1,9}(?:[.)]\s*)?|>\s*|`{1,2}|~{1,2}|(?:`{3}|~{3}|\|).*)?$/;
const QUOTE = /^\s*>\s*(?=\S|$)/;

/** Classifies the line that begins with `head`; undefined if it is still ambiguous, which a whole line (`isOver`) never is. */
function blockOf(head: string, { color, columns, isOver }: BlockOptions): MarkdownBlock | undefined {
  if (!isOver && UNDECIDED.test(head)) return undefined;
  const { kind, start, indent: blanks } = readLine(head, 0);
  if (kind === 'blank') return { kind };
  if (head[start] === '|') return { kind: 'table' };
  if (kind === 'fence') return { kind, fence: fenceMark(head, start) };
  if (kind === 'rule' || (kind === 'underline' && head.startsWith('---', start))) return { kind: 'rule' };
  const [marked = '', mark = ''] = /^(\S+)\s+(?=\S)/.exec(head.slice(start)) ?? [];
  const rest = head.slice(start + marked.length);
  const indent = ' '.repeat(Math.min(blanks, Math.floor(columns / 4))); // a narrow terminal has room for few
  if (kind === 'heading' && marked && blanks < 4) return heading(rest, mark, color);
  if (kind === 'item' && marked) return listItem(rest, { mark, indent });
  const [quote] = QUOTE.exec(head) ?? [];
  if (quote !== undefined) return { kind: 'text', first: color.dim('│ '), hang: color.dim('│ '), rest: head.slice(quote.length) };
  return { kind: 'text', first: indent, hang: indent, rest: head.trimStart() };
}

/** Without colours a heading keeps its marks. */
const heading = (rest: string, marks: string, color: ChalkInstance): MarkdownBlock =>
  color.level > 0 ? { kind: 'text', paint: color.bold, rest } : { kind: 'text', first: `${marks} `, rest };

function listItem(rest: string, { mark, indent }: { mark: string; indent: string }): MarkdownBlock {
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
  readonly #flow: Flow;
  #out = '';
  /** Unclassified beginning of the current line; then the reader of its text. */
  #head = '';
  #line: ReturnType<typeof inline> | undefined;
  /** The line has ended inside a span, which the next line may close. */
  #isBroken = false;
  #table: string[] = [];
  #fence = '';
  #isBlank = false;
  #hasBegun = false;
  #isAtLineStart = true;

  constructor(options: MarkdownOptions) {
    this.#options = options;
    this.#flow = new Flow(options.columns, (text) => (this.#out += text));
  }

  /** Whether what is drawn so far ends with a newline. */
  get isAtLineStart(): boolean {
    return this.#isAtLineStart;
  }

  push(piece: string): void {
    for (const [i, part] of piece.split('\n').entries()) {
      if (i > 0) this.#endLine();
      if (part) this.#take(part);
    }
    this.#show();
  }

  /** Draws what was held back, and ends the last line. */
  end(): void {
    if (this.#head || (this.#line && !this.#isBroken)) this.#endLine();
    this.#closeLine();
    this.#endTable();
    this.#show();
  }

  #take(part: string): void {
    if (this.#line && !this.#isBroken) return this.#line.push(part);
    this.#head += part;
    const block = this.#fence ? undefined : blockOf(this.#head, { ...this.#options, isOver: false });
    if (block) this.#goOn(block);
  }

  #endLine(): void {
    if (!this.#line && this.#fence) return this.#codeLine();
    if (!this.#line || this.#isBroken) this.#goOn(blockOf(this.#head, { ...this.#options, isOver: true })!);
    if (this.#line?.isOpen) this.#isBroken = true;
    else this.#closeLine();
  }

  #closeLine(): void {
    if (!this.#line) return;
    this.#line.end();
    this.#flow.close();
    this.#line = undefined;
    this.#isBroken = false;
  }

  /** Begins a block, or continues an open span of the previous line if this line is plain text. */
  #goOn(block: MarkdownBlock): void {
    const isPlain = block.kind === 'text' && !block.paint && (block.first ?? '').trim() === '';
    if (!this.#isBroken || !isPlain) {
      this.#closeLine();
      return this.#begin(block);
    }
    this.#isBroken = false;
    this.#head = '';
    this.#line!.push(`\n${block.rest}`);
  }

  #begin(block: MarkdownBlock): void {
    if (block.kind === 'table') this.#table.push(this.#head);
    else this.#endTable();
    if (block.kind === 'blank') this.#isBlank = true;
    if (block.kind === 'text') this.#text(block);
    if (block.kind === 'fence') {
      this.#gap();
      this.#fence = block.fence;
    }
    if (block.kind === 'rule') {
      this.#gap();
      this.#out += `${this.#options.color.dim('─'.repeat(Math.min(this.#options.columns, BREAK_WIDTH)))}\n`;
    }
    this.#head = '';
  }

  #text({ first = '', hang = '', paint = plain, rest }: Extract<MarkdownBlock, { kind: 'text' }>): void {
    this.#gap();
    this.#flow.open(first, hang);
    const write = ({ text, paint: drawn }: Span): void => {
      for (const [i, part] of text.split('\n').entries()) {
        if (i > 0) this.#flow.close();
        if (i > 0) this.#flow.open(hang, hang);
        this.#flow.write(part, drawn);
      }
    };
    this.#line = inline(write, this.#options.color, paint);
    this.#line.push(rest);
  }

  /** Code is not wrapped: it is copied as it is. */
  #codeLine(): void {
    const isEnd = this.#head.trim().startsWith(this.#fence) && new Set(this.#head.trim()).size === 1;
    if (isEnd) this.#fence = '';
    else this.#out += this.#head.trim() ? `  ${this.#options.color.cyan(this.#head)}\n` : '\n';
    this.#head = '';
  }

  #endTable(): void {
    if (this.#table.length === 0) return;
    this.#gap();
    this.#out += tableText(this.#table, this.#options);
    this.#table = [];
  }

  /** Blank lines become one, and none stands at the beginning. */
  #gap(): void {
    if (this.#isBlank && this.#hasBegun) this.#out += '\n';
    [this.#isBlank, this.#hasBegun] = [false, true];
  }

  #show(): void {
    if (this.#out === '') return;
    this.#isAtLineStart = this.#out.endsWith('\n');
    this.#options.write(this.#out);
    this.#out = '';
  }
}

/** Columns between two cells. */
const GAP = 2;

interface Cell {
  spans: Span[];
  width: number;
}

/** Horizontal alignment of a cell: the share of the free space on its left. */
type Shift = 0 | 0.5 | 1;

interface TableView {
  color: ChalkInstance;
  columns: number;
}

/** Draws the lines of a Markdown table: as columns if they fit, else one record per row (`Header: value`). Other lines stay text. Each line ends with a newline. */
export function tableText(lines: readonly string[], view: TableView): string {
  const delimiter = lines[1]?.trim() ?? '';
  if (lineKind(delimiter) !== 'separator') return lines.map((line) => `${foldSpans(spansOf(line, view.color), view)}\n`).join('');
  const [heads = [], ...rows] = lines.filter((_, i) => i !== 1).map((line) => cellsOf(line, view.color));
  const widths = widthsOf([heads, ...rows]);
  const room = widths.reduce((sum, cell) => sum + cell + GAP, -GAP);
  return room <= view.columns ? grid(heads, rows, { widths, shifts: shiftsOf(delimiter), color: view.color }) : records(heads, rows, view);
}

const textsOf = (line: string): string[] =>
  line
    .trim()
    .replace(/^\|/, '')
    .replace(/(?<!\\)\|$/, '')
    .split(/(?<!\\)\|/);

/** Reads the alignment of each column: `---:` right, `:---:` centred. */
const shiftsOf = (delimiter: string): Shift[] =>
  textsOf(delimiter).map((mark) => (!mark.trim().endsWith(':') ? 0 : mark.trim().startsWith(':') ? 0.5 : 1));

function cellsOf(line: string, color: ChalkInstance): Cell[] {
  return textsOf(line).map((text) => {
    const spans = spansOf(text.replaceAll('\\|', '|').trim(), color);
    return { spans, width: spans.reduce((sum, span) => sum + width(span.text), 0) };
  });
}

const widthsOf = (rows: readonly Cell[][]): number[] =>
  Array.from({ length: Math.max(...rows.map((row) => row.length)) }, (_, i) => Math.max(...rows.map((row) => row[i]?.width ?? 0)));

const paintCell = (cell: Cell): string => cell.spans.map(({ text, paint }) => paint(text)).join('');

interface GridView {
  widths: readonly number[];
  shifts: readonly Shift[];
  color: ChalkInstance;
}

function grid(heads: readonly Cell[], rows: readonly Cell[][], { widths, shifts, color }: GridView): string {
  const cellText = (cell: Cell, room: number, { shift, paint }: { shift: Shift; paint: Paint }) => {
    const before = Math.floor((room - cell.width) * shift);
    return ' '.repeat(before) + paint(paintCell(cell)) + ' '.repeat(room - cell.width - before);
  };
  const lineOf = (cells: readonly Cell[], paint = plain) =>
    widths
      .map((room, i) => (cells[i] ? cellText(cells[i], room, { shift: shifts[i] ?? 0, paint }) : ' '.repeat(room)))
      .join(' '.repeat(GAP))
      .trimEnd();
  const rule = color.dim(widths.map((room) => '─'.repeat(room)).join(' '.repeat(GAP)));
  return [lineOf(heads, color.bold), rule, ...rows.map((row) => lineOf(row))].map((line) => `${line}\n`).join('');
}

function records(heads: readonly Cell[], rows: readonly Cell[][], { color, columns }: TableView): string {
  const recordOf = (row: readonly Cell[]) =>
    row.map((cell, i) => {
      const name = heads[i]?.spans.map(({ text }) => text).join('');
      const label: Span[] = name ? [{ text: `${name}: `, paint: color.bold }] : [];
      return `${foldSpans([...label, ...cell.spans], { hang: '  ', columns })}\n`;
    });
  return rows.map((row) => recordOf(row).join('')).join('\n');
}
