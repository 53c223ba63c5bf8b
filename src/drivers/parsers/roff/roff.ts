import { decodeText } from '../bytes.ts';
import type { ParserRow } from '../parser-row.ts';
import { markHeadings } from '../light-markup/text-structure.ts';
import type { ParsedDocument } from '../../../ports/reading.ts';
import { RoffWriter } from './roff-writer.ts';
import { isManMacro, writeManMacro } from './man-macros.ts';
import { isMdocMacro, MdocWriter } from './mdoc-macros.ts';
import { type Definitions, removeEscapes, type RoffLine, RoffLines } from './roff-lines.ts';

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
    return ROFF.test(text.slice(0, HEAD)) ? readPage(text) : { ...markHeadings(text), metadata: {}, marks: [{ at: 0, line: 1 }] };
  },
};

/** Requests of pages of either kind. */
const REQUESTS = new Set(['sp', 'br', 'nf', 'fi', 'so', 'TS', 'TE', 'EQ', 'EN']);

/** Reads a manual page with the macros of man(7) or mdoc(7). */
function readPage(source: string): ParsedDocument {
  const lines = new RoffLines();
  const page = new RoffWriter(lines.defined);
  const isMdoc = /^\.[ \t]*D[dt]\b/m.test(source) && !/^\.[ \t]*TH\b/m.test(source);
  const mdoc = isMdoc ? new MdocWriter(page) : undefined;
  const isBuiltIn = (macro: string) => REQUESTS.has(macro) || (isMdoc ? isMdocMacro(macro) : isManMacro(macro));
  /** The lines of an open table, or of a formula, which is left out. */
  let table: { lines: string[]; line: number; end: string } | undefined;
  for (const line of lines.read(source, isBuiltIn)) {
    const { macro, rest } = line;
    if (table && macro !== table.end) table.lines.push(macro === undefined ? rest : `.${macro} ${rest}`);
    else if (table) {
      if (macro === 'TE') page.table(readTable(table.lines, page.defined), table.line);
      table = undefined;
    } else if (macro === 'TS' || macro === 'EQ') table = { lines: [], line: line.line, end: macro === 'TS' ? 'TE' : 'EN' };
    else if (macro === undefined) writeText(page, line);
    else if (!(mdoc?.write(line) ?? writeManMacro(page, line))) writeRequest(page, line);
  }
  const { text, marks } = page.end();
  return { text, title: page.title, metadata: {}, marks };
}

function writeText(page: RoffWriter, { rest, line }: RoffLine): void {
  if (rest.trim() === '') return page.paragraph();
  if (!page.isCode && /^\s/.test(rest)) page.lineBreak();
  page.text(removeEscapes(rest, page.defined), line);
}

function writeRequest(page: RoffWriter, { macro, args, rest, line }: RoffLine): void {
  if (macro === 'sp') page.paragraph();
  else if (macro === 'br') page.lineBreak();
  else if (macro === 'nf') page.code();
  else if (macro === 'fi') page.fill();
  else if (macro === 'so') {
    // the page only includes another: `.so man1/zdiff.1`
    const [, name, section] = /(?<![^/])([^/]+)\.([^./]*)$/.exec(args[0] ?? rest) ?? [];
    if (name !== undefined) page.text(`See ${name}(${section}).`, line);
  }
}

/** The rows of a table as tbl(1) reads it: options, how its columns look (both left out), then a row a line; `T{` and `T}` enclose longer cells. */
function readTable(lines: readonly string[], defined: Definitions): string[][] {
  const tab = /\btab\s*\((.)\)/.exec(lines[0] ?? '')?.[1] ?? '\t';
  const rows: string[][] = [];
  let isFormat = true;
  let cell: string[] | undefined;
  const open = (cells: readonly string[]): string[] => {
    const row = cells.map((one) => removeEscapes(one, defined));
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
    } else if (cell) cell.push(removeEscapes(removeFontMacros(line), defined));
    else if (!/^[_=\s]*$|^\.\s*\w/.test(line)) rows.push(open(line.split(tab)));
  }
  return rows.map((row) => row.map((one) => one.trim())).filter((row) => row.some((one) => !/^(?:\\?[_=^])?$/.test(one)));
}

/** Returns the text of a line in a cell, also in macros for fonts. */
const removeFontMacros = (line: string): string =>
  /^\.(?:[BIR]{1,2}|SM|SB)\s/.test(line) ? line.replace(/^\.\w+\s+/, '').replaceAll('"', '') : line.replace(/^\..*/, '');
