import type { ParsedDocument } from '../../ports/reading.ts';
import type { Mark } from '../../schema/items.ts';
import { escapeLine, type NumberedRow, oneLine } from '../../text/markdown/write.ts';
import { decodeText } from './bytes.ts';
import { MarkedBlocks, namesColumns } from './parsed-document.ts';
import type { ParserRow } from './parser-row.ts';

type Papa = (typeof import('papaparse'))['default'];

const NEWLINE = { newline: '\n' };

/** In ascending order of how often they occur in values: of several that fit equally well, the first is taken. */
const DELIMITERS = ['\t', '|', ';', ','];
/** Occurs in no decoded text: the delimiter of a file of one column, and the quote of a file without quotes. */
const NONE = '\0';
/** Characters and records in which the delimiter is looked for. */
const SAMPLE = 200_000;
const MOST_SAMPLED = 200;
/** Delimiters fit equally well if the shares of regular records differ by less than this. */
const AS_REGULAR = 0.05;
/** Records that are compared with the names of columns. */
const MOST_COMPARED = 50;
/** Minimum number of records below a first record that may be no header. */
const LEAST_BELOW = 2;
/** Maximum number of lines about a table above its header. */
const MOST_ABOVE = 20;

/** CSV: Markdown tables with their headers, and the lines above them. Blank records are left out, but counted. */
export const csvParser: ParserRow = {
  file_type: 'csv',
  name: 'a CSV file',
  extensions: ['.csv', '.tsv'],
  media_types: ['text/csv', 'application/csv'],
  is_text: true,
  async parse(bytes): Promise<ParsedDocument> {
    const { default: papa } = await import('papaparse');
    const text = await decodeText(bytes);
    const [declaration = '', declared] = /^sep=(.)\n/i.exec(text) ?? []; // for Excel
    const records = recordsOf(papa, text.slice(declaration.length), declared);
    const rows = records.map((cells, index) => ({ row: index + (declared ? 2 : 1), cells: withoutEmptyEnd(cells) }));
    return { ...tablesText(tablesOf(rows)), metadata: {} };
  },
};

/** The records; where a quote is never closed, those from its line on are read without quotes. */
function recordsOf(papa: Papa, text: string, declared: string | undefined): string[][] {
  const delimiter = declared ?? delimiterOf(papa, text);
  const { data, errors } = papa.parse(text, { delimiter, ...NEWLINE });
  const unclosed = errors.find(({ code }) => code === 'MissingQuotes')?.index;
  if (unclosed === undefined) return data;
  const line = text.lastIndexOf('\n', unclosed - 1) + 1;
  const before = line > 0 ? papa.parse(text.slice(0, line - 1), { delimiter, ...NEWLINE }).data : [];
  return [...before, ...papa.parse(text.slice(line), { delimiter, quoteChar: NONE, ...NEWLINE }).data];
}

/** The delimiter by which most records have the same number of fields; one that the first record has is preferred. */
function delimiterOf(papa: Papa, text: string): string {
  const sample = text.slice(0, SAMPLE);
  const measured = DELIMITERS.filter((delimiter) => sample.includes(delimiter)).flatMap((delimiter) => {
    const { data } = papa.parse(sample, { delimiter, preview: MOST_SAMPLED, skipEmptyLines: 'greedy', ...NEWLINE });
    const records = data.filter(([first]) => !first?.startsWith('#'));
    const { width, share } = usualWidth(records.length > 0 ? records : data);
    return width > 1 ? [{ delimiter, share, isFirst: records[0]?.length === width }] : [];
  });
  const best = Math.max(0, ...measured.map(({ share }) => share));
  const fitting = measured.filter(({ share }) => share >= best - AS_REGULAR);
  return (fitting.find(({ isFirst }) => isFirst) ?? fitting[0])?.delimiter ?? NONE;
}

