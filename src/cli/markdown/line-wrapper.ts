import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
/** Text of characters that take one column each: letters, digits and marks of western Europe. */
const PLAIN = /^[ -~\u00a1-\u00ac\u00ae-\u02ff\u2010-\u2027]*$/;

let stringWidth: ((text: string) => number) | undefined;

/** Counts the terminal columns of a text; colours take none. Loads string-width only if needed: it takes 25 ms. */
export function width(text: string): number {
  if (PLAIN.test(text)) return text.length;
  stringWidth ??= (require('string-width') as { default: (text: string) => number }).default;
  return stringWidth(text);
}

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** Cuts a text to a number of columns, with `…` if something is missing. */
export function clip(text: string, columns: number): string {
  if (width(text) <= columns) return text;
  let kept = '';
  for (const { segment } of graphemes.segment(text)) {
    if (width(kept + segment) >= columns) break;
    kept += segment;
  }
  return `${kept.trimEnd()}…`;
}

/** Cuts a text at its beginning, because the end of a path matters most. */
export function clipStart(text: string, columns: number): string {
  if (width(text) <= columns) return text;
  let kept = '';
  for (const { segment } of [...graphemes.segment(text)].toReversed()) {
    if (width(segment + kept) >= columns) break;
    kept = segment + kept;
  }
  return `…${kept.trimStart()}`;
}

/** Styles a piece of text for the terminal: colour, bold, or none. */
export type Paint = (text: string) => string;

/** Leaves text unstyled. */
export const unstyled: Paint = (text) => text;

/** A piece of text in one style. */
export interface Span {
  text: string;
  paint: Paint;
}

/** Characters of scripts in which a line may break anywhere. */
const UNSPACED_SCRIPTS = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303f\uff01-\uff60]/u;
/** Characters that may not begin a line, and those that may not end one. */
const CLOSING = /[\p{Pe}\p{Pf}\p{M}\u200d、。，．：；！？・ー…ぁぃぅぇぉっゃゅょァィゥェォッャュョ.,:;!?]/u;
const OPENING = /[\p{Ps}\p{Pi}\u200d]$/u;
/** All blanks except non-breaking ones. */
const BLANK = /[ \t\n\u1680\u2000-\u2006\u2008-\u200a\u205f\u3000]/;

/**
 * Wraps text into lines of a terminal, each word as soon as it is complete. A word longer than a line is not cut: a cut address cannot be
 * copied.
 */
export class LineWrapper {
  readonly #columns: number;
  readonly #write: (text: string) => void;
  #column = 0;
  #hang = '';
  #isFresh = true;
  #hasGap = false;
  #word: Span[] = [];
  #end = '';

  constructor(columns: number, write: (text: string) => void) {
    this.#columns = columns;
    this.#write = write;
  }

  /** Begins a line with `first`; continuation lines begin with `hang`. */
  open(first: string, hang: string): void {
    this.#write(first);
    this.#hang = hang;
    this.#hasGap = false;
    this.#begin(first);
  }

  write(text: string, paint: Paint = unstyled): void {
    for (const letter of text) {
      if (!BLANK.test(letter)) this.#add(letter, paint);
      else {
        this.#flush();
        this.#hasGap = true;
      }
    }
  }

  close(): void {
    this.#flush();
    this.#write('\n');
    this.#begin('');
  }

  #begin(prefix: string): void {
    this.#column = width(prefix);
    this.#isFresh = true;
  }

  #add(letter: string, paint: Paint): void {
    if (this.#end && mayBreak(this.#end, letter)) this.#flush();
    const last = this.#word.at(-1);
    if (last?.paint === paint) last.text += letter;
    else this.#word.push({ text: letter, paint });
    this.#end = letter;
  }

  #flush(): void {
    if (this.#word.length === 0) return;
    const room = width(this.#word.map(({ text }) => text).join(''));
    const blank = this.#hasGap && !this.#isFresh ? ' ' : '';
    const fits = this.#isFresh || this.#column + blank.length + room <= this.#columns;
    if (!fits) this.#begin(this.#hang);
    this.#write((fits ? blank : `\n${this.#hang}`) + this.#word.map(({ text, paint }) => paint(text)).join(''));
    this.#column += room + (fits ? blank.length : 0);
    if (this.#column > this.#columns) this.#column %= this.#columns; // the terminal has wrapped it by itself
    [this.#isFresh, this.#hasGap, this.#word, this.#end] = [false, false, [], ''];
  }
}

/** Whether a line may be broken between two characters of a word. */
function mayBreak(before: string, after: string): boolean {
  if (CLOSING.test(after) || OPENING.test(before)) return false;
  return UNSPACED_SCRIPTS.test(before) || UNSPACED_SCRIPTS.test(after);
}

/** The beginning of a line and of its continuations, and the number of columns; undefined: no limit. */
interface LineShape {
  first?: string;
  hang?: string;
  columns: number | undefined;
}

/** Wraps spans into lines, without a newline at the end. */
export function wrapSpans(spans: readonly Span[], { first = '', hang = '', columns = Infinity }: LineShape): string {
  let text = '';
  const line = new LineWrapper(columns, (piece) => (text += piece));
  line.open(first, hang);
  for (const span of spans) line.write(span.text, span.paint);
  line.close();
  return text.slice(0, -1);
}

/** Wraps sentences into lines. Newlines stay, a line that fits is not changed, and indentation continues. */
export const wrapText = (text: string, columns: number | undefined): string =>
  text
    .split('\n')
    .map((line) => (columns === undefined || width(line) <= columns ? line : wrapOneLine(line, columns)))
    .join('\n');

/** Wraps a row of a label and a text: continuation lines are indented below the text. */
export function wrapRow(label: string, text: string, columns: number | undefined): string {
  const taken = width(label);
  if (columns === undefined || taken + width(text) <= columns) return label + text;
  const hang = ' '.repeat(taken <= columns / 2 ? taken : 4);
  return wrapSpans([{ text, paint: unstyled }], { first: label, hang, columns });
}

function wrapOneLine(line: string, columns: number): string {
  const [indent = ''] = /^\s*/.exec(line) ?? [];
  return wrapSpans([{ text: line.slice(indent.length), paint: unstyled }], { first: indent, hang: indent, columns });
}
