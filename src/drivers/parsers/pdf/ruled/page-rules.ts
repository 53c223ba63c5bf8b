import type { PageTurn } from '../pdf-lines.ts';

/** A straight line on a page, in the coordinates of its text: `at` is its height, or how far right it stands. */
export interface Rule {
  at: number;
  from: number;
  to: number;
}

/** The lines and the edges of rectangles that a page draws. */
export interface PageRules {
  across: Rule[];
  upright: Rule[];
}

/** As much of what pdf.js says of a drawn page as is read here: numbers of operations, and their arguments. */
export interface Drawing {
  fnArray: readonly number[];
  argsArray: readonly unknown[];
}

/** What pdf.js calls these operations, and those that paint a shape rather than cut by it. */
const OPERATION = { save: 10, restore: 11, transform: 12, beginForm: 74, endForm: 75, shape: 91 };
const PAINTED = { first: 20, last: 27 };
/** The parts of a shape, each followed by its points. */
const PART = { move: 0, line: 1, curve: 2, close: 3 };

/** Thinner rectangles are lines, in points; lines that lean by less are straight. */
const THIN = 3;
const STRAIGHT = 0.5;
/** Shorter lines are parts of letters and signs. */
const SHORTEST = 4;
/** A page with more is a drawing. */
const MOST_RULES = 3000;

type Matrix = readonly [number, number, number, number, number, number];
const SAME: Matrix = [1, 0, 0, 1, 0, 0];

const times = ([a, b, c, d, e, f]: Matrix, inner: readonly number[]): Matrix => {
  const [p = 1, q = 0, r = 0, s = 1, t = 0, u = 0] = inner;
  return [a * p + c * q, b * p + d * q, a * r + c * s, b * r + d * s, a * t + c * u + e, b * t + d * u + f];
};

/** The rules of a page; none where it is a drawing. */
export function rulesOf({ fnArray, argsArray }: Drawing, [cos, sin]: PageTurn): PageRules {
  const rules: PageRules = { across: [], upright: [] };
  const saved: Matrix[] = [];
  const upright: Matrix = [cos, -sin, sin, cos, 0, 0];
  let matrix = upright;
  for (const [i, operation] of fnArray.entries()) {
    const args = argsArray[i] as readonly unknown[] | null;
    if (operation === OPERATION.save || operation === OPERATION.beginForm) saved.push(matrix);
    if (operation === OPERATION.restore || operation === OPERATION.endForm) matrix = saved.pop() ?? upright;
    if (operation === OPERATION.transform) matrix = times(matrix, args as readonly number[]);
    if (operation === OPERATION.beginForm) matrix = times(matrix, (args?.[0] as readonly number[] | null) ?? SAME);
    if (operation === OPERATION.shape) addShape(rules, args, matrix);
    if (rules.across.length + rules.upright.length > MOST_RULES) return { across: [], upright: [] };
  }
  return rules;
}

type Point = readonly [x: number, y: number];

/** Adds the straight lines of a painted shape; a thin rectangle is one line. */
function addShape(rules: PageRules, args: readonly unknown[] | null, [a, b, c, d, e, f]: Matrix): void {
  const [painting, data] = (args ?? []) as [number | undefined, ArrayLike<number>[] | undefined];
  const path = data?.[0];
  if (painting === undefined || painting < PAINTED.first || painting > PAINTED.last || !path) return;
  let outline: Point[] = [];
  const close = (): void => {
    addOutline(rules, outline);
    outline = [];
  };
  for (let at = 0; at < path.length;) {
    const part = path[at]!;
    const point = (offset: number): Point => {
      const [x, y] = [path[at + offset]!, path[at + offset + 1]!];
      return [a * x + c * y + e, b * x + d * y + f];
    };
    if (part === PART.move) close();
    if (part === PART.close && outline.length > 0) outline.push(outline[0]!);
    else if (part === PART.curve) outline = [];
    else if (part === PART.move || part === PART.line) outline.push(point(1));
    at += part === PART.curve ? 7 : part === PART.close ? 1 : 3;
  }
  close();
}

function addOutline({ across, upright }: PageRules, points: readonly Point[]): void {
  if (points.length < 2) return;
  const [xs, ys] = [points.map(([x]) => x), points.map(([, y]) => y)];
  const [left, right, lower, upper] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  if (upper - lower < THIN && right - left >= SHORTEST) across.push({ at: (lower + upper) / 2, from: left, to: right });
  else if (right - left < THIN && upper - lower >= SHORTEST) upright.push({ at: (left + right) / 2, from: lower, to: upper });
  else
    for (const [i, [x, y]] of points.slice(1).entries()) {
      const [fromX, fromY] = points[i]!;
      if (Math.abs(y - fromY) < STRAIGHT && Math.abs(x - fromX) >= SHORTEST)
        across.push({ at: y, from: Math.min(x, fromX), to: Math.max(x, fromX) });
      else if (Math.abs(x - fromX) < STRAIGHT && Math.abs(y - fromY) >= SHORTEST)
        upright.push({ at: x, from: Math.min(y, fromY), to: Math.max(y, fromY) });
    }
}
