import type { ParsedDocument, Mark } from '../types.ts';
import type { ParserRow } from '../parser.ts';
import { decodeText } from '../bytes.ts';
import { admonition, firstHeading, MarkedLines } from '../parsed-document.ts';
import { TableLayout } from '../table.ts';
import { tableLines, type NumberedRow, oneLine } from '../markdown/write.ts';

/** AsciiDoc: headings, code, notes, lists, tables and links as Markdown, line by line. */
export const asciidocParser: ParserRow = {
  file_type: 'asciidoc',
  name: 'an AsciiDoc file',
  extensions: ['.adoc', '.asciidoc'],
  media_types: ['text/asciidoc', 'text/x-asciidoc'],
  is_text: true,
  async parse(bytes): Promise<ParsedDocument> {
    const { text, marks } = asciidocToMarkdown(await decodeText(bytes));
    return { text, title: firstHeading(text), metadata: {}, marks };
  },
};

/** Lines of signs that open and close a block of code, and of one that is not shown. */
const CODE = /^(?:-{4,}|\.{4,}|`{3,}|\+{4,})\s*$/;
/** A fence as in Markdown, which may name its language. */
const NAMED_CODE = /^(`{3,})([\w+-]+)\s*$/;
const COMMENT = /^\/{4,}\s*$/;
/** Lines around the text of an example, a sidebar or a quotation. */
const DELIMITER = /^(?:={4,}|\*{4,}|_{4,}|--|\+)\s*$/;
const TABLE = /^[|,:!]={3,}\s*$/;

/** The text in Markdown, and marks that tell the lines of `source`. */
export function asciidocToMarkdown(source: string): { text: string; marks: Mark[] } {
  const out = new MarkedLines();
  const lines = source.split('\n');
  const resolve = createAttributeResolver();
  let [language, attributes] = ['', ''];
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at]!;
    const put = (text: string, index = at) => out.add(text, index + 1);
    const named = NAMED_CODE.exec(line);
    const closing = named?.[1] ?? line.trimEnd();
    const end = () => findEnd(lines, at, closing);
    const level = underlinedLevel(lines, at);
    if (level > 0) {
      put(`${'#'.repeat(level)} ${convertInline(resolve(line))}`);
      put('', ++at);
    } else if (COMMENT.test(line)) {
      for (const last = end(); at < last; at++) put('');
      put('');
    } else if (named || CODE.test(line)) {
      put(`${FENCE}${named?.[2] ?? language}`);
      for (const last = end(); ++at < last;) put(lines[at]!);
      put(FENCE);
      language = '';
    } else if (TABLE.test(line)) {
      const last = end();
      put('');
      const rows = parseTableRows(lines.slice(at + 1, last), at + 2, parseTableAttributes(attributes, line));
      const numbers = rows.map(({ row }) => row);
      tableLines(rows.map(({ cells }) => cells.map((cell) => convertInline(resolve(cell))))).forEach((row, index) =>
        out.add(row, numbers[Math.max(0, index - 1)]!),
      );
      at = last;
      put('');
    } else {
      const listing = /^\[source(?:%[\w-]+)?,\s*([\w+-]+)/.exec(line);
      if (listing) language = listing[1]!;
      if (!line.startsWith('.')) attributes = /^\[.*\]\s*$/.test(line) ? line : '';
      put(convertLine(resolve(line), lines[at - 1] ?? ''));
    }
  }
  return { text: out.text, marks: out.marks };
}

/** An attribute (`:url: https://x.example`), a reference to one, and characters with names. */
const ATTRIBUTE = /^:([\w-]{1,60}):\s+(\S.{0,500})$/;
const REFERENCE = /(?<!\\)\{([\w-]{1,60})\}/g;
const CHARACTERS = {
  nbsp: ' ',
  sp: ' ',
  empty: '',
  vbar: '|',
  pp: '++',
  cpp: 'C++',
  plus: '+',
  amp: '&',
  lt: '<',
  gt: '>',
  apos: "'",
  quot: '"',
};
/** Maximum characters of all replaced references in a document. */
const MAX_RESOLVED = 1_000_000;

/** Returns a function that replaces references in a line by the attributes so far, and keeps unknown ones; an attribute line adds an attribute. */
function createAttributeResolver(): (line: string) => string {
  const values = new Map<string, string>(Object.entries(CHARACTERS));
  let left = MAX_RESOLVED;
  const resolve = (line: string): string =>
    line.replace(REFERENCE, (whole, name: string) => {
      const value = values.get(name.toLowerCase());
      if (value === undefined || value.length > left) return whole;
      left -= value.length;
      return value;
    });
  return (line) => {
    const [, name, value] = ATTRIBUTE.exec(line) ?? [];
    if (name !== undefined) values.set(name.toLowerCase(), resolve(value!).slice(0, MAX_VALUE_LENGTH));
    return resolve(line);
  };
}

