import { type NumberedRow, oneLine } from '../markdown/write.ts';
import { indentOf } from '../parsed-document.ts';
import { joinHeader } from '../table.ts';
import type { TableBlock } from './rst-rows.ts';

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
