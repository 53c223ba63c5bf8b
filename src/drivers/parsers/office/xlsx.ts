import type { CellAddress, WorkBook, WorkSheet } from 'xlsx';
import type { ParsedDocument } from '../../../ports/reading.ts';
import type { ParserRow } from '../parser-row.ts';
import type { Mark } from '../../../schema/items.ts';
import { MarkedBlocks } from '../parsed-document.ts';
import { brokenFile, encryptedFile } from '../parse-failures.ts';
import { holdsStream, isCompound } from '../bytes.ts';
import { escapeLine, heading, oneLine } from '../../../text/markdown/write.ts';
import { type Archive, openArchive } from './archive.ts';
import { cellTextOf } from './cell-text.ts';
import { readChart } from './chart.ts';
import { childrenNamed, firstNamed, readPart, referenceOf, relationsOf, targetsOf } from './office-xml.ts';
import { cellsIn, type SheetTable, sheetTables } from './sheet-tables.ts';

/** What Excel calls the only sheet of a new workbook: it says nothing. */
const DEFAULT_NAME = /^(?:ark|blad|feuil|foglio|hoja|planilha|sheet|tabelle)1$/i;

const WORKBOOK = 'xl/workbook.xml';

/** A workbook: a heading for each sheet that a person sees, its tables with cells as Excel shows them (ISO for dates whose order Excel leaves to the computer), its charts and comments. */
export const xlsxParser: ParserRow = {
  file_type: 'xlsx',
  name: 'an Excel workbook (XLSX)',
  extensions: ['.xlsx', '.xlsm', '.xlsb'],
  media_types: ['application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
  archive_folder: 'xl/',
  async parse(bytes, { source }): Promise<ParsedDocument> {
    const archive = await openArchive(bytes, { source });
    await archive.verify();
    return parseWorkbook(bytes, { row: xlsxParser, source, charts: await chartsOf(archive) });
  },
};

/** What Excel 97 to 2003 wrote. */
export const xlsParser: ParserRow = {
  file_type: 'xls',
  name: 'an Excel workbook (XLS)',
  extensions: ['.xls', '.xlt'],
  media_types: ['application/vnd.ms-excel'],
  recognizes: (bytes) => isCompound(bytes) && holdsStream(bytes, 'Workbook', 'Book'),
  parse: (bytes, { source }) => parseWorkbook(bytes, { row: xlsParser, source }),
};

/** A spreadsheet of LibreOffice. */
export const odsParser: ParserRow = {
  file_type: 'ods',
  name: 'an OpenDocument spreadsheet (ODS)',
  extensions: ['.ods', '.ots'],
  media_types: ['application/vnd.oasis.opendocument.spreadsheet'],
  archive_mimetype: /^application\/vnd\.oasis\.opendocument\.spreadsheet/,
  parse: (bytes, { source }) => parseWorkbook(bytes, { row: odsParser, source }),
};

interface WorkbookParts {
  row: ParserRow;
  source: string;
  /** What the charts say, by the name of their sheet. */
  charts?: ReadonlyMap<string, string[]>;
}

/** The workbook. Throws a KbError for one that a password protects. */
function readBook(read: () => WorkBook, source: string): WorkBook {
  try {
    return read();
  } catch (error) {
    throw error instanceof Error && /password|encrypt/i.test(error.message) ? encryptedFile(source) : error;
  }
}

/** The text of a workbook of any format that SheetJS reads. */
async function parseWorkbook(bytes: Uint8Array, { row, source, charts = new Map() }: WorkbookParts): Promise<ParsedDocument> {
  const { read, utils, SSF } = await import('xlsx');
  const book = readBook(
    () => read(bytes, { type: 'array', dense: true, cellNF: true, cellFormula: false, cellHTML: false, dateNF: 'yyyy-mm-dd' }),
    source,
  );
  if (book.SheetNames.length === 0) throw brokenFile(source, row, new Error('it has no sheets'));
  const hidden = new Set(book.SheetNames.filter((_, index) => (book.Workbook?.Sheets?.[index]?.Hidden ?? 0) > 0));
  const { encode_cell: addressOf } = utils;
  const textOf = cellTextOf(book, SSF.format);
  const shown = book.SheetNames.filter((name) => !hidden.has(name));
  const { text, marks } = sheetsText(
    shown.map((name) => ({
      name,
      tables: sheetTables(book.Sheets[name]!, textOf),
      below: [...(charts.get(name) ?? []).map((line) => ({ text: line })), ...commentsOf(book.Sheets[name]!, addressOf)],
    })),
  );
  return { text, title: book.Props?.Title || undefined, metadata: metadataOf(book, [...hidden]), marks };
}

function metadataOf({ Props = {} }: WorkBook, hidden: readonly string[]): Record<string, unknown> {
  const { Author, Subject, Comments, CreatedDate } = Props;
  return {
    ...(Author ? { author: Author } : {}),
    ...(CreatedDate instanceof Date && !Number.isNaN(CreatedDate.getTime()) ? { created: CreatedDate.toISOString() } : {}),
    ...(Comments || Subject ? { description: Comments || Subject } : {}),
    ...(hidden.length > 0 ? { hidden_sheets: hidden } : {}),
  };
}

/** What stands below the tables of a sheet. */
interface Line {
  text: string;
  row?: number;
}

function sheetsText(sheets: readonly { name: string; tables: SheetTable[]; below: Line[] }[]): { text: string; marks: Mark[] } {
  const blocks = new MarkedBlocks();
  for (const { name, tables, below } of sheets) {
    if (tables.length === 0 && below.length === 0) continue;
    if (sheets.length > 1 || !DEFAULT_NAME.test(name)) blocks.add(heading(2, name), { sheet: name });
    else blocks.marks.push({ at: blocks.end, sheet: name });
    for (const { above, rows } of tables) {
      for (const { row, cells } of above) blocks.add(escapeLine(oneLine(cells.join(' '))), { sheet: name, row });
      if (rows.length > 0) blocks.addTable(rows, { sheet: name });
    }
    for (const { row, text } of below) blocks.add(text, { sheet: name, ...(row === undefined ? {} : { row }) });
  }
  return { text: blocks.text, marks: blocks.marks };
}

/** The title and the series of each chart, by the name of its sheet: its values stand in the cells. */
async function chartsOf(archive: Archive): Promise<Map<string, string[]>> {
  const charts = new Map<string, string[]>();
  if (!archive.names.some((name) => name.startsWith('xl/charts/'))) return charts;
  const book = await readPart(archive, WORKBOOK);
  const sheets = book && firstNamed(book, 'sheets');
  const parts = await relationsOf(archive, WORKBOOK);
  for (const sheet of sheets ? childrenNamed(sheets, 'sheet') : []) {
    const lines: string[] = [];
    for (const drawing of targetsOf(await relationsOf(archive, parts.get(referenceOf(sheet) ?? '')?.target ?? ''), 'drawing'))
      for (const target of targetsOf(await relationsOf(archive, drawing), 'chart')) {
        const part = await readPart(archive, target);
        const { title, series } = part ? await readChart(part) : { title: '', series: [] };
        const names = series.filter(Boolean).join(', ');
        const said = [title, names && title ? `(${names})` : names].filter(Boolean).join(' ');
        if (said !== '') lines.push(escapeLine(`Chart: ${said}`));
      }
    if (lines.length > 0) charts.set(sheet.attributes['name'] ?? '', lines);
  }
  return charts;
}

/** What people have written about cells, with the address of the cell and the author. «Author» is what Excel puts where nobody is named. */
function commentsOf(sheet: WorkSheet, addressOf: (cell: CellAddress) => string): Line[] {
  return cellsIn(sheet).flatMap((cells, row) =>
    (cells ?? []).flatMap((cell, column) =>
      (cell?.c ?? [])
        .filter(({ t }) => t.trim() !== '')
        .map(({ a, t }) => ({
          row: row + 1,
          text: `> Comment ${addressOf({ r: row, c: column })}${a && a !== 'Author' ? ` (${oneLine(a)})` : ''}: ${oneLine(t)}`,
        })),
    ),
  );
}
