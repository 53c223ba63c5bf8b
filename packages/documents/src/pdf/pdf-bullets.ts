import { type OperatorList, paintedShapes } from './pdf-grids.ts';
import type { PageTurn, PdfLine, PdfRun } from './pdf-lines.ts';

/** A small shape, about as wide as high: its left edge, its width, and its middle, in the coordinates of the text. */
interface Dot {
  left: number;
  width: number;
  middle: number;
}

/** Programs that draw the bullets of lists as shapes: Chromium, when it prints. */
const DRAWS_BULLETS = /\bSkia\b/i;

/** Width of a bullet, in font sizes; the bullets of Chromium have about .3. */
const WIDTH = { least: 0.15, most: 0.5 };
/** Maximum difference of its width and height, as a share of the greater. */
const SQUARE = 0.2;
/** Gap between a bullet and its text, in font sizes; Chromium leaves .5 in large letters, 1.3 in tiny ones. */
const GAP = { least: 0.2, most: 1.6 };
/** Height of its middle above the baseline, in font sizes; letters are about .5 high. */
const MIDDLE = { least: 0.1, most: 0.6 };
/** Maximum shapes of a page; more are a drawing. */
const MAX_SHAPES = 3000;

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
    ({ left, width, middle }) => isWithin(width, WIDTH) && isWithin(first.x - left - width, GAP) && isWithin(middle - y, MIDDLE),
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
