import type { Document, Location, Mark } from '../../schema/items.ts';
import type { Block } from './block.ts';
import type { Group } from './groups.ts';
import type { Piece } from './pack.ts';

/** Tells where in its source a piece stands. Pieces are asked for in their order: then the whole document costs one look at each character. */
type Locator = (piece: Piece, group: Group) => Location;

/** Makes the locator of a document. */
export function locator(document: Document, blocks: readonly Block[]): Locator {
  const { text, marks = [] } = document;
  const lineAt = lineCounter(text, marks);
  const rowsOf = rowCounter(text, marks, blocks);
  return (piece, group) => {
    const { host } = group;
    const location: Location = {};
    const headings = host.headings.filter((title) => title !== '');
    if (headings.length > 0) location.headings = headings;
    if (marks.length === 0) return location;
    // a heading without text of its own may stand before: where the text is counts
    const mark = markAt(marks, Math.max(piece.start, Math.min(host.start, piece.end - 1)));
    if (mark?.page !== undefined) location.page = mark.page;
    if (mark?.sheet !== undefined) location.sheet = mark.sheet;
    if (mark?.anchor !== undefined) location.anchor = mark.anchor;
    // what is repeated from the chunk before is text of this one, too: it is quoted, and its lines are named
    const [first, last] = [lineAt(piece.from), lineAt(piece.end - 1)];
    if (first !== undefined && last !== undefined) Object.assign(location, { line_start: first, line_end: last });
    return Object.assign(location, rowsOf(piece, group));
  };
}

/** The mark that holds at an offset. */
export function markAt(marks: readonly Mark[], offset: number): Mark | undefined {
  let [low, high] = [0, marks.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (marks[middle]!.at <= offset) low = middle + 1;
    else high = middle;
  }
  return marks[low - 1];
}

function lineCounter(text: string, marks: readonly Mark[]): (offset: number) => number | undefined {
  const newlines = newlineCounter(text);
  return (offset) => {
    const mark = markAt(marks, offset);
    return mark?.line === undefined ? undefined : mark.line + newlines(mark.at, offset);
  };
}

/** First and last row that a piece holds of the tables in it. */
function rowCounter(text: string, marks: readonly Mark[], blocks: readonly Block[]) {
  const newlines = newlineCounter(text);
  let next = 0;
  const rowAt = (offset: number, table: Block): number | undefined => {
    const mark = markAt(marks, offset);
    if (mark?.row === undefined) return undefined;
    const from = Math.max(mark.at, table.start);
    const header = text.indexOf('\n', table.start);
    const separators = from <= header && offset > header ? 1 : 0;
    return mark.row + newlines(from, offset) - separators;
  };
  return ({ start, end }: Piece, { last }: Group): Pick<Location, 'row_start' | 'row_end'> => {
    let rows: { row_start?: number; row_end?: number } = {};
    while (next < last && blocks[next]!.end <= start) next += 1;
    for (let index = next; index < last && blocks[index]!.start < end; index++) {
      const block = blocks[index]!;
      if (block.kind !== 'table') continue;
      const first = rowAt(Math.max(start, block.start), block);
      const final = rowAt(Math.min(end, block.end) - 1, block);
      if (first !== undefined && final !== undefined) rows = { row_start: rows.row_start ?? first, row_end: final };
    }
    return rows;
  };
}

/** Counts the newlines in `from` to `to`. Goes on from its last answer, or back from it, where `from` is the same. */
function newlineCounter(text: string): (from: number, to: number) => number {
  let [base, reached, count] = [0, 0, 0];
  return (from, to) => {
    if (from !== base) [base, reached, count] = [from, from, 0];
    count += to < reached ? -newlinesIn(text.slice(to, reached)) : newlinesIn(text.slice(reached, to));
    reached = to;
    return count;
  };
}

function newlinesIn(passed: string): number {
  let count = 0;
  for (let at = passed.indexOf('\n'); at >= 0; at = passed.indexOf('\n', at + 1)) count += 1;
  return count;
}
