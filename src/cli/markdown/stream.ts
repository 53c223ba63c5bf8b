import type { ChalkInstance } from 'chalk';
import { fenceMark } from '../../text/markdown/blocks.ts';
import { readLine } from '../../text/markdown/lines.ts';
import { Flow, type Paint, plain, type Span } from './flow.ts';
import { inline } from './inline.ts';
import { tableText } from './table.ts';

/** What a line of Markdown is. `rest` is what of a text has been read beyond its mark. */
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

/** Beginnings of a line that may become anything yet. */
const UNDECIDED = /^\s*(?:#{1,6}\s*|[-*+_][\s*_:|-]*|\d{1,9}(?:[.)]\s*)?|>\s*|`{1,2}|~{1,2}|(?:`{3}|~{3}|\|).*)?$/;
const QUOTE = /^\s*>\s*(?=\S|$)/;

/** What the line that begins with `head` is; undefined while that is open. Once `isOver`, it is something. */
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

/** Without colours its marks say that it is a heading. */
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

/** Draws Markdown on a terminal while it comes: each word, table row and line of code once it is complete. Nothing of the text is lost. */
export class MarkdownStream {
  readonly #options: MarkdownOptions;
  readonly #flow: Flow;
  #out = '';
  /** Of the line that is read: what does not yet say what it is; then the reader of its text. */
  #head = '';
  #line: ReturnType<typeof inline> | undefined;
  /** The line is over, but not a span that began in it: the next line may be its end. */
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

  /** A line after one that is over, or the rest of a span that began in that: only what is no block of its own. */
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
