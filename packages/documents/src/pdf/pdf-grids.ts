import type { Cell, PageTurn, PdfLine, PdfRun } from './pdf-lines.ts';

/** A table's cells as their borders are drawn. */
export interface Grid {
  /** Where its columns begin and end, from left to right. */
  columns: readonly number[];
  /** Where its rows begin and end, from the top down. */
  rows: readonly number[];
  /** Finds the first column of the cell at this row and column, which may span several. */
  firstColumn(row: number, column: number): number;
}

/** The part of pdf.js's operator list that is read here: numbers of operations, and their arguments. */
export interface OperatorList {
  fnArray: readonly number[];
  argsArray: readonly unknown[];
}

/** Operations of pdf.js: those that move the coordinates, and the one that draws a shape. */
const OPERATION = { save: 10, restore: 11, transform: 12, beginForm: 74, endForm: 75, shape: 91 };
/** How a shape is drawn: these paint it, others only clip by it. */
const PAINTED = { first: 20, last: 27 };
/** Segments of a shape, each followed by its points. */
const SEGMENT = { move: 0, line: 1, curve: 2, close: 3 };

/** A straight line on a page, in the coordinates of its text; `at` is its y, or its x if it is vertical. */
interface Rule {
  isVertical: boolean;
  at: number;
  from: number;
  to: number;
}

/** Maximum thickness in points: of a rectangle that is a line, and of a line that is straight. */
const THIN = 3;
const STRAIGHT = 0.5;
/** Minimum length in points; shorter lines are parts of letters and signs. */
const MIN_LENGTH = 4;
/** Maximum lines of a page; more are a drawing. */
const MAX_RULES = 3000;
/** Maximum distance in points of two rules that are one, and of a rule's end from another that it meets. */
const NEAR = 3;

type Matrix = readonly [number, number, number, number, number, number];
const IDENTITY: Matrix = [1, 0, 0, 1, 0, 0];
type Point = readonly [x: number, y: number];

const multiply = ([a, b, c, d, e, f]: Matrix, inner: readonly number[]): Matrix => {
  const [p = 1, q = 0, r = 0, s = 1, t = 0, u = 0] = inner;
  return [a * p + c * q, b * p + d * q, a * r + c * s, b * r + d * s, a * t + c * u + e, b * t + d * u + f];
};

/** Maximum difference of the baselines of two lines that stand side by side, and of the edges of cells below one another, in font sizes. */
const SAME_LINE = 0.5;
const ALIGNED = 0.7;
/** Maximum characters of the shortest cell; lines of text in two columns are longer. */
const MAX_LENGTH = 25;
/** Minimum rows of a table. */
const MIN_ROWS = 2;
/** Minimum gap between cells, in font sizes. */
const GAP = 1.2;
/** Maximum rows from a row of cells to the next one: cells have wrapped lines. */
const REACH = 12;
/** After this many such pages without a grid only every eighth is searched, until one has a grid: listing what is drawn takes long. */
const FRUITLESS = 3;
const ONE_OF = 8;

/** Searches the pages of a document in their order. */
export class GridSearch {
  #fruitless = 0;