/** The lines below titles, by level. */
const UNDERLINES = ['=', '-', '~', '^', '+'];

/** The level of the title that a line is with the line below it, which is as long but for one sign: `NAME` over `----`; 0 if it is none. */
function underlinedLevel(lines: readonly string[], at: number): number {
  const [title, below] = [lines[at]!.trimEnd(), lines[at + 1]?.trimEnd() ?? ''];
  const isTitle = /^\w/.test(title) && (lines[at - 1] ?? '').trim() === '' && Math.abs(title.length - below.length) <= 1;
  return isTitle && /^([=\-~^+])\1+$/.test(below) ? UNDERLINES.indexOf(below[0]!) + 1 : 0;
}

const MAX_VALUE_LENGTH = 1000;

/** The index of the line that closes a block which the line at `at` opens; of one that is never closed, behind the last. */
function findEnd(lines: readonly string[], at: number, closing: string): number {
  let end = at + 1;
  while (end < lines.length && lines[end]!.trimEnd() !== closing) end += 1;
  return end;
}

const FENCE = '````';

function convertLine(line: string, before: string): string {
  const heading = /^(={1,6})\s+(\S.*)$/.exec(line);
  if (heading) return `${'#'.repeat(heading[1]!.length)} ${convertInline(heading[2]!)}`;
  const note = /^(NOTE|TIP|IMPORTANT|WARNING|CAUTION):\s+(.*)$/.exec(line);
  if (note) return admonition(note[1]!, convertInline(note[2]!));
  const block = /^\[(NOTE|TIP|IMPORTANT|WARNING|CAUTION)\]\s*$/.exec(line);
  if (block) return admonition(block[1]!, '');
  const title = /^\.([^\s.].*)$/.exec(line);
  if (title) return `**${convertInline(title[1]!)}**`;
  if (DELIMITER.test(line) || /^:!?[\w-]+!?:(?:\s|$)/.test(line) || /^\[.*\]\s*$/.test(line) || /^\/\/(?!\/)/.test(line)) return '';
  if (/^(?:include|toc|ifdef|ifndef|ifeval|endif)::/.test(line)) return '';
  const item = /^(\s*)(\*{1,5}|\.{1,5}|-)\s+(.*)$/.exec(line);
  if (item)
    return `${'  '.repeat(item[2] === '-' ? 0 : item[2]!.length - 1)}${item[2]!.startsWith('.') ? '1.' : '-'} ${convertInline(item[3]!)}`;
  const term = /^(\S.*?)::(?:\s+(.*))?$/.exec(line);
  if (term) return `**${convertInline(term[1]!)}**${term[2] === undefined ? '' : ` ${convertInline(term[2])}`}`;
  return convertInline(before === '' ? line.replace(/^ {4,}(?=\S)/, '   ') : line);
}

/** The marks within a line: links, references, anchors, attributes. */
const convertInline = (line: string): string =>
  line
    .replace(/(?:link:|(?=https?:))([^\s[\]]{1,1000})\[([^[\]]{0,300})\]/g, (_, target: string, text: string) =>
      text === '' ? target : `[${text.replace(/\^$/, '')}](${target})`,
    )
    .replace(/<<([^<>]{1,300})>>/g, (_, reference: string) => reference.slice(reference.indexOf(',') + 1).trim())
    .replace(/(?:xref|image|kbd|btn|menu)::?([^\s[\]]{0,300})\[([^[\]]{0,300})\]/g, (_, target: string, text: string) => text || target)
    .replace(/\[\[[\w-]{1,100}\]\]/g, '')
    .replace(/ \+$/, '');

/** Attributes of a table, from the line above it: `[cols="1,2*", options="header"]`. */
export interface TableAttributes {
  columns: number | undefined;
  /** Undefined if it depends on the blank line below the first row. */
  hasHeader: boolean | undefined;
  /** Whether it is written as CSV. */
  isCsv: boolean;
}

interface Cell {
  text: string;
  line: number;
  columns: number;
  rows: number;
}

const MAX_COLUMNS = 100;
const MAX_SPANNED = 1000;
/** Matches the specifier before the `|` of a cell: repetition or span, alignment, style. */
const CELL_SPECIFIER = /[ \t](?:(\d{1,3})?(?:\.(\d{1,4}))?([+*]))?[<^>]?(?:\.[<^>])?[adehlmsv]?$/;

