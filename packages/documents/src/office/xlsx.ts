import type { CellAddress, CellObject, WorkBook, WorkSheet } from 'xlsx';
import type { ParsedFile, ParserRow } from '../parser.ts';
import { decodeReferences } from '../markdown/character-references.ts';
import { childrenNamed, findElement, type XmlElement } from '../xml.ts';
import { readPart, referenceOf, relationsOf, targetsOf } from './xml.ts';
import { MarkedBlocks } from '../parsed-document.ts';
import { brokenFileError, encryptedFileError } from '../errors.ts';
import { hasStream, isCompound, readBeginning } from '../bytes.ts';
import { escapeLine, heading, oneLine } from '../markdown/write.ts';
import { type Archive, openArchive } from './archive.ts';
import { type Block, paragraph, writeBlocks } from './blocks.ts';
import { readChart } from './chart.ts';
import { includedIn, shapeBlocks } from './shapes.ts';
import { OFFICE_ELEMENTS, visibleParts } from './visible.ts';
import { cellsIn, sheetTables } from './sheet-tables.ts';

/** The default name of the only sheet of a new workbook. */
const DEFAULT_NAME = /^(?:ark|blad|feuil|foglio|hoja|planilha|sheet|tabelle)1$/i;

const WORKBOOK = 'xl/workbook.xml';

