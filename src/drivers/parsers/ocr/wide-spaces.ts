import { type Bitmap, cropBitmap, type Rectangle } from './bitmap.ts';

/** A line of text whose spaces were made wide. */
interface SpreadLine {
  picture: Bitmap;
  /** The column of the page that a column of the picture was made from. */
  originOf(x: number): number;
  /** It had the dots of a table of contents, which are no more in the picture. */
  hadLeaders: boolean;
}

/** A gap that is a space, in heights of the ink of its line. */
const SPACE = 0.2;
/** What a space grows by, in the same. */
const GROWTH = 0.6;
/** The picture of a longer line is not made. */
const LONGEST = 12_000;

/** Widens the spaces in a part of a page; undefined if there are none to widen. */
export function widenSpaces(page: Bitmap, box: Rectangle): SpreadLine | undefined {
  const part = cropBitmap(page, box);
  const { runs, height, ground } = inkOfLine(part);
  const isLeader = leadersOf(runs, height);
  for (const { left, right } of runs.filter((_, i) => isLeader[i]))
    for (let y = 0; y < part.height; y++) part.data.fill(ground, y * part.width + left, y * part.width + right + 1);
  const inked = runs.filter((_, i) => !isLeader[i]);
  const gaps = inked.flatMap((run, i) => (i > 0 && run.left - inked[i - 1]!.right > SPACE * height ? [run.left] : []));
  const growth = Math.round(GROWTH * height);
  const width = part.width + gaps.length * growth;
  if (gaps.length === 0 || width > LONGEST) return undefined;
  const data = new Uint8Array(width * part.height).fill(ground);
  const edges = [0, ...gaps, part.width];
  for (let y = 0; y < part.height; y++)
    for (const [i, start] of edges.slice(0, -1).entries())
      data.set(part.data.subarray(y * part.width + start, y * part.width + edges[i + 1]!), y * width + start + i * growth);
  const originOf = (x: number) => {
    const i = gaps.findLastIndex((gap, at) => x >= gap + (at + 1) * growth);
    return box.left + Math.min(x - (i + 1) * growth, gaps[i + 1] ?? part.width);
  };
  return { picture: { width, height: part.height, data }, originOf, hadLeaders: isLeader.includes(true) };
}

/** Columns of pixels side by side that have ink, and how tall it is. */
interface Run {
  left: number;
  right: number;
  tall: number;
}

/** The runs of ink of a line from left to right, the height of all ink, and the shade of the ground. */
function inkOfLine({ width, height, data }: Bitmap): { runs: Run[]; height: number; ground: number } {
  const shades = data.toSorted();
  const ground = shades[shades.length >> 1] ?? 255;
  const threshold = (ground + (shades[0] ?? 0)) / 2;
  const runs: Run[] = [];
  let [top, bottom] = [height, 0];
  let [high, low] = [height, 0];
  for (let x = 0; x < width; x++) {
    let isInked = false;
    for (let y = 0; y < height; y++)
      if (data[y * width + x]! < threshold) {
        if (!isInked && runs.at(-1)?.right !== x - 1) [high, low] = [y, y];
        isInked = true;
        [high, low] = [Math.min(high, y), Math.max(low, y)];
      }
    if (!isInked) continue;
    const run = runs.at(-1);
    if (run?.right === x - 1) Object.assign(run, { right: x, tall: low - high + 1 });
    else runs.push({ left: x, right: x, tall: low - high + 1 });
    [top, bottom] = [Math.min(top, high), Math.max(bottom, low)];
  }
  return { runs, height: Math.max(1, bottom - top + 1), ground };
}

/** A dot is smaller than this, in heights of the line. */
const DOT = 0.3;
/** Dots in a row that lead from an entry to its page. */
const LEAST_DOTS = 4;

/** Which runs are dots that lead the eye. */
function leadersOf(runs: readonly Run[], height: number): boolean[] {
  const isDot = runs.map(({ left, right, tall }) => right - left < DOT * height && tall <= DOT * height);
  const isLeader = runs.map(() => false);
  for (let start = 0; start < runs.length; start++) {
    let end = start;
    while (isDot[end]) end++;
    if (end - start >= LEAST_DOTS) isLeader.fill(true, start, end);
    start = Math.max(start, end);
  }
  return isLeader;
}
