import type { ParsedDocument, Mark } from '../types.ts';
import { escapeLine, type NumberedRow, oneLine } from '../markdown/write.ts';
import { decodeText } from '../bytes.ts';
import { MarkedBlocks } from '../parsed-document.ts';
import type { ParserRow } from '../parser.ts';
import { addHeader, namesColumns } from '../table.ts';

type Papa = (typeof import('papaparse'))['default'];

const NEWLINE = { newline: '\n' };

/** Ordered by how rarely they occur in values: if several fit equally well, the first is used. */
const DELIMITERS = ['\t', '|', ';', ','];
/** A character that never occurs in decoded text: the delimiter of a file with one column, and the quote of a file without quotes. */
const NO_CHARACTER = '\0';
/** Characters and records by which the delimiter is detected. */
const SAMPLE = 200_000;
const MAX_SAMPLED = 200;
/** Delimiters fit equally well if the shares of regular records differ by less than this. */
const MAX_IRREGULAR = 0.05;
/** Records that are compared with a possible header. */
const MAX_COMPARED = 50;
/** Maximum number of caption lines above a header. */
const MAX_ABOVE = 20;

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
    const records = readRecords(papa, text.slice(declaration.length), declared);
    const rows = records.map((cells, index) => ({ row: index + (declared ? 2 : 1), cells: withoutEmptyEnd(cells) }));
    return { ...writeTables(splitTables(rows)), metadata: {} };
  },
};

/** Reads the records; if a quote is never closed, those from its line on are read without quotes. */
function readRecords(papa: Papa, text: string, declared: string | undefined): string[][] {
  const delimiter = declared ?? detectDelimiter(papa, text);
  const { data, errors } = papa.parse(text, { delimiter, ...NEWLINE });
  const unclosed = errors.find(({ code }) => code === 'MissingQuotes')?.index;
  if (unclosed === undefined) return data;
  const line = text.lastIndexOf('\n', unclosed - 1) + 1;
  const before = line > 0 ? papa.parse(text.slice(0, line - 1), { delimiter, ...NEWLINE }).data : [];
  return [...before, ...papa.parse(text.slice(line), { delimiter, quoteChar: NO_CHARACTER, ...NEWLINE }).data];
}

/** Detects the delimiter for which most records have the same number of fields, preferably one with which the first record has that number, too. */
function detectDelimiter(papa: Papa, text: string): string {
  const sample = text.slice(0, SAMPLE);
  const measured = DELIMITERS.filter((delimiter) => sample.includes(delimiter)).flatMap((delimiter) => {
    const { data } = papa.parse(sample, { delimiter, preview: MAX_SAMPLED, skipEmptyLines: 'greedy', ...NEWLINE });
    const records = data.filter(([first]) => !first?.startsWith('#'));
    const { width, share } = usualWidth(records.length > 0 ? records : data);
    return width > 1 ? [{ delimiter, share, isFirst: records[0]?.length === width }] : [];
  });
  const best = Math.max(0, ...measured.map(({ share }) => share));
  const fitting = measured.filter(({ share }) => share >= best - MAX_IRREGULAR);
  return (fitting.find(({ isFirst }) => isFirst) ?? fitting[0])?.delimiter ?? NO_CHARACTER;
}

/** Finds the most frequent number of fields (the larger one of two), and the share of records that have it. */
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

/** Whether a record is a rule that psql, mysql and others draw below the header. */
const isRule = ({ cells }: NumberedRow): boolean => cells.every((cell) => /^[\s:+=-]+$/.test(cell) && /[=-]{2}/.test(cell));

/** Splits the records into tables: a record below a blank one begins a new table if it names columns. */
function splitTables(records: readonly NumberedRow[]): NumberedRow[][] {
  const rows = records.filter((record) => record.cells.length > 0 && !isRule(record));
  const tables: NumberedRow[][] = [[]];
  let wideRows = 0;
  for (const [index, record] of rows.entries()) {
    const isApart = index > 0 && record.row > rows[index - 1]!.row + 1 && records[record.row - records[0]!.row - 1]?.cells.length === 0;
    const below = () => rows.slice(index + 1, index + 1 + MAX_COMPARED).map(({ cells }) => cells);
    if (isApart && wideRows > 1 && namesColumns(record.cells, below())) {
      tables.push([]);
      wideRows = 0;
    }
    tables.at(-1)!.push(record);
    if (record.cells.length > 1 && !record.cells[0]!.startsWith('#')) wideRows += 1;
  }
  return tables;
}

function writeTables(tables: readonly (readonly NumberedRow[])[]): { text: string; marks: Mark[] } {
  const blocks = new MarkedBlocks();
  for (const rows of tables) {
    const start = findHeaderIndex(rows);
    for (const { row, cells } of rows.slice(0, start))
      blocks.add(escapeLine(oneLine(cells.filter((cell) => cell.trim() !== '').join(', '))), { row });
    blocks.addTable(addHeader(rows.slice(start)));
  }
  return { text: blocks.text, marks: blocks.marks };
}

/** Counts the caption records before the header: comments, and single values above a wider record. */
function findHeaderIndex(rows: readonly NumberedRow[]): number {
  const { width } = usualWidth(rows.slice(0, MAX_SAMPLED).map(({ cells }) => cells));
  const isCaption = ({ cells }: NumberedRow) =>
    width > 1 && (cells.filter((cell) => cell.trim() !== '').length === 1 || (cells[0]!.startsWith('#') && cells.length !== width));
  const start = rows.findIndex((record) => !isCaption(record));
  return start > 0 && start <= MAX_ABOVE ? start : 0;
}
