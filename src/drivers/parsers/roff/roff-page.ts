import type { ParsedDocument } from '../../../ports/reading.ts';
import type { MacroTarget } from './macro-target.ts';
import { isManMacro, writeMan } from './man-macros.ts';
import { isMdocMacro, MdocWriter } from './mdoc-macros.ts';
import { type Definitions, withoutEscapes } from './roff-escapes.ts';
import { type RoffLine, RoffLines } from './roff-lines.ts';
import { RoffWriter } from './roff-writer.ts';
import { readTable } from './roff-tables.ts';

/** What is asked for in pages of either kind. */
const REQUESTS = new Set(['sp', 'br', 'nf', 'fi', 'so', 'TS', 'TE', 'EQ', 'EN']);

/** Reads a manual page in roff, with the macros of man(7) or mdoc(7). */
export function readRoff(source: string): ParsedDocument {
  const page = new RoffPage(source);
  return page.read();
}

/** A manual page while it is read. */
class RoffPage implements MacroTarget {
  readonly writer = new RoffWriter();
  /** Of the link whose text is being read. */
  address = '';
  readonly #source: string;
  readonly #lines = new RoffLines();
  readonly #mdoc: MdocWriter | undefined;
  #title = '';
  #isTerm = false;
  /** The lines of a table, or of a formula, which is left out. */
  #table: { lines: string[]; line: number; end: string } | undefined;

  constructor(source: string) {
    this.#source = source;
    this.#mdoc = /^\.[ \t]*D[dt]\b/m.test(source) && !/^\.[ \t]*TH\b/m.test(source) ? new MdocWriter(this) : undefined;
  }

  get defined(): Definitions {
    return this.#lines.defined;
  }

  read(): ParsedDocument {
    const isBuiltIn = (macro: string) => REQUESTS.has(macro) || (this.#mdoc ? isMdocMacro(macro) : isManMacro(macro));
    for (const line of this.#lines.read(this.#source, isBuiltIn)) this.#write(line);
    const { text, marks } = this.writer.end();
    return { text, title: this.#title || undefined, metadata: {}, marks };
  }

  title(name = '', section = ''): void {
    const known = `${name}${section && `(${section})`}`;
    this.#title = /\p{Ll}/u.test(name) ? known : known.toLowerCase();
  }

  heading(level: number, text: string, line: number): void {
    this.#isTerm = false;
    this.writer.heading(level, text, line);
  }

  /** The next text is what is defined by the text behind it. */
  nextIsTerm(): void {
    this.writer.paragraph();
    this.#isTerm = true;
  }

  /** Text without escapes. */
  text(text: string, line: number): void {
    if (!this.#isTerm) return this.writer.text(text, line);
    this.#isTerm = text === '';
    this.writer.term(text, line);
  }

  #write(line: RoffLine): void {
    if (this.#table) return this.#collect(line, this.#table);
    const { macro, rest, args } = line;
    if (macro === undefined) return this.#plain(line);
    if (this.#mdoc?.write(line) ?? writeMan(this, line)) return;
    if (macro === 'sp') this.writer.paragraph();
    else if (macro === 'br') this.writer.lineBreak();
    else if (macro === 'nf') this.writer.code();
    else if (macro === 'fi') this.writer.fill();
    else if (macro === 'TS' || macro === 'EQ') this.#table = { lines: [], line: line.line, end: macro === 'TS' ? 'TE' : 'EN' };
    else if (macro === 'so') this.#reference(args[0] ?? rest, line.line);
  }

  #plain({ rest, line }: RoffLine): void {
    if (rest.trim() === '') return this.writer.paragraph({ isIndented: true });
    const text = withoutEscapes(rest, this.defined);
    if (!this.writer.isCode && /^\s/.test(rest)) this.writer.lineBreak();
    this.text(text, line);
  }

  /** A page that stands for another: `.so man1/zdiff.1`. */
  #reference(path: string, line: number): void {
    const name = path.slice(path.lastIndexOf('/') + 1);
    const at = name.lastIndexOf('.');
    if (at > 0) this.writer.text(`See ${name.slice(0, at)}(${name.slice(at + 1)}).`, line);
  }

  #collect({ macro, rest }: RoffLine, table: { lines: string[]; line: number; end: string }): void {
    if (macro !== table.end) return void table.lines.push(macro === undefined ? rest : `.${macro} ${rest}`);
    this.#table = undefined;
    if (macro === 'TE') this.writer.table(readTable(table.lines, this.defined), table.line);
  }
}