/** XLSX: a heading for each visible sheet, its tables with cells as Excel shows them (dates in the local order of the computer as ISO), charts and comments. */
export const xlsxParser: ParserRow = {
  file_type: 'xlsx',
  name: 'an Excel workbook (XLSX)',
  extensions: ['.xlsx', '.xlsm', '.xlsb'],
  media_types: ['application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
  archive_folder: 'xl/',
  async parse(bytes, { source }): Promise<ParsedFile> {
    const archive = await openArchive(bytes, { source });
    await archive.verify();
    const sheets = await sheetsOf(archive);
    if (sheets.some(({ part }) => part !== '' && !archive.names.includes(part)))
      throw brokenFileError(source, xlsxParser, new Error('parts of it are missing or damaged'));
    const drawings = new Map(await Promise.all(sheets.map(async ({ name, part }) => [name, await drawnIn(archive, part)] as const)));
    const isCalculated = !(await lacksResults(archive, sheets));
    const document = await parseWorkbook(bytes, { row: xlsxParser, source, drawings, isCalculated });
    return { ...document, visible: await visibleWords(archive) };
  },
};

/** A workbook in the XML of Excel 2003. */
const SPREADSHEET_XML =
  /^(?:ï»¿)?\s*<\?xml[^>]*>\s*(?:<\?mso-application progid="Excel\.Sheet"|<(?:ss:)?Workbook\b[^>]*urn:schemas-microsoft-com:office:spreadsheet)/;

/** XLS: the format of Excel 97 to 2003. */
export const xlsParser: ParserRow = {
  file_type: 'xls',
  name: 'an Excel workbook (XLS)',
  extensions: ['.xls', '.xlt'],
  media_types: ['application/vnd.ms-excel'],
  text_type: 'csv',
  recognizes: (bytes) =>
    isCompound(bytes) ? hasStream(bytes, 'Workbook', 'WORKBOOK', 'Book', 'BOOK') : SPREADSHEET_XML.test(readBeginning(bytes)),
  parse: (bytes, { source }) => parseWorkbook(bytes, { row: xlsParser, source }),
};

/** ODS: a spreadsheet of LibreOffice. */
export const odsParser: ParserRow = {
  file_type: 'ods',
  name: 'an OpenDocument spreadsheet (ODS)',
  extensions: ['.ods', '.ots'],
  media_types: ['application/vnd.oasis.opendocument.spreadsheet'],
  archive_mimetype: /^application\/vnd\.oasis\.opendocument\.spreadsheet/,
  parse: (bytes, { source }) => parseWorkbook(bytes, { row: odsParser, source }),
};

interface WorkbookOptions {
  row: ParserRow;
  source: string;
  /** Text boxes, diagrams and descriptions of charts by the name of their sheet. */
  drawings?: ReadonlyMap<string, readonly Block[]>;
  /** Whether the results of all formulas are stored. */
  isCalculated?: boolean;
}

/** Opens a workbook. Throws a DocumentError if a password protects it. */
function readBook(read: () => WorkBook, source: string): WorkBook {
  try {
    return read();
  } catch (error) {
    throw error instanceof Error && /password|encrypt/i.test(error.message) ? encryptedFileError(source) : error;
  }
}

/** Reads a workbook in any format of SheetJS. */
async function parseWorkbook(bytes: Uint8Array, options: WorkbookOptions): Promise<ParsedFile> {
  const { row, source, drawings = new Map<string, readonly Block[]>(), isCalculated = true } = options;
  const { read, utils, SSF } = await import('xlsx');
  const formulas = { cellFormula: !isCalculated, sheetStubs: !isCalculated };
  const book = readBook(
    () => read(bytes, { type: 'array', dense: true, cellNF: true, cellHTML: false, dateNF: 'yyyy-mm-dd', ...formulas }),
    source,
  );
  if (book.SheetNames.length === 0) throw brokenFileError(source, row, new Error('it has no sheets'));
  const hidden = new Set(book.SheetNames.filter((_, index) => (book.Workbook?.Sheets?.[index]?.Hidden ?? 0) > 0));
  const shown = book.SheetNames.filter((name) => !hidden.has(name) && book.Sheets[name]); // modules of macros have no cells
  const textOf = createCellText(book, SSF.format);
  const blocks = new MarkedBlocks();
  for (const name of shown) {
    const sheet = book.Sheets[name]!;
    const tables = sheetTables(sheet, textOf);
    const drawing = writeBlocks(drawings.get(name) ?? []);
    const lines = [...(drawing === '' ? [] : [{ text: drawing }]), ...commentsOf(sheet, utils.encode_cell)];
    if (tables.length === 0 && lines.length === 0) continue;
    if (shown.length > 1 || !DEFAULT_NAME.test(name)) blocks.add(heading(2, name), { sheet: name });
    else blocks.marks.push({ at: blocks.end, sheet: name });
    for (const { above, rows } of tables) {
      for (const line of above) blocks.add(escapeLine(oneLine(line.cells.join(' '))), { sheet: name, row: line.row });
      if (rows.length > 0) blocks.addTable(rows, { sheet: name });
    }
    for (const { text, ...place } of lines) blocks.add(text, { sheet: name, ...place });
  }
  const { text, marks } = blocks;
  const formulas_without_result = isCalculated
    ? 0
    : shown.flatMap((name) => cellsIn(book.Sheets[name]!).flat()).filter(isUncalculated).length;
  const metadata = { ...metadataOf(book, [...hidden]), ...(formulas_without_result > 0 && { formulas_without_result }) };
  return { text, title: book.Props?.Title || undefined, metadata, marks };
}

/** Whether a cell has a formula whose result is not stored. */
const isUncalculated = (cell: CellObject | undefined): boolean => cell?.t === 'z' && cell.f !== undefined;

/** A formula at the end of its cell, or with an empty result. */
const WITHOUT_RESULT = /(?:<\/(?:\w+:)?f>|<(?:\w+:)?f\b[^<>]*\/>)\s*(?:<(?:\w+:)?v\s*\/>|<(?:\w+:)?v>\s*<\/|<\/(?:\w+:)?c>)/;

/** Whether a program wrote formulas without calculating them. */
async function lacksResults(archive: Archive, sheets: readonly Sheet[]): Promise<boolean> {
  for (const { part } of sheets) if (WITHOUT_RESULT.test((await archive.text(part)) ?? '')) return true;
  return false;
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

interface Sheet {
  name: string;
  part: string;
  isHidden: boolean;
}

/** Lists the sheets of a workbook; the parts of binary ones are not XML. */
async function sheetsOf(archive: Archive): Promise<Sheet[]> {
  const book = await readPart(archive, WORKBOOK);
  const relations = await relationsOf(archive, WORKBOOK);
  return childrenNamed(findElement(book, 'sheets'), 'sheet').map((sheet) => ({
    name: sheet.attributes['name'] ?? '',
    part: relations.get(referenceOf(sheet) ?? '')?.target ?? '',
    isHidden: (sheet.attributes['state'] ?? 'visible') !== 'visible',
  }));
}

/** Reads text boxes, diagrams and pictures that are drawn on a sheet. */
async function drawnIn(archive: Archive, sheet: string): Promise<Block[]> {
  const blocks: Block[] = [];
  for (const drawing of targetsOf(await relationsOf(archive, sheet), 'drawing')) {
    const root = await readPart(archive, drawing);
    const relations = await relationsOf(archive, drawing);
    const included = await includedIn(archive, relations, { chart: describeChart });
    if (root) blocks.push(...shapeBlocks(root, { relations, included }));
    for (const unplaced of included.values()) blocks.push(...unplaced);
  }
  return blocks;
}

/** Describes a chart by its title and series; its values are in the cells. */
async function describeChart(part: XmlElement): Promise<Block[]> {
  const { title, series } = await readChart(part);
  const names = series.filter(Boolean).join(', ');
  const description = [title, names && title ? `(${names})` : names].filter(Boolean).join(' ');
  return description === '' ? [] : [paragraph(escapeLine(`Chart: ${description}`))];
}

/** A character that XML does not allow, or a line break (ECMA-376 part 1, 22.9.2.19). */
const ESCAPED = /_x([\dA-F]{4})_/g;
/** A cell with a text: the index of a shared one, or its own. */
const TEXT_CELL = /<c\b[^<>]*\bt="(s|str|inlineStr)"[^<>]*>([^]*?)<\/c>/g;

const PHONETIC = /<(?:\w+:)?rPh\b[^]*?(?:<\/(?:\w+:)?rPh>|$)/g;
const TEXT = /<(?:\w+:)?t\b[^<>]*>([^<]*)/g;

/** Extracts the text of a cell from its XML, without phonetic signs. */
const textOfCell = (xml: string): string =>
  decodeReferences(Array.from(xml.replace(PHONETIC, '').matchAll(TEXT), ([, text]) => text).join(''));

/** Extracts the texts of the cells and drawings of the sheets that are shown. Numbers depend on their formats. */
async function visibleWords(archive: Archive): Promise<string> {
  const items = ((await archive.text('xl/sharedStrings.xml')) ?? '').split(/<si\b/).slice(1);
  const strings = items.map((item) => textOfCell(`<si${item}`));
  const texts: string[] = [];
  for (const { part } of (await sheetsOf(archive)).filter(({ isHidden }) => !isHidden)) {
    for (const [, type, cell = ''] of ((await archive.text(part)) ?? '').matchAll(TEXT_CELL)) {
      const value = /<v>([^<]+)<\/v>/.exec(cell)?.[1] ?? '';
      if (type === 's') texts.push(strings[Number(value || -1)] ?? '');
      else texts.push(type === 'str' ? decodeReferences(value) : textOfCell(cell));
    }
    const relations = await relationsOf(archive, part);
    for (const drawing of targetsOf(relations, 'drawing')) {
      const diagrams = targetsOf(await relationsOf(archive, drawing), 'diagramData');
      texts.push(...(await visibleParts(archive, [drawing, ...diagrams], OFFICE_ELEMENTS)));
    }
  }
  return texts.join('\n').replace(ESCAPED, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}

/** Lists the comments on cells, with the address of the cell and the author; "Author" is the placeholder of Excel. */
function commentsOf(sheet: WorkSheet, addressOf: (cell: CellAddress) => string): { row: number; text: string }[] {
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

/** The number formatter of SheetJS: it throws for an unknown format, and returns '' for a negative time. */
type FormatNumber = (code: string, value: number, options: { date1904: boolean }) => string;

/** Tokens of a number format: quoted text, an escaped character, a space or filler, brackets, the general format, halves of a day; else a character. */
const PARTS = /"[^"]{0,255}"|\\.|[_*].|\[[^\]]{0,255}\]|general|am\/pm|a\/p|上午\/下午|./gisu;
/** A token that is literal text, or describes how a number is shown. */
const LITERAL = /^["\\_*[]/;
const DATE_PART = /^(?:[ymdhs]|\[(?:h+|m+|s+)\])$/i;
const ELAPSED = /\[(?:h+|m+|s+)\]/i;
/** Characters that SheetJS refuses, and Excel shows unchanged. */
const UNKNOWN = /^(?:[CFI-LNOQRT-XZn]|[^\p{ASCII}€])$/u;
/** A language without a currency; SheetJS writes a dollar for it. */
const LANGUAGE = /^\[\$-[^\]]*\]$/;

/** The text of SheetJS for a date in the local order of the computer. */
const LOCAL_DATE = /^\d{1,2}\/\d{1,2}\/\d{2}( \d{1,2}:\d{2})?$/;
const LOCAL_DATE_AND_TIME = 'm/d/yy h:mm';

/**
 * Returns the ISO format for a date whose format depends on the computer: number 22 of Excel, and those of East Asia, which SheetJS shows like the American
 * number 14; undefined for other cells. SheetJS itself replaces number 14 (`dateNF`).
 */
const isoFormat = (code: string | undefined, shown = ''): string | undefined =>
  (code === undefined || code === LOCAL_DATE_AND_TIME) && LOCAL_DATE.test(shown)
    ? `yyyy-mm-dd${shown.includes(' ') ? ' h:mm' : ''}`
    : undefined;

/** Converts a number format of Excel for SheetJS: quotes units and the points of dates, and removes languages. */
function readableFormat(code: string): string {
  const parts = code.match(PARTS) ?? [];
  const isDate = parts.some((part) => DATE_PART.test(part));
  if (isDate && /[#?]|(?<![.0])0/.test(parts.filter((part) => !LITERAL.test(part)).join(''))) return code;
  let before = '';
  return parts
    .map((part, index) => {
      const isFraction = /^s$|^\[s+\]$/i.test(before) && parts[index + 1] === '0';
      if (DATE_PART.test(part)) before = part;
      if (LANGUAGE.test(part)) return isDate ? part : '';
      return UNKNOWN.test(part) || (part === '.' && isDate && !isFraction) ? `"${part}"` : part;
    })
    .join('');
}

const GENERAL = 'General';

/** Creates a function that returns the text of a cell. A negative time is shown with a minus; a negative date, which Excel does not have, is empty. */
function createCellText(book: WorkBook, format: FormatNumber): (cell: CellObject) => string {
  const options = { date1904: book.Workbook?.WBProps?.date1904 === true };
  const codes = new Map<string, string>();
  const readable = (code: string): string => {
    if (!codes.has(code)) codes.set(code, readableFormat(code));
    return codes.get(code)!;
  };
  const written = (code: string, value: number): string | undefined => {
    try {
      return format(code, value, options);
    } catch {
      return undefined;
    }
  };
  const numberText = (value: number, code: string, shown: string | undefined): string | undefined => {
    const text = readable(code) === code ? shown : (written(readable(code), value) ?? shown);
    const isTimeBelowZero = text === '' && value < 0 && ELAPSED.test(code);
    return isTimeBelowZero ? `-${written(code, -value)}` : text;
  };
  return ({ t, v, w, z, f }) => {
    if (t === 'z') return f === undefined ? '' : `=${f}`;
    if (t === 'n' && z === GENERAL && Number.isSafeInteger(v)) return String(v); // Excel shows long ones in full where the column is wide enough
    const code = isoFormat(z as string | undefined, w) ?? z;
    const text =
      t === 'n' && typeof v === 'number' && typeof code === 'string' ? numberText(v, code, code === z ? w : written(code, v)) : w;
    return (text ?? (v instanceof Date ? v.toISOString() : String(v ?? ''))).trim();
  };
}