  /** Finds the grids on a page with these lines; `listDrawing` lists what is drawn on it. */
  async findGrids(listDrawing: () => Promise<OperatorList>, lines: readonly PdfLine[], turn: PageTurn): Promise<Grid[]> {
    if (!mayHaveTable(lines)) return [];
    this.#fruitless++;
    if (this.#fruitless > FRUITLESS && this.#fruitless % ONE_OF !== 0) return [];
    const grids = gridsIn(await listDrawing(), turn);
    if (grids.length > 0) this.#fruitless = 0;
    return grids;
  }
}

/** Whether rows have cells below one another that are too short for text in columns. */
function mayHaveTable(lines: readonly PdfLine[]): boolean {
  const rows = rowsOf(lines).map((cells, at) => ({ cells, at })).filter(({ cells }) => cells.length > 1); // prettier-ignore
  return rows.some((row, i) => {
    const below = rows.slice(i + 1, i + REACH).filter((next) => next.at - row.at <= REACH && areColumns(row.cells, next.cells));
    return below.length + 1 >= MIN_ROWS;
  });
}

type SizedCell = Cell & { size: number };

/** Lists the cells of lines side by side, from the top down. */
function rowsOf(lines: readonly PdfLine[]): SizedCell[][] {
  const rows: { y: number; cells: SizedCell[] }[] = [];
  for (const { y, size, cells, runs } of lines.toSorted((a, b) => b.y - a.y)) {
    const sized = (cells.length === 1 ? cellsOfRuns(runs, size) : cells).map((cell) => ({ ...cell, size }));
    const row = rows.at(-1);
    if (row && row.y - y < SAME_LINE * size) row.cells.push(...sized);
    else rows.push({ y, cells: sized });
  }
  return rows.map(({ cells }) => cells);
}

/** Lists the parts of a line between wide gaps, which lines from right to left have not. */
function cellsOfRuns(runs: readonly PdfRun[], size: number): Cell[] {
  const parts: Cell[] = [];
  for (const { text, x, right } of runs.toSorted((a, b) => a.x - b.x)) {
    const part = parts.at(-1);
    if (text.trim() === '') continue;
    if (part && x - part.right <= GAP * size) Object.assign(part, { text: `${part.text}${text}`, right: Math.max(part.right, right) });
    else parts.push({ text, x, right });
  }
  return parts;
}

function areColumns(row: readonly SizedCell[], next: readonly SizedCell[]): boolean {
  const isBelow = (one: SizedCell, other: SizedCell): boolean => {
    const edges = [one.x - other.x, one.right - other.right, (one.x + one.right - other.x - other.right) / 2];
    return edges.some((distance) => Math.abs(distance) <= ALIGNED * one.size);
  };
  const aligned = row.filter((cell) => next.some((other) => isBelow(cell, other)));
  return aligned.length > 1 && aligned.some(({ text }) => text.length <= MAX_LENGTH);
}

/** Finds the grids that lines draw: at least two rows and two columns each. */
function gridsIn(drawing: OperatorList, turn: PageTurn): Grid[] {
  const rules = joinRules(rulesIn(drawing, turn));
  const left = new Set(rules);
  return rules.flatMap((first) => {
    if (!first.isVertical || !left.delete(first)) return [];
    const group = [first];
    for (const rule of group)
      for (const other of left)
        if (other.isVertical !== rule.isVertical && meet(rule, other)) {
          left.delete(other);
          group.push(other);
        }
    return gridOf(group) ?? [];
  });
}

const meet = (one: Rule, other: Rule): boolean =>
  other.at >= one.from - NEAR && other.at <= one.to + NEAR && one.at >= other.from - NEAR && one.at <= other.to + NEAR;

/** Lists the rules of a page; none if it is a drawing. */
function rulesIn(drawing: OperatorList, turn: PageTurn): Rule[] {
  const rules: Rule[] = [];
  for (const shape of paintedShapes(drawing, turn)) {
    for (const outline of outlinesOf(shape)) rules.push(...rulesOf(outline));
    if (rules.length > MAX_RULES) return [];
  }
  return rules;
}

/** A shape that is painted: segments each followed by their points, left, lower, right and upper bound, and what maps both to the text. */
interface PaintedShape {
  path: ArrayLike<number>;
  bounds: Iterable<number>;
  matrix: Matrix;
}

/** Lists the shapes that a page paints; others only clip. */
export function* paintedShapes({ fnArray, argsArray }: OperatorList, [cos, sin]: PageTurn): Generator<PaintedShape, void> {
  const saved: Matrix[] = [];
  const upright: Matrix = [cos, -sin, sin, cos, 0, 0];
  let matrix = upright;
  for (const [i, operation] of fnArray.entries()) {
    const args = argsArray[i] as readonly unknown[] | null;
    if (operation === OPERATION.save || operation === OPERATION.beginForm) saved.push(matrix);
    if (operation === OPERATION.restore || operation === OPERATION.endForm) matrix = saved.pop() ?? upright;
    if (operation === OPERATION.transform) matrix = multiply(matrix, args as readonly number[]);
    if (operation === OPERATION.beginForm) matrix = multiply(matrix, (args?.[0] as readonly number[] | null) ?? IDENTITY);
    if (operation !== OPERATION.shape) continue;
    const [painting = 0, data, bounds = []] = (args ?? []) as [
      number | undefined,
      ArrayLike<number>[] | undefined,
      Iterable<number> | undefined,
    ];
    const path = data?.[0];
    if (path && painting >= PAINTED.first && painting <= PAINTED.last) yield { path, bounds, matrix };
  }
}

/** Lists the outlines of a shape that have straight lines alone. */
function outlinesOf({ path, matrix: [a, b, c, d, e, f] }: PaintedShape): Point[][] {
  const outlines: Point[][] = [[]];
  for (let at = 0; at < path.length;) {
    const segment = path[at]!;
    const outline = outlines.at(-1)!;
    const [x, y] = [path[at + 1]!, path[at + 2]!];
    if (segment === SEGMENT.close && outline.length > 0) outline.push(outline[0]!);
    else if (segment === SEGMENT.curve) outline.length = 0;
    else if (segment === SEGMENT.line) outline.push([a * x + c * y + e, b * x + d * y + f]);
    else if (segment === SEGMENT.move) outlines.push([[a * x + c * y + e, b * x + d * y + f]]);
    at += segment === SEGMENT.curve ? 7 : segment === SEGMENT.close ? 1 : 3;
  }
  return outlines;
}

/** Lists the rules that an outline draws; a thin rectangle is one. */
function rulesOf(outline: readonly Point[]): Rule[] {
  const whole = ruleThrough(outline, THIN);
  return whole ? [whole] : outline.slice(1).flatMap((point, i) => ruleThrough([outline[i]!, point], STRAIGHT) ?? []);
}

function ruleThrough(points: readonly Point[], thickness: number): Rule | undefined {
  const [xs, ys] = [points.map(([x]) => x), points.map(([, y]) => y)];
  const [left, right, lower, upper] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  if (upper - lower < thickness && right - left >= MIN_LENGTH) return { isVertical: false, at: (lower + upper) / 2, from: left, to: right };
  if (right - left < thickness && upper - lower >= MIN_LENGTH) return { isVertical: true, at: (left + right) / 2, from: lower, to: upper };
  return undefined;
}

/** Joins rules that continue each other. */
function joinRules(rules: readonly Rule[]): Rule[] {
  const joined: Rule[] = [];
  const order = (a: Rule, b: Rule): number =>
    Number(a.isVertical) - Number(b.isVertical) || Math.round(a.at / NEAR) - Math.round(b.at / NEAR) || a.from - b.from;
  for (const rule of rules.toSorted(order)) {
    const before = joined.at(-1);
    const continues = before?.isVertical === rule.isVertical && Math.abs(before.at - rule.at) < NEAR && rule.from <= before.to + NEAR;
    if (continues) before.to = Math.max(before.to, rule.to);
    else joined.push({ ...rule });
  }
  return joined;
}

function gridOf(rules: readonly Rule[]): Grid | undefined {
  const [vertical, across] = [rules.filter(({ isVertical }) => isVertical), rules.filter(({ isVertical }) => !isVertical)];
  if (across.length < 2) return undefined;
  const columns = edgesOf(vertical, across);
  const rows = edgesOf(across, vertical).toReversed();
  if (columns.length < 3 || rows.length < 3) return undefined;
  const isCut = (row: number, column: number): boolean => {
    const middle = (rows[row]! + rows[row + 1]!) / 2;
    return vertical.some(({ at, from, to }) => Math.abs(at - columns[column]!) < NEAR && from <= middle && to >= middle);
  };
  const firstColumn = (row: number, column: number): number => {
    let first = column;
    while (first > 0 && !isCut(row, first)) first--;
    return first;
  };
  return { columns, rows, firstColumn };
}

/** Lists the places of rules and the ends of those that cross them, in ascending order, near ones once. */
function edgesOf(rules: readonly Rule[], crossing: readonly Rule[]): number[] {
  const ends = [Math.min(...crossing.map(({ from }) => from)), Math.max(...crossing.map(({ to }) => to))];
  const places = [...rules.map(({ at }) => at), ...ends].toSorted((a, b) => a - b);
  return places.filter((place, i) => i === 0 || place - places[i - 1]! >= 2 * NEAR);
}
