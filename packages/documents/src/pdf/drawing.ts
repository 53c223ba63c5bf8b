import { type Cell, isAligned, LEADER, lineOfRuns, type PageTurn, type PdfLine, type PdfRun } from './lines.ts';

/** Operations of pdf.js: those that move the coordinates, and the one that draws a shape. */
const OPERATION = { save: 10, restore: 11, transform: 12, beginForm: 74, endForm: 75, shape: 91 };
/** How a shape is drawn: these paint it, others only clip by it. */
const PAINTED = { first: 20, last: 27 };
/** Segments of a shape, each followed by its points. */
const SEGMENT = { move: 0, line: 1, curve: 2, close: 3 };
/** Maximum thickness in points: of a rectangle that is a line, and of a line that is straight. */
const THIN = 3;
const STRAIGHT = 0.5;
/** Minimum length in points; shorter lines are parts of letters and signs. */
const MIN_LENGTH = 4;
/** Maximum lines of a page; more are a drawing. */
const MAX_RULES = 3000;
/** Maximum distance in points of two rules that are one, and of a rule's end from another that it meets. */
const NEAR = 3;
/** Maximum difference of the baselines of two lines that stand side by side, and of the edges of cells below one another, in font sizes. */
const SAME_LINE = 0.5;
const ALIGNED = 0.7;
/** Maximum width of the shortest cell, in font sizes; lines of text in two columns are wider. */
const MAX_WIDTH = 13;
/** Minimum gap between cells, in font sizes. */
const GAP = 1.2;
/**
 * Maximum rows from a row of cells to the one that it is aligned with; and the maximum share of rows with two long cells among those up to NEIGHBORS rows
 * away: more are two columns of text. Of 718 pages whose tables have drawn borders in tests of tabula, camelot and pdfplumber, none is left out that a
 * reach of 12 rows and no maximum include; where there is no table, a seventh fewer are searched, and half the time is spent.
 */
const REACH = 3;
const MAX_LONG = 0.4;
const NEIGHBORS = 5;
/** After this many such pages without a table only every eighth is searched, until one has a table: listing what is drawn takes long. */
const FRUITLESS = 3;
const ONE_OF = 8;
/** Height of the middle of small letters above their baseline, in font sizes. */
const LETTER_MIDDLE = 0.3;
/** Minimum points by which a run reaches over a border. */
const OVER_BORDER = 2;
/** Minimum share of the cells of a table that have text; forms and charts have less. */
const MIN_FILLED = 0.4;
/** Maximum lines of a cell; a larger one is a box around parts of a page. */
const MAX_LINES = 25;
/** Maximum share of the lines in cells with wide gaps; more are rows without borders between their cells. */
const MAX_GAPS = 0.1;
/** Minimum lines side by side in all cells of a row that are rows without borders between them. */
const MIN_UNDIVIDED = 3;
/** Width of a bullet, in font sizes; the bullets of Chromium have about .3. */
const BULLET_WIDTH = { least: 0.15, most: 0.5 };
/** Maximum difference of its width and height, as a share of the greater. */
const SQUARE = 0.2;
/** Gap between a bullet and its text, in font sizes; Chromium leaves .5 in large letters, 1.3 in tiny ones. */
const BULLET_GAP = { least: 0.2, most: 1.6 };
/** Height of its middle above the baseline, in font sizes; letters are about .5 high. */
const BULLET_MIDDLE = { least: 0.1, most: 0.6 };
/** Maximum shapes of a page; more are a drawing. */
const MAX_SHAPES = 3000;

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

/** A straight line on a page, in the coordinates of its text; `at` is its y, or its x if it is vertical. */
interface Rule {
  isVertical: boolean;
  at: number;
  from: number;
  to: number;
}

type Matrix = readonly [number, number, number, number, number, number];
const IDENTITY: Matrix = [1, 0, 0, 1, 0, 0];
type Point = readonly [x: number, y: number];

const multiply = ([a, b, c, d, e, f]: Matrix, inner: readonly number[]): Matrix => {
  const [p = 1, q = 0, r = 0, s = 1, t = 0, u = 0] = inner;
  return [a * p + c * q, b * p + d * q, a * r + c * s, b * r + d * s, a * t + c * u + e, b * t + d * u + f];
};

/** Searches the pages of a document in their order. */
export class TableSearch {
  #fruitless = 0;

