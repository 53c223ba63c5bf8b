import type { NumberedRow } from '../markdown/write.ts';
import { indentOf } from '../parsed-document.ts';
import { joinHeader } from '../table.ts';
import { joinCell, padWide, type TableBlock } from './rst-rows.ts';

const TOP = /^\s*\+-[-+]*-\+\s*$/;
const FULL_RULE = /^\+[-=+]+\+$/;
const HEADER_RULE = /^\+[=+]+\+$/;

/** Reads the grid table that begins at a line (`+----+----+`); undefined if none does. */
export function readGridTable(lines: readonly string[], at: number): TableBlock | undefined {
  if (!TOP.test(lines[at]!)) return undefined;
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
