import type { Bitmap } from './bitmap.ts';

/** How the lines of text of a page run. */
interface TextDirection {
  /** They run from top to bottom or the other way. */
  isUpright: boolean;
  /** Radians by which they fall to the right (after a quarter turn, where they are upright). */
  slope: number;
}

/** Pixels of the longer side in which the direction is looked for. */
const LONGEST = 1200;
/** Degrees that a sheet lies askew, at most. */
const MOST_SKEW = 7;
const COARSE = 0.5;
const FINE = 0.1;
/** Upright lines are told from others by rows of ink that are this much sharper. */
const CLEARLY = 1.2;

interface Ink {
  xs: Int16Array;
  ys: Int16Array;
  count: number;
  width: number;
  height: number;
}

/** Tells how the lines of a page run by the sharpness of the rows that its ink makes. */
export function detectDirection(bitmap: Bitmap): TextDirection {
  const ink = inkOf(bitmap);
  const upright: Ink = { xs: ink.ys, ys: ink.xs.map((x) => ink.width - 1 - x), count: ink.count, width: ink.height, height: ink.width };
  const [level, quarter] = [ink, upright].map(sharpestSlope) as [Sharpest, Sharpest];
  const isUpright = quarter.sharpness > CLEARLY * level.sharpness;
  return { isUpright, slope: isUpright ? quarter.slope : level.slope };
}

interface Sharpest {
  slope: number;
  sharpness: number;
}

function sharpestSlope(ink: Ink): Sharpest {
  const at = (degrees: number): Sharpest => {
    const slope = (degrees * Math.PI) / 180;
    return { slope, sharpness: sharpness(ink, Math.tan(slope)) };
  };
  const best = (from: number, to: number, step: number) =>
    Array.from({ length: Math.round((to - from) / step) + 1 }, (_, i) => at(from + i * step)).reduce((most, one) =>
      one.sharpness > most.sharpness ? one : most,
    );
  const coarse = (best(-MOST_SKEW, MOST_SKEW, COARSE).slope * 180) / Math.PI;
  return best(coarse - COARSE, coarse + COARSE, FINE);
}

/** How much the ink of neighbouring rows differs, where rows fall by `slope` a pixel. */
function sharpness({ xs, ys, count, width, height }: Ink, slope: number): number {
  const shift = Math.ceil(width * Math.abs(slope));
  const rows = new Int32Array(height + 2 * shift + 2);
  for (let i = 0; i < count; i++) rows[Math.round(ys[i]! - xs[i]! * slope) + shift]!++;
  let sum = 0;
  for (let i = 1; i < rows.length; i++) sum += (rows[i]! - rows[i - 1]!) ** 2;
  return sum;
}

/** The dark pixels of the page made smaller: those that are darker than what is around them on average. */
function inkOf({ width: full, height: tall, data }: Bitmap): Ink {
  const step = Math.max(1, Math.ceil(Math.max(full, tall) / LONGEST));
  const [width, height] = [Math.floor(full / step), Math.floor(tall / step)];
  const small = new Uint8Array(width * height);
  let sum = 0;
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      let grey = 0;
      for (let dy = 0; dy < step; dy++) for (let dx = 0; dx < step; dx++) grey += data[(y * step + dy) * full + x * step + dx]!;
      small[y * width + x] = grey / step ** 2;
      sum += grey / step ** 2;
    }
  const threshold = (sum / Math.max(1, small.length)) * 0.75;
  const [xs, ys] = [new Int16Array(small.length), new Int16Array(small.length)];
  let count = 0;
  for (let y = 0, at = 0; y < height; y++)
    for (let x = 0; x < width; x++, at++) if (small[at]! < threshold) [xs[count], ys[count++]] = [x, y];
  return { xs, ys, count, width, height };
}
