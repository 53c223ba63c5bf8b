import { oneLine, type NumberedRow } from '../markdown/write.ts';
import { indentOf } from '../parsed-document.ts';
import { joinHeader } from '../table.ts';

// Tables of reStructuredText: drawn as a grid, drawn by columns, and written by directives.

/** A table in the lines of a reStructuredText file. */
export interface TableBlock {
  title?: string;
  /** The header, then the other rows; `row` is the index of a row's first line. None where the lines are no table after all: they stay text. */
  rows: NumberedRow[];
  /** Index of the line behind the table. */
  end: number;
}

const WIDE = /[\u1100-\u115F\u2E80-\u303E\u3041-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6]/g;
/** Occurs in no decoded text. */
const FILLER = '\0';

/** The line with a filler behind each sign that is drawn two columns wide, so that columns can be cut out of it. */
const padWide = (line: string): string => line.replace(WIDE, `$&${FILLER}`);

/** Joins the lines of a cell that were cut out of padded ones. */
const joinCell = (lines: readonly string[]): string =>
  oneLine(lines.map((line) => line.trim().replace(/^\|(?=\s|$)/, '')).join(' ')).replaceAll(FILLER, '');

const GRID_TOP = /^\s*\+-[-+]*-\+\s*$/;
const FULL_RULE = /^\+[-=+]+\+$/;
const HEADER_RULE = /^\+[=+]+\+$/;

/** Reads the grid table that begins at a line (`+----+----+`); undefined if none does. */
export function readGridTable(lines: readonly string[], at: number): TableBlock | undefined {
  if (!GRID_TOP.test(lines[at]!)) return undefined;
  const indent = indentOf(lines[at]!);
  const block: string[] = [];
  let height = 0;
  for (let line = lines[at]!; line !== undefined; line = lines[at + block.length]!) {
    const drawn = padWide(line.slice(indent).trimEnd());
    if (indentOf(line) !== indent || !/^[+|]/.test(drawn)) break;
    block.push(drawn);
    if (FULL_RULE.test(drawn)) height = block.length;
  }
  block.length = height;
  const isWhole = height > 2 && block.every((line) => line.length === block[0]!.length && /[+|]$/.test(line));
  return { rows: isWhole ? new Grid(block, at).rows() : [], end: at + height };
}

/** The lines of a cell; one that spans rows is shared by them. */
type Cell = string[];

/** Reads cells between the rules of a grid, a band of lines between two rules at a time. */
class Grid {
  readonly #block: readonly string[];
  readonly #first: number;
  /** The places of the lines between columns. */
  readonly #edges: readonly number[];
  readonly #rows: { row: number; cells: Cell[] }[] = [];
  /** The cell that each column is in. */
  readonly #open: Cell[] = [];

  constructor(block: readonly string[], first: number) {
    this.#block = block;
    this.#first = first;
    this.#edges = edgesOf(block);
  }

