import type TurndownService from 'turndown';
import { BOX_TITLE, type DomElement, span } from './dom.ts';
import { codeSpan, codeLines } from './code-blocks.ts';
import { oneLine, tableLines } from '../../../text/markdown/write.ts';

// Between a cell and its table stand characters that occur in no text (the conversion removes them from it), so that the table can lay out its rows itself.
const CELL = '\ufdd0';
const ROW = '\ufdd1';
const TEXT = '\ufdd2';
/** A table with so many more places than cells, about, is drawn by its spans, or an attack: spans of both kinds in each row fill rows times columns. */
const MOST_PLACES = 20;
const FEW_PLACES = 500;

/** Code of more lines than this cannot be read in a cell. */
const MOST_LINES = 8;

/** Characters of a cell that is repeated in each row that it spans: longer ones are no label of the rows. */
const LONGEST_REPEATED = 100;

interface Cell {
  text: string;
  columns: number;
  rows: number;
}

/** A table that only arranges a page: its cells are read one after another. */
function isLayout(table: DomElement): boolean {
  if (/^(presentation|none)$/.test(table.getAttribute('role') ?? '')) return true;
  if (table.querySelector('table, h1, h2, h3, h4, h5, h6')) return true;
  if ([...table.querySelectorAll('pre')].some((code) => codeLines(code).length > MOST_LINES)) return true;
  return ![...table.querySelectorAll('tr')].some((row) => [...row.children].filter(isCell).length > 1);
}

const isCell = ({ nodeName }: DomElement): boolean => nodeName === 'TD' || nodeName === 'TH';

/** Tables as GFM: the first row is the header, or an empty one where the page has none, a cell that spans rows stands in each of them, one that spans columns in the first, line breaks in cells become spaces. */
export function addTableRules(turndown: TurndownService): void {
  const known = new WeakMap<DomElement, boolean>();
  const isLaidOut = (table: DomElement | null): boolean => {
    if (!table) return true;
    if (!known.has(table)) known.set(table, isLayout(table));
    return known.get(table)!;
  };
  turndown
    .addRule('tableCell', {
      filter: ['td', 'th'],
      replacement: (content, node) =>
        isLaidOut(node.closest('table'))
          ? `\n\n${node.className === BOX_TITLE ? `**${content.trim()}**` : content}\n\n`
          : `${CELL}${span(node, 'colspan')},${span(node, 'rowspan')}${TEXT}${oneLine(content)}`,
    })
    .addRule('tableCode', {
      filter: (node) => node.nodeName === 'PRE' && !isLaidOut(node.closest('td, th')?.closest('table') ?? null),
      replacement: (_content, node) => codeSpan(node),
    })
    .addRule('tableRow', {
      filter: 'tr',
      replacement: (content, node) => (isLaidOut(node.closest('table')) ? content : `${ROW}${content}`),
    })
    .addRule('tableSection', { filter: ['thead', 'tbody', 'tfoot', 'colgroup', 'col'], replacement: (content) => content })
    .addRule('caption', { filter: 'caption', replacement: (content) => `${content.trim()}\n\n` })
    .addRule('table', {
      filter: 'table',
      replacement: (content, node) => `\n\n${isLaidOut(node) ? content : tableText(content, hasHeader(node))}\n\n`,
    });
}

/** Classes of the tables of Asciidoctor, Sphinx and DocBook, which mark the cells of a header wherever there is one. */
const MARKED = '.tableblock, .docutils, .informaltable, .table-contents';

/** Whether the first row names the columns: where nothing tells, it mostly does. */
const hasHeader = (table: DomElement): boolean => table.closest(MARKED) === null || table.querySelector('th, thead') !== null;

function tableText(content: string, isHeaded: boolean): string {
  const [before = '', ...written] = content.split(ROW);
  const rows = written.map(cellsOf);
  const grid = withoutEmptyColumns(laidOut(rows) ?? rows.map((cells) => cells.map(({ text }) => text))).filter((row) => row.length > 0);
  const line = grid.length === 1 && written.length === 1 ? grid[0]!.filter(Boolean).join(' ') : '';
  if (line !== '') return [before.trim(), line].filter(Boolean).join('\n\n');
  const header = (grid[0] ?? []).map((cell) => cell.replace(/^\*\*(.+)\*\*$/, '$1')); // a header is bold without being told
  const table = grid.length === 0 ? '' : tableLines(isHeaded ? [header, ...grid.slice(1)] : [[], ...grid]).join('\n');
  return [before.trim(), table].filter(Boolean).join('\n\n');
}

/** The columns that hold something: others keep distance. Rows end at their last value. */
function withoutEmptyColumns(grid: readonly string[][]): string[][] {
  const filled = new Set<number>();
  for (const row of grid) for (const [column, cell] of row.entries()) if (cell !== '') filled.add(column);
  return grid.map((row) => {
    const cells = row.filter((_, column) => filled.has(column));
    return cells.slice(0, cells.findLastIndex((cell) => cell !== '') + 1);
  });
}

const cellsOf = (row: string): Cell[] =>
  row
    .split(CELL)
    .slice(1)
    .map((cell) => {
      const [spans = '', text = ''] = cell.split(TEXT);
      const [columns = 1, rows = 1] = spans.split(',').map(Number);
      return { text, columns, rows };
    });

/**
 * Lays out cells as a browser does, repeated in each further row that they span. Rows end at their last value. Undefined for a mostly
 * spanned table.
 */
function laidOut(rows: readonly Cell[][]): string[][] | undefined {
  const taken: { rows: number; text: string }[] = []; // by column: how many more rows the cell above reaches into
  let places = Math.max(FEW_PLACES, MOST_PLACES * rows.reduce((sum, { length }) => sum + length, 0));
  const grid: string[][] = [];
  for (const cells of rows) {
    const row: string[] = [];
    const fillTaken = () => {
      for (let above = taken[row.length]; above && above.rows > 0; above = taken[row.length]) {
        above.rows -= 1;
        row.push(above.text);
      }
    };
    for (const [at, { text, columns, rows: reach }] of cells.entries()) {
      fillTaken();
      const isOpen = at === cells.length - 1 && reach === 1; // nothing comes behind it: many pages write 999 for all columns
      for (let i = 0; i < (isOpen ? 1 : columns); i++) {
        taken[row.length] = { rows: reach - 1, text: i === 0 && text.length <= LONGEST_REPEATED ? text : '' };
        row.push(i === 0 ? text : '');
      }
      if (row.length > places) return undefined;
    }
    fillTaken();
    row.length = row.findLastIndex((cell) => cell !== '') + 1;
    grid.push(row);
    places -= row.length;
  }
  return grid;
}
