import type { ChalkInstance } from 'chalk';
import { blockOf, type Block } from './block.ts';
import { Flow, plain, type Span } from './flow.ts';
import { inline } from './inline.ts';
import { tableText } from './table.ts';

export interface MarkdownOptions {
  /** Characters of a line of the terminal. */
  columns: number;
  color: ChalkInstance;
  write(text: string): void;
}

/** Columns of a thematic break. */
const RULE = 40;

/**
 * Draws Markdown on a terminal while it comes: a word as soon as it is complete, tables and lines of code when they are. Nothing of the text is
 * lost: what is no Markdown after all is drawn as it came.
 */
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
  #goOn(block: Block): void {
    const isPlain = block.kind === 'text' && !block.paint && (block.first ?? '').trim() === '';
    if (!this.#isBroken || !isPlain) {
      this.#closeLine();
      return this.#begin(block);
    }
    this.#isBroken = false;
    this.#head = '';
    this.#line!.push(`\n${block.rest}`);
  }

  #begin(block: Block): void {
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
      this.#out += `${this.#options.color.dim('─'.repeat(Math.min(this.#options.columns, RULE)))}\n`;
    }
    this.#head = '';
  }

  #text({ first = '', hang = '', paint = plain, rest }: Extract<Block, { kind: 'text' }>): void {
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