  rows(): NumberedRow[] {
    let [top, headers] = [0, 0];
    for (const [at, line] of this.#block.entries()) {
      if (at === 0 || !this.#edges.some((_, column) => this.#isRuled(line, column))) continue;
      this.#readBand(top, at);
      if (headers === 0 && HEADER_RULE.test(line)) headers = this.#rows.length;
      top = at;
    }
    return joinHeader(this.#written(), headers);
  }

  /** Whether the line draws the upper end of a cell in this column. */
  #isRuled(line: string, column: number): boolean {
    const end = this.#edges[column + 1];
    return end !== undefined && /^[-=+]+$/.test(line.slice(this.#edges[column], end + 1));
  }

  /** Reads the cells between the rules `top` and `bottom`. A cell without a rule above it continues the open cell of its column. */
  #readBand(top: number, bottom: number): void {
    const band = this.#block.slice(top + 1, bottom);
    const [above, below] = [this.#block[top]!, this.#block[bottom]!];
    const last = this.#edges.length - 1;
    const cells: Cell[] = Array.from({ length: last }, () => []);
    for (let [from, to] = [0, 1]; from < last; from = to, to += 1) {
      while (to < last && !this.#isEdge(to, above, band)) to += 1;
      const cut = (line: string): string => line.slice(this.#edges[from]! + 1, this.#edges[to]);
      const cell = this.#isRuled(above, from) ? [] : (this.#open[from] ?? []);
      for (const line of band) cell.push(cut(line));
      if (!this.#isRuled(below, from)) cell.push(cut(below));
      cells[from] = this.#open[from] = cell;
    }
    if (band.length > 0) this.#rows.push({ row: this.#first + top + 1, cells });
  }

  /** Whether a line between columns is drawn from the rule above to the end of the band. */
  #isEdge(index: number, above: string, band: readonly string[]): boolean {
    const place = this.#edges[index]!;
    return /[+|]/.test(above[place]!) && band.every((line) => /[+|]/.test(line[place]!));
  }

  /** Returns the text of the cells. A cell that spans rows is repeated in each, up to the size of the table in all. */
  #written(): NumberedRow[] {
    let left = this.#block.length * this.#block[0]!.length;
    const texts = new Map<Cell, string>();
    return this.#rows.map(({ row, cells }) => ({ row, cells: cells.map((cell) => written(cell)) }));

    function written(cell: Cell): string {
      const known = texts.get(cell);
      if (known === undefined) {
        const text = joinCell(cell);
        texts.set(cell, text);
        return text;
      }
      if (known.length > left) return '';
      left -= known.length;
      return known;
    }
  }
}

/** Finds the columns at which rules are crossed; a rule narrower than the grid must begin and end at lines between columns. */
function edgesOf(block: readonly string[]): number[] {
  const edges = new Set<number>();
  const isCrossed = (at: number, place: number): boolean =>
    [block[at - 1], block[at + 1]].every((line) => line === undefined || /[+|]/.test(line[place]!));
  for (const [at, line] of block.entries()) {
    const isFull = FULL_RULE.test(line);
    for (const { 0: rule, index } of line.matchAll(/\+(?:[-=]+\+)+/g)) {
      if (!isFull && !(isCrossed(at, index) && isCrossed(at, index + rule.length - 1))) continue;
      for (let place = 0; place < rule.length; place++) if (rule[place] === '+') edges.add(index + place);
    }
  }
  return [...edges].toSorted((a, b) => a - b);
}

const SIMPLE_TOP = /^\s*=+(?: +=+)+\s*$/;
const MAX_COLUMNS = 100;
const BORDER = /^=[ =]*$/;

/** The columns from `from` to before `to`. */
interface Span {
  from: number;
  to: number;
}

/** Reads the simple table that begins at a line (`=====  =====`); undefined where none does. */
export function readSimpleTable(lines: readonly string[], at: number): TableBlock | undefined {
  if (!SIMPLE_TOP.test(lines[at]!)) return undefined;
  const indent = indentOf(lines[at]!);
  const columns = findSpans(lines[at]!.slice(indent));
  if (columns.length > MAX_COLUMNS) return undefined;
  const drawn = (index: number): string => padWide(lines[index]!.slice(indent).trimEnd());
  const borders = findBorders(lines, at, indent);
  const last = borders.at(-1);
  if (last === undefined) return undefined;
  const header = borders.length > 1 ? readRows(drawn, { from: at + 1, to: borders[0]! }, columns) : [];
  const body = readRows(drawn, { from: (borders.length > 1 ? borders[0]! : at) + 1, to: last }, columns);
  return { rows: joinHeader([...header, ...body], header.length), end: last + 1 };
}

/** Finds the borders that close the header and the table: two, or the first one above a blank line; none if the table is never closed. */
function findBorders(lines: readonly string[], at: number, indent: number): number[] {
  const width = lines[at]!.trim().length;
  const borders: number[] = [];
  for (let index = at + 1; index < lines.length; index++) {
    const line = lines[index]!.trim();
    if (line === '') continue;
    if (indentOf(lines[index]!) < indent) break;
    if (!BORDER.test(line)) continue;
    if (line.length !== width) break;
    borders.push(index);
    if (borders.length === 2 || (lines[index + 1] ?? '').trim() === '') return borders;
  }
  return [];
}

const findSpans = (line: string): Span[] =>
  [...line.matchAll(/[=-]+/g)].map(({ 0: run, index }) => ({ from: index, to: index + run.length }));

/** Reads rows: a row begins where the first column has text. A line of hyphens below it shows which columns its cells span. */
function readRows(drawn: (index: number) => string, { from, to }: Span, columns: readonly Span[]): NumberedRow[] {
  const rows: NumberedRow[] = [];
  const starts = new Set(columns.map((column) => column.from));
  const ends = new Set(columns.map((column) => column.to));
  let [start, row]: [number, string[]] = [from, []];
  const end = (cellStarts: ReadonlySet<number>): void => {
    if (row.some((line) => line.trim() !== '')) rows.push({ row: start, cells: readCells(row, cellStarts, columns) });
    row = [];
  };
  for (let index = from; index < to; index++) {
    const line = drawn(index);
    const spans = /^-[ -]*$/.test(line) ? findSpans(line) : [];
    // other hyphens are cells
    if (spans.length > 0 && spans.every((span) => starts.has(span.from) && ends.has(span.to))) {
      end(new Set(spans.map((span) => span.from)));
      continue;
    }
    if (line.slice(0, columns[0]!.to).trim() !== '') end(starts);
    if (row.length === 0) start = index;
    if (row.length > 0 || line !== '') row.push(line);
  }
  end(starts);
  return rows;
}

/** Reads the cells of a row, each in its first column. Text that crosses the end of a column makes it one cell with the next. */
function readCells(lines: readonly string[], starts: ReadonlySet<number>, columns: readonly Span[]): string[] {
  const width = lines.reduce((most, line) => Math.max(most, line.length), 0);
  const inside = columns.filter(({ from }) => from < width);
  const isCut = (place: number): boolean => lines.some((line) => /\S\S/.test(line.slice(place - 1, place + 1)));
  const cells = inside.map(() => '');
  for (let [column, next] = [0, 0]; column < inside.length; column = next) {
    next = column + 1;
    while (next < inside.length && (!starts.has(inside[next]!.from) || isCut(inside[next]!.from))) next += 1;
    const [from, to] = [inside[column]!.from, inside[next]?.from];
    cells[column] = joinCell(lines.map((line) => line.slice(from, to))).replace(/^\\$/, '');
  }
  return cells;
}

type Papa = (typeof import('papaparse'))['default'];

/** A line, and the end of the more deeply indented lines below it, including blank ones between them. */
export interface LineBlock {
  at: number;
  end: number;
}

const DIRECTIVE = /^\s*\.\.\s+(list|csv)-table::\s*(.*)$/;
const ROW = /^\s*[*+-]\s+-(?:\s|$)/;

/** The title and options between the name of a directive and its content. */
interface Head {
  title: string;
  options: ReadonlyMap<string, string>;
  /** Index of the first line of the content. */
  from: number;
}

/** Reads the table that a directive `list-table` or `csv-table` writes; undefined for another line, and for one that can't be read. */
export function readDirectiveTable(lines: readonly string[], { at, end }: LineBlock, papa: Papa | undefined): TableBlock | undefined {
  const [, kind, text = ''] = DIRECTIVE.exec(lines[at]!) ?? [];
  if (!kind) return undefined;
  const head = readHead(lines, { at, end }, text);
  const content = lines.slice(head.from, end);
  const rows = kind === 'list' ? readListRows(content, head) : papa && readCsvRows(content, head, papa);
  return rows && rows.length > 0 ? { title: head.title, rows, end } : undefined;
}

/** Reads title and options, each of which may continue in the next line. */
function readHead(lines: readonly string[], { at, end }: LineBlock, text: string): Head {
  const options = new Map<string, string>();
  let [title, name]: [string, string | undefined] = [text, undefined];
  let from = at + 1;
  for (; from < end && lines[from]!.trim() !== '' && !ROW.test(lines[from]!); from++) {
    const [, option, value = ''] = /^\s+:([\w-]+):(?:\s+(.*))?$/.exec(lines[from]!) ?? [];
    const line = lines[from]!.trim();
    if (option) options.set((name = option), value.trim());
    else if (name) options.set(name, options.get(name)!.replace(/(?<!,)$/, '\n') + line);
    else title += ` ${line}`;
  }
  return { title: oneLine(title), options, from };
}

const countHeaderRows = ({ options }: Head): number => Number(/^\d{1,6}$/.exec(options.get('header-rows') ?? '')?.[0] ?? 0);

/** Reads rows that are lists in a list (`* - a`); undefined where the first line of the content is none. */
function readListRows(content: readonly string[], head: Head): NumberedRow[] | undefined {
  const first = content.findIndex((line) => line.trim() !== '');
  if (first < 0 || !ROW.test(content[first]!)) return undefined;
  const indent = indentOf(content[first]!);
  const rows: { row: number; cells: string[][]; inner: number }[] = [];
  for (let index = first; index < content.length; index++) {
    const line = content[index]!;
    const row = rows.at(-1);
    if (indentOf(line) <= indent && ROW.test(line)) {
      const inner = line.indexOf('-', indent + 1);
      rows.push({ row: head.from + index, cells: [[line.slice(inner + 1)]], inner });
    } else if (indentOf(line) === row!.inner && /^\s*-(?:\s|$)/.test(line)) row!.cells.push([line.slice(row!.inner + 1)]);
    else row!.cells.at(-1)!.push(line);
  }
  const written = rows.map(({ row, cells }) => ({ row, cells: cells.map((cell) => oneLine(cell.join(' '))) }));
  return joinHeader(written, Math.min(written.length, countHeaderRows(head)));
}

const DELIMITERS = new Map([
  ['tab', '\t'],
  ['space', ' '],
]);

/** Reads records; the header is that of the option, or the first of them. */
function readCsvRows(content: readonly string[], head: Head, papa: Papa): NumberedRow[] {
  const given = head.options.get('delim') ?? ',';
  const delimiter = DELIMITERS.get(given) ?? (given.length === 1 ? given : ',');
  const records = (text: string): string[][] =>
    papa.parse(withoutBlanks(text, delimiter), { delimiter, newline: '\n', quoteChar: head.options.get('quote')?.slice(0, 1) || '"' }).data;
  const rows: NumberedRow[] = [];
  let row = head.from;
  const indent = indentOf(content.find((line) => line.trim() !== '') ?? '');
  for (const record of records(content.map((line) => line.slice(Math.min(indent, indentOf(line)))).join('\n'))) {
    const cells = record.map((cell) => oneLine(cell));
    if (cells.some((cell) => cell !== '')) rows.push({ row, cells });
    row += record.reduce((count, cell) => count + cell.split('\n').length - 1, 1);
  }
  const header = records(head.options.get('header') ?? '').filter((cells) => cells.some((cell) => cell.trim() !== ''));
  if (rows.length === 0) return [];
  const named = header.map((cells) => ({ row: rows[0]!.row, cells }));
  return joinHeader([...named, ...rows], Math.min(named.length + rows.length, named.length + countHeaderRows(head)));
}

/** Drops blanks behind delimiters, so that what follows them may be quoted. */
const withoutBlanks = (text: string, delimiter: string): string =>
  text.replace(/([^\w\s"]|[\t\n]|^) *("[^"]*(?:""[^"]*)*"?)?/g, (whole: string, before: string, quoted = '') =>
    before === '' || before === '\n' || before === delimiter ? `${before}${quoted}` : whole,
  );