/** Parses the attribute line above a table; a `fence` of `,===` means CSV. */
export function parseTableAttributes(line: string, fence: string): TableAttributes {
  const given = /\bcols="?([^"\]]{1,1000})/.exec(line)?.[1];
  const counts = given?.split(/[,;]/).map((one) => Number(/^\s*(\d{1,3})\*/.exec(one)?.[1] ?? 1));
  const hasHeader = /%header|\boptions?="[^"]{0,200}\bheader|\bopts="?[^"\]]{0,200}\bheader/.test(line);
  return {
    columns: counts && Math.min(MAX_COLUMNS, given!.trim().match(/^\d+$/) ? Number(given) || 1 : counts.reduce((sum, one) => sum + one, 0)),
    hasHeader: hasHeader ? true : /%noheader|\bnoheader\b/.test(line) ? false : undefined,
    isCsv: fence.startsWith(',') || /\bformat="?csv/.test(line),
  };
}

/**
 * Parses the rows of a table; `first` is the line number of its first line in the file. The first row is the header, empty if the table has
 * none.
 */
export function parseTableRows(lines: readonly string[], first: number, attributes: TableAttributes): NumberedRow[] {
  const filled = lines.findIndex((line) => line.trim() !== '');
  if (filled < 0) return [];
  const cells = lines.flatMap((line, index) =>
    (attributes.isCsv ? splitCsvCells(line) : splitCells(line)).map((cell) => ({ ...cell, line: first + index })),
  );
  const joined = joinContinued(cells);
  const inFirst = joined.filter(({ line }) => line === first + filled).reduce((sum, { columns }) => sum + columns, 0);
  const rows = arrangeRows(joined, attributes.columns ?? Math.max(1, Math.min(MAX_COLUMNS, inFirst)));
  const isApart = lines[filled + 1]?.trim() === '' && rows[1] !== undefined && rows[1].row > first + filled;
  return (attributes.hasHeader ?? isApart) ? rows : [{ row: rows[0]?.row ?? first, cells: [] }, ...rows];
}

type Piece = Omit<Cell, 'line'> & { isContinued: boolean; times: number };

/** Splits a line at the `|` of its cells; the first piece continues the cell of the line before. */
function splitCells(line: string): Piece[] {
  const pieces = line.split(/(?<!\\)\|/);
  const specs = pieces.slice(0, -1).map((piece, index) => CELL_SPECIFIER.exec(index === 0 ? ` ${piece}` : piece));
  return pieces.flatMap((piece, index) => {
    const spec = index > 0 ? specs[index - 1] : undefined;
    const own = specs[index] ? piece.slice(0, Math.max(0, specs[index].index)) : piece;
    if (index === 0 && own.trim() === '') return [];
    const [columns, rows] = [Number(spec?.[1] ?? 1), Number(spec?.[2] ?? 1)];
    const isTimes = spec?.[3] === '*';
    return {
      text: own.trim().replaceAll('\\|', '|'),
      columns: isTimes ? 1 : Math.min(MAX_COLUMNS, columns),
      rows: Math.min(MAX_SPANNED, rows),
      times: isTimes ? Math.min(MAX_COLUMNS, columns) : 1,
      isContinued: index === 0,
    };
  });
}

const splitCsvCells = (line: string): Piece[] =>
  line.trim() === ''
    ? []
    : [...line.matchAll(/(?:^|,)(?:\s*"((?:[^"]|"")*)"\s*|([^,]*))/g)].map(([, quoted, plain = '']) => ({
        text: (quoted?.replaceAll('""', '"') ?? plain).trim(),
        columns: 1,
        rows: 1,
        times: 1,
        isContinued: false,
      }));

function joinContinued(pieces: readonly (Piece & { line: number })[]): Cell[] {
  const cells: (Cell & { texts: string[] })[] = [];
  for (const { isContinued, times, ...cell } of pieces) {
    const before = cells.at(-1);
    if (isContinued && before) before.texts.push(cell.text);
    else for (let time = 0; time < times; time++) cells.push({ ...cell, texts: [cell.text] });
  }
  return cells.map(({ texts, ...cell }) => ({ ...cell, text: oneLine(texts.join(' ')) }));
}

/** Arranges cells in rows of `width`. */
function arrangeRows(cells: readonly Cell[], width: number): NumberedRow[] {
  const layout = new TableLayout();
  for (const cell of cells) {
    if ((layout.column ?? width) >= width) layout.startRow(cell.line);
    layout.add({ ...cell, columns: Math.min(cell.columns, width - (layout.column ?? 0)) });
  }
  layout.endRow();
  return layout.grid.map(({ row, cells: byColumn }) => ({ row, cells: Array.from({ length: width }, (_, at) => byColumn.get(at) ?? '') }));
}