  /** Cuts the lines of a page at the borders of its tables; `listDrawing` lists what is drawn on it. */
  async cutLines(listDrawing: () => Promise<OperatorList>, lines: readonly PdfLine[], turn: PageTurn): Promise<readonly PdfLine[]> {
    if (!mayHaveTable(lines)) return lines;
    this.#fruitless++;
    if (this.#fruitless > FRUITLESS && this.#fruitless % ONE_OF !== 0) return lines;
    const cut = linesInGrids(lines, gridsIn(await listDrawing(), turn));
    if (cut !== lines) this.#fruitless = 0;
    return cut;
  }
}

/** Whether rows have cells below one another that are too short for text in columns. */
function mayHaveTable(lines: readonly PdfLine[]): boolean {
  const entries = lines.filter(({ text }) => !text.includes(LEADER)); // without those of a table of contents
  const rows = rowsOf(entries).map((cells, at) => ({ cells, at })).filter(({ cells }) => cells.length > 1); // prettier-ignore
  const isProse = (at: number): boolean => {
    const near = rows.filter((row) => Math.abs(row.at - at) <= NEIGHBORS);
    return near.filter(({ cells }) => cells.filter(isLong).length > 1).length > MAX_LONG * near.length;
  };
  return rows.some(({ cells, at }, i) => {
    const below = rows.slice(i + 1, i + REACH).filter((next) => next.at - at <= REACH);
    return below.some((next) => areColumns(cells, next.cells) && areColumns(next.cells, cells)) && !isProse(at);
  });
}

const isLong = ({ x, right, size }: SizedCell): boolean => right - x > MAX_WIDTH * size;

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
  const aligned = row.filter((cell) => next.some((other) => isAligned(cell, other, ALIGNED * cell.size)));
  return aligned.length > 1 && !aligned.every(isLong);
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

/** A line of a cell. */
interface CellLine {
  row: number;
  column: number;
  line: PdfLine;
  /** Wide gaps within it. */
  gaps: number;
}

/** Cuts the lines in grids at the borders. The cells, row by row, stand in place of the first of those lines. */
export const linesInGrids = (lines: readonly PdfLine[], grids: readonly Grid[]): readonly PdfLine[] => grids.reduce(cutLines, lines);

function cutLines(lines: readonly PdfLine[], grid: Grid): readonly PdfLine[] {
  const inside: CellLine[] = [];
  const left: PdfLine[] = [];
  let first: number | undefined;
  for (const line of lines) {
    const isOutside = line.ruled !== undefined || line.y > grid.rows[0]! || line.y + line.size < grid.rows.at(-1)!;
    const runs = isOutside ? [] : line.runs.filter(({ text }) => text.trim() !== '').flatMap((run) => cutRun(run, grid));
    const places = Map.groupBy(runs, (run) => placeOf(run, grid));
    const outside = places.get(undefined) ?? [];
    if (places.size === 0 || outside.length === runs.length) {
      left.push(line);
      continue;
    }
    first ??= left.length;
    if (outside.length > 0) left.push(lineOfRuns(outside).line);
    for (const [place, own] of places) if (place !== undefined) inside.push({ ...cellOf(place, grid), ...lineOfRuns(own) });
  }
  const table = tableOf(inside, grid);
  return table ? left.toSpliced(first!, 0, ...table) : lines;
}

/** Cuts a run between words where it reaches over a border: pdf.js joins runs that stand close. */
function cutRun(run: PdfRun, grid: Grid): PdfRun[] {
  const { text, x, right } = run;
  const row = rowOf(run, grid);
  const edge =
    row < 0
      ? undefined
      : grid.columns.find((at, column) => at > x + OVER_BORDER && at < right - OVER_BORDER && grid.firstColumn(row, column) === column);
  if (edge === undefined) return [run];
  const wanted = ((edge - x) / (right - x)) * text.length;
  const spaces = Array.from(text.matchAll(/\s+/g), ({ index }) => index).filter((at) => at > 0 && at < text.length - 1);
  const at = spaces.toSorted((a, b) => Math.abs(a - wanted) - Math.abs(b - wanted))[0];
  if (at === undefined) return [run];
  return [{ ...run, text: text.slice(0, at), right: edge }, ...cutRun({ ...run, text: text.slice(at).trimStart(), x: edge }, grid)];
}

/** Finds the row of a run; -1 outside of the grid. */
const rowOf = ({ y, size }: PdfRun, { rows }: Grid): number =>
  rows.findIndex((edge, i) => y + LETTER_MIDDLE * size <= edge && y + LETTER_MIDDLE * size > (rows[i + 1] ?? edge));

/** Finds the number of the cell of a run; undefined outside of the grid. */
function placeOf(run: PdfRun, grid: Grid): number | undefined {
  const { columns, firstColumn } = grid;
  const middle = (run.x + run.right) / 2;
  const column = columns.findIndex((edge, i) => middle >= edge && middle < (columns[i + 1] ?? edge));
  const row = rowOf(run, grid);
  return column < 0 || row < 0 ? undefined : row * columns.length + firstColumn(row, column);
}

const cellOf = (place: number, { columns }: Grid) => ({ row: Math.floor(place / columns.length), column: place % columns.length });

/** Divides rows of the grid that hold several rows of text; their numbers get fractions. */
function divideRows(inside: readonly CellLine[]): CellLine[] {
  return [...Map.groupBy(inside, ({ row }) => row).values()].flatMap((cells) => {
    const columns = [...Map.groupBy(cells, ({ column }) => column).values()].map((all) => all.toSorted((a, b) => b.line.y - a.line.y));
    const [first, ...others] = columns as [CellLine[], ...CellLine[][]];
    const isBeside = (one: CellLine, other: CellLine | undefined): boolean =>
      other !== undefined && Math.abs(one.line.y - other.line.y) < SAME_LINE * one.line.size;
    const areRows = others.every((all) => all.length === first.length && all.every((one, i) => isBeside(one, first[i])));
    if (first.length < MIN_UNDIVIDED || others.length === 0 || !areRows) return cells;
    return columns.flatMap((all) => all.map((one, i) => ({ ...one, row: one.row + i / all.length })));
  });
}

/** Whether a row is one cell. */
const isWhole = (row: number, { columns, firstColumn }: Grid): boolean => firstColumn(row, columns.length - 2) === 0;

/** Counts the cells of rows. */
const countCells = (rows: readonly number[], { columns, firstColumn }: Grid): number =>
  rows.reduce((count, row) => count + new Set(columns.slice(1).map((_, column) => firstColumn(row, column))).size, 0);

/** Orders the lines of a table; undefined if the grid is not a table. */
function tableOf(inside: readonly CellLine[], grid: Grid): PdfLine[] | undefined {
  const filled = Map.groupBy(inside, ({ row, column }) => row * grid.columns.length + column);
  const numbers = (of: (one: CellLine) => number): number[] => [...new Set(inside.map(of))].toSorted((a, b) => a - b);
  const [rows, columns] = [numbers(({ row }) => row), numbers(({ column }) => column)];
  if (rows.length < 2 || columns.length < 2 || filled.size < MIN_FILLED * countCells(rows, grid)) return undefined;
  if (filled.values().some((cell) => cell.length > MAX_LINES)) return undefined;
  if (inside.filter(({ gaps }) => gaps > 0).length > MAX_GAPS * inside.length) return undefined;
  return divideRows(inside)
    .toSorted((a, b) => a.row - b.row || a.column - b.column || b.line.y - a.line.y || a.line.x - b.line.x)
    .map(({ row, column, line }) => ({
      ...line,
      ruled: { grid, row, column: columns.indexOf(column), columns: columns.length, isWhole: isWhole(Math.floor(row), grid) },
    }));
}

/** A small shape, about as wide as high: its left edge, its width, and its middle, in the coordinates of the text. */
interface Dot {
  left: number;
  width: number;
  middle: number;
}

/** Programs that draw the bullets of lists as shapes: Chromium, when it prints. */
const DRAWS_BULLETS = /\bSkia\b/i;

/** Whether bullets may be drawn as shapes in a document, by the name of the program that made it. */
export const drawsBullets = ({ Producer }: Record<string, unknown>): boolean =>
  typeof Producer === 'string' && DRAWS_BULLETS.test(Producer);

/** Puts a bullet in front of the lines that have one drawn on their left. */
export function addBullets(lines: readonly PdfLine[], drawing: OperatorList, turn: PageTurn): readonly PdfLine[] {
  const dots = dotsIn(drawing, turn);
  return dots.length === 0 ? lines : lines.map((line) => withBullet(line, dots));
}

function withBullet(line: PdfLine, dots: readonly Dot[]): PdfLine {
  const { runs, size, y } = line;
  const [first, ...cells] = line.cells;
  if (!first || !runs.some(({ text }) => /[\p{L}\p{N}]/u.test(text))) return line;
  const isWithin = (value: number, { least, most }: { least: number; most: number }) => value >= least * size && value <= most * size;
  const dot = dots.find(
    ({ left, width, middle }) =>
      isWithin(width, BULLET_WIDTH) && isWithin(first.x - left - width, BULLET_GAP) && isWithin(middle - y, BULLET_MIDDLE),
  );
  if (!dot) return line;
  const x = dot.left;
  const bullet: PdfRun = { text: '•', x, right: x + dot.width, y, size, font: runs[0]!.font };
  return { ...line, text: `• ${line.text}`, x, cells: [{ ...first, text: `• ${first.text}`, x }, ...cells], runs: [bullet, ...runs] };
}

/** Lists the dots of a page; none if it is a drawing. */
function dotsIn(drawing: OperatorList, turn: PageTurn): Dot[] {
  const dots: Dot[] = [];
  let shapes = 0;
  for (const {
    bounds,
    matrix: [a, b, c, d, e, f],
  } of paintedShapes(drawing, turn)) {
    if (++shapes > MAX_SHAPES) return [];
    const [left = 0, lower = 0, right = 0, upper = 0] = bounds;
    const corners = [[left, lower], [right, lower], [left, upper], [right, upper]].map(([x = 0, y = 0]) => [a * x + c * y + e, b * x + d * y + f] as const); // prettier-ignore
    const [xs, ys] = [corners.map(([x]) => x), corners.map(([, y]) => y)];
    const [west, south] = [Math.min(...xs), Math.min(...ys)];
    const [width, height] = [Math.max(...xs) - west, Math.max(...ys) - south];
    if (Math.abs(width - height) <= SQUARE * Math.max(width, height)) dots.push({ left: west, width, middle: south + height / 2 });
  }
  return dots;
}
