import { type Bitmap, cut, type Rectangle } from './bitmap.ts';

/** A line of text whose spaces were made wide. */
interface SpreadLine {
  picture: Bitmap;
  /** The column of the page that a column of the picture was made from. */
  originOf(x: number): number;
}

/** A gap that is a space, in heights of the ink of its line. */
const SPACE = 0.2;
/** What a space grows by, in the same. */
const GROWTH = 0.6;
/** The picture of a longer line is not made. */
const LONGEST = 12_000;

/** A part of a page with its spaces made wider; undefined where there is nothing to make wider. */
export function spreadWords(page: Bitmap, box: Rectangle): SpreadLine | undefined {
  const part = cut(page, box);
  const { gaps, height, ground } = gapsOf(part);
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
  return { picture: { width, height: part.height, data }, originOf };
}

/** Where words begin after the first, the height of the ink, and the shade of the ground. */
function gapsOf({ width, height, data }: Bitmap): { gaps: number[]; height: number; ground: number } {
  const shades = data.toSorted();
  const ground = shades[shades.length >> 1] ?? 255;
  const threshold = (ground + (shades[0] ?? 0)) / 2;
  const isInked = new Uint8Array(width);
  let [top, bottom] = [height, 0];
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) if (data[y * width + x]! < threshold) [isInked[x], top, bottom] = [1, Math.min(top, y), y];
  const tall = Math.max(1, bottom - top + 1);
  const gaps: number[] = [];
  let inked = -1;
  for (let x = 0; x < width; x++) {
    if (isInked[x] === 0) continue;
    if (inked >= 0 && x - inked > SPACE * tall) gaps.push(x);
    inked = x;
  }
  return { gaps, height: tall, ground };
}
