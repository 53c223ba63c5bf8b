import type { Box } from '../../../schema/items.ts';
import type { Viewport } from './pdf-file.ts';
import type { PdfLine, PageTurn } from './pdf-lines.ts';

/** How far letters reach above and below their base line, in font sizes. */
const ABOVE = 0.8;
const BELOW = 0.25;
/** A line that stands higher than the one before by so many font sizes is in another column. */
const COLUMN_JUMP = 1;

/** A page as it is shown, and how its lines are turned on it. */
export interface PageFrame {
  viewport: Viewport;
  turn: PageTurn;
}

/** The width of a page by its height. */
export const ratioOf = ({ viewport: { width, height } }: PageFrame): number => Math.min(1000, rounded(width / height) || 0);

/** The rectangles that lines take on their page: one of each column that they stand in. */
export function boxesOf(lines: readonly PdfLine[], frame: PageFrame): Box[] {
  const columns: PdfLine[][] = [];
  for (const line of lines) {
    const before = columns.at(-1)?.at(-1);
    if (before && line.y - before.y < COLUMN_JUMP * line.size) columns.at(-1)!.push(line);
    else columns.push([line]);
  }
  return columns.map((column) => boxOf(column, frame));
}

function boxOf(lines: readonly PdfLine[], { viewport, turn: [cos, sin] }: PageFrame): Box {
  const { width, height } = viewport;
  const [a = 1, b = 0, c = 0, d = 1, e = 0, f = 0] = viewport.transform;
  const shares = (right: number, up: number): [x: number, y: number] => {
    const [x, y] = [cos * right - sin * up, sin * right + cos * up];
    return [within((a * x + c * y + e) / width), within((b * x + d * y + f) / height)];
  };
  const least = (of: (line: PdfLine) => number): number => lines.reduce((edge, line) => Math.min(edge, of(line)), Number.POSITIVE_INFINITY);
  const [left, top] = shares(
    least(({ x }) => x),
    -least(({ y, size }) => -y - ABOVE * size),
  );
  const [right, bottom] = shares(
    -least((line) => -line.right),
    least(({ y, size }) => y - BELOW * size),
  );
  return {
    left: rounded(Math.min(left, right)),
    top: rounded(Math.min(top, bottom)),
    width: rounded(Math.abs(right - left)),
    height: rounded(Math.abs(bottom - top)),
  };
}

const within = (share: number): number => (Number.isFinite(share) ? Math.min(1, Math.max(0, share)) : 0);

const rounded = (value: number): number => Math.round(value * 1000) / 1000;
