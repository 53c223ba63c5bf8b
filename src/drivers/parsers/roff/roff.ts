import { decodeText } from '../bytes.ts';
import type { ParserRow } from '../parser-row.ts';
import { manualPageTitle, markHeadings } from '../light-markup/text-structure.ts';
import type { ParsedDocument } from '../../../ports/reading.ts';
import { type MacroTarget, RoffWriter } from './roff-writer.ts';
import { isManMacro, writeMan } from './man-macros.ts';
import { isMdocMacro, MdocWriter } from './mdoc-macros.ts';
import { type Definitions, withoutEscapes, type RoffLine, RoffLines } from './roff-lines.ts';

/** A title, a heading or a reference to another page, as macros of man(7) and mdoc(7). */
const ROFF = /^[.'][ \t]*(?:TH|SH|Sh|Dd|Dt|so)\b/m;
/** Characters in which such a macro is looked for: licences and definitions may be before it. */
const HEAD = 65_536;

/** A manual page in roff; a file with a number for its extension may be any text, too. */
export const roffParser: ParserRow = {
  file_type: 'roff',
  name: 'a manual page (roff)',
  extensions: ['.1', '.2', '.3', '.4', '.5', '.6', '.7', '.8', '.man', '.mdoc', '.roff'],
  // not any letters: a .7z is an archive, a .3gp a film
  more_extensions: /^\.[1-8](?:const|edit|head|m|ncurses|p|perl|pm|posix|ssl|t|tcl|tk|type|x)$/,
  media_types: ['text/troff', 'application/x-troff-man', 'application/x-troff'],
  is_text: true,
  is_quick: true,
  async parse(bytes) {
    const text = await decodeText(bytes);
    return ROFF.test(text.slice(0, HEAD))
      ? new RoffPage(text).read()
      : { ...markHeadings(text), metadata: {}, marks: [{ at: 0, line: 1 }] };
  },
};

/** Requests of pages of either kind. */
const REQUESTS = new Set(['sp', 'br', 'nf', 'fi', 'so', 'TS', 'TE', 'EQ', 'EN']);

/** A manual page in roff with the macros of man(7) or mdoc(7), while it is read. */
class RoffPage implements MacroTarget {
  readonly writer = new RoffWriter();
  /** The address of the link whose text is being read. */
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
    this.#title = manualPageTitle(`${name}${section && `(${section})`}`);
  }

  heading(level: number, text: string, line: number): void {
    this.#isTerm = false;
    this.writer.heading(level, text, line);
  }

  /** Makes the next text a term, which the text behind it defines. */
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

  /** Writes the reference of a page that only includes another: `.so man1/zdiff.1`. */
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

/** The rows of a table as tbl(1) reads it: options, how its columns look (both left out), then a row a line; `T{` and `T}` enclose longer cells. */
export function readTable(lines: readonly string[], defined: Definitions): string[][] {
  const tab = /\btab\s*\((.)\)/.exec(lines[0] ?? '')?.[1] ?? '\t';
  const rows: string[][] = [];
  let isFormat = true;
  let cell: string[] | undefined;
  const open = (cells: readonly string[]): string[] => {
    const row = cells.map((one) => withoutEscapes(one, defined));
    const isOpen = cells.at(-1)?.trim() === 'T{';
    cell = isOpen ? [] : undefined;
    return isOpen ? row.slice(0, -1) : row;
  };
  for (const line of lines) {
    if (isFormat) isFormat = !/\.\s*$/.test(line);
    else if (/^\.\s*T&/.test(line)) isFormat = true;
    else if (cell && line.startsWith('T}')) {
      const row = rows.at(-1)!;
      row.push(cell.join(' ').trim());
      cell = undefined;
      if (line.length > 2) row.push(...open(line.slice(2).split(tab).slice(1)));
    } else if (cell) cell.push(withoutEscapes(textOf(line), defined));
    else if (!/^[_=\s]*$|^\.\s*\w/.test(line)) rows.push(open(line.split(tab)));
  }
  return rows.map((row) => row.map((one) => one.trim())).filter((row) => row.some((one) => !/^(?:\\?[_=^])?$/.test(one)));
}

/** Returns the text of a line in a cell, also in macros for fonts. */
const textOf = (line: string): string =>
  /^\.(?:[BIR]{1,2}|SM|SB)\s/.test(line) ? line.replace(/^\.\w+\s+/, '').replaceAll('"', '') : line.replace(/^\..*/, '');