/** The number of fields that most records have, and the share of those; the larger number where two are as common. */
function usualWidth(records: readonly (readonly string[])[]): { width: number; share: number } {
  const counts = new Map<number, number>();
  for (const { length } of records) counts.set(length, (counts.get(length) ?? 0) + 1);
  const [width, count] = [...counts].reduce(
    (most, each) => (each[1] > most[1] || (each[1] === most[1] && each[0] > most[0]) ? each : most),
    [0, 0],
  );
  return { width, share: records.length > 0 ? count / records.length : 0 };
}

const withoutEmptyEnd = (cells: readonly string[]): string[] => cells.slice(0, cells.findLastIndex((cell) => cell.trim() !== '') + 1);

/** Whether a record is a line that psql, mysql and others draw below the names of columns. */
const isRule = ({ cells }: NumberedRow): boolean => cells.every((cell) => /^[\s:+=-]+$/.test(cell) && /[=-]{2}/.test(cell));

/** Splits the records into tables: another one begins with each record below a blank one that names columns. */
function tablesOf(records: readonly NumberedRow[]): NumberedRow[][] {
  const rows = records.filter((record) => record.cells.length > 0 && !isRule(record));
  const tables: NumberedRow[][] = [[]];
  let wide = 0;
  for (const [index, record] of rows.entries()) {
    const isApart = index > 0 && record.row > rows[index - 1]!.row + 1 && records[record.row - records[0]!.row - 1]?.cells.length === 0;
    const below = () => rows.slice(index + 1, index + 1 + MOST_COMPARED).map(({ cells }) => cells);
    if (isApart && wide > 1 && namesColumns(record.cells, below())) {
      tables.push([]);
      wide = 0;
    }
    tables.at(-1)!.push(record);
    if (record.cells.length > 1 && !record.cells[0]!.startsWith('#')) wide += 1;
  }
  return tables;
}

function tablesText(tables: readonly (readonly NumberedRow[])[]): { text: string; marks: Mark[] } {
  const blocks = new MarkedBlocks();
  for (const rows of tables) {
    const start = headerIndex(rows);
    for (const { row, cells } of rows.slice(0, start))
      blocks.add(escapeLine(oneLine(cells.filter((cell) => cell.trim() !== '').join(', '))), { row });
    blocks.addTable(withHeader(rows.slice(start)));
  }
  return { text: blocks.text, marks: blocks.marks };
}

/** Counts the records about the table at its beginning: comments, and single values above a wider record. */
function headerIndex(rows: readonly NumberedRow[]): number {
  const { width } = usualWidth(rows.slice(0, MOST_SAMPLED).map(({ cells }) => cells));
  const isAbout = ({ cells }: NumberedRow) =>
    width > 1 && (cells.filter((cell) => cell.trim() !== '').length === 1 || (cells[0]!.startsWith('#') && cells.length !== width));
  const start = rows.findIndex((record) => !isAbout(record));
  return start > 0 && start <= MOST_ABOVE ? start : 0;
}

/** Whether a value is a number, with a sign, unit or percent, or a date. */
const isMeasured = (cell: string): boolean => /^[^\p{L}\d]{0,3}\d[\d.,:/\-T ]*[^\d]{0,3}$/u.test(cell.trim());

/** Adds an empty header above a first record that is like the others: it has numbers in all columns of numbers. */
function withHeader(rows: readonly NumberedRow[]): readonly NumberedRow[] {
  const [first, ...rest] = rows;
  const below = rest.slice(0, MOST_COMPARED);
  if (!first || below.length < LEAST_BELOW) return rows;
  const measured = first.cells.flatMap((_, column) => {
    const values = below.flatMap(({ cells }) => (cells[column]?.trim() ? [cells[column]] : []));
    return values.length > 0 && values.every(isMeasured) ? [first.cells[column]!] : [];
  });
  const isRecord =
    measured.some((cell) => !/^\d{4}$/.test(cell.trim())) && measured.every(isMeasured) && first.cells.every((cell) => cell.trim());
  return isRecord ? [{ row: first.row, cells: [] }, ...rows] : rows;
}
