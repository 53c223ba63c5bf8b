import type { CellObject, WorkBook, WorkSheet } from 'xlsx';
import type { ParsedDocument } from '../../../ports/reading.ts';
import type { ParserRow } from '../parser-row.ts';
import type { Mark } from '../../../schema/items.ts';
import { brokenFile } from '../parse-failures.ts';
import { escapeLine, heading, numberedTable, oneLine, type NumberedRow } from '../../../text/markdown/write.ts';

type Rows = ((CellObject | undefined)[] | undefined)[];

/** A workbook: a heading and a table for each sheet that a person sees, cells as Excel shows them, short dates as ISO. */
export const xlsxParser: ParserRow = {
  file_type: 'xlsx',
  name: 'an Excel workbook (XLSX)',
  extensions: ['.xlsx', '.xlsm'],
  media_types: ['application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
  archive_folder: 'xl/',
  async parse(bytes, { source }): Promise<ParsedDocument> {
    const { read } = await import('xlsx');
    const book = read(bytes, { type: 'array', dense: true, cellFormula: false, cellHTML: false, dateNF: 'yyyy-mm-dd' });
    if (book.SheetNames.length === 0) throw brokenFile(source, xlsxParser, new Error('it has no sheets'));
    const hidden = new Set(book.SheetNames.filter((_, index) => (book.Workbook?.Sheets?.[index]?.Hidden ?? 0) > 0));
    const { text, marks } = sheetsText(
      book,
      book.SheetNames.filter((name) => !hidden.has(name)),
    );
    return { text, title: book.Props?.Title || undefined, metadata: metadataOf(book, [...hidden]), marks };
  },
};

function metadataOf({ Props = {} }: WorkBook, hidden: readonly string[]): Record<string, unknown> {
  const { Author, Subject, Comments, CreatedDate } = Props;
  return {
    ...(Author ? { author: Author } : {}),
    ...(CreatedDate instanceof Date && !Number.isNaN(CreatedDate.getTime()) ? { created: CreatedDate.toISOString() } : {}),
    ...(Comments || Subject ? { description: Comments || Subject } : {}),
    ...(hidden.length > 0 ? { hidden_sheets: hidden } : {}),
  };
}

function sheetsText(book: WorkBook, names: readonly string[]): { text: string; marks: Mark[] } {
  const marks: Mark[] = [];
  let text = '';
  for (const name of names) {
    const rows = rowsOf(book.Sheets[name]!);
    if (rows.length === 0) continue;
    const at = text.length === 0 ? 0 : text.length + 2;
    const { above, body } = split(rows);
    const top = [heading(2, name), ...above.map(({ cells }) => escapeLine(oneLine(cells.join(' '))))].join('\n\n');
    const table = numberedTable(body, { at: at + top.length + 2, sheet: name });
    marks.push({ at, sheet: name }, ...table.marks);
    text = `${text}${text ? '\n\n' : ''}${top}\n\n${table.text}`;
  }
  return { text, marks };
}

/** Rows of one cell above a wider one are what is said about the table; the first wider row is its header. */
function split(rows: readonly NumberedRow[]): { above: readonly NumberedRow[]; body: readonly NumberedRow[] } {
  const start = Math.max(
    0,
    rows.findIndex(({ cells }) => cells.filter((cell) => cell !== '').length > 1),
  );
  return { above: rows.slice(0, start), body: rows.slice(start) };
}

/** The rows and columns that hold something, however far apart they are: only cells that exist are looked at. */
function rowsOf(sheet: WorkSheet): NumberedRow[] {
  const found: { row: number; cells: Map<number, string> }[] = [];
  const columns = new Set<number>();
  ((sheet as { '!data'?: Rows })['!data'] ?? []).forEach((cells, row) => {
    const shown = new Map<number, string>();
    cells?.forEach((cell, column) => {
      const value = cell === undefined ? '' : shownValue(cell);
      if (value !== '') shown.set(column, value);
    });
    if (shown.size === 0) return;
    found.push({ row: row + 1, cells: shown });
    for (const column of shown.keys()) columns.add(column);
  });
  const order = [...columns].toSorted((a, b) => a - b);
  return found.map(({ row, cells }) => ({ row, cells: filledUpTo(cells, order) }));
}

/** The cells of a row in the order of the columns, up to the last that holds something. */
function filledUpTo(cells: ReadonlyMap<number, string>, order: readonly number[]): string[] {
  const filled = order.map((column) => cells.get(column) ?? '');
  return filled.slice(0, filled.findLastIndex((cell) => cell !== '') + 1);
}

const shownValue = ({ w, v }: CellObject): string => (w ?? (v instanceof Date ? v.toISOString() : String(v ?? ''))).trim();
