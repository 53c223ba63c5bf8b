/** A page in shades of grey, one byte a pixel, rows from the top: 0 is black. */
export interface Bitmap {
  width: number;
  height: number;
  data: Uint8Array;
}

/** Maximum pixels of a page: A3 at 300 dpi has 17 million. */
export const MAX_PIXELS = 25_000_000;

/** Converts RGBA pixels to shades of grey, as they look on white paper. */
export function toGreyscale(rgba: Uint8Array | Uint8ClampedArray, { width, height }: { width: number; height: number }): Bitmap {
  const data = new Uint8Array(width * height);
  for (let i = 0, at = 0; i < data.length; i++, at += 4) {
    const opacity = rgba[at + 3]!;
    const grey = (rgba[at]! * 77 + rgba[at + 1]! * 151 + rgba[at + 2]! * 28) >> 8;
    data[i] = opacity === 255 ? grey : 255 - (((255 - grey) * opacity) >> 8);
  }
  return { width, height, data };
}

/** Rotates a bitmap clockwise by 90, 180 or 270 degrees. */
export function rotateBitmap({ width, height, data }: Bitmap, degrees: number): Bitmap {
  if (degrees === 0) return { width, height, data };
  const isAcross = degrees !== 180;
  const made = { width: isAcross ? height : width, height: isAcross ? width : height, data: new Uint8Array(data.length) };
  for (let y = 0, at = 0; y < height; y++)
    for (let x = 0; x < width; x++, at++) {
      const [column, row] = degrees === 90 ? [height - 1 - y, x] : degrees === 180 ? [width - 1 - x, height - 1 - y] : [y, width - 1 - x];
      made.data[row * made.width + column] = data[at]!;
    }
  return made;
}

/** Deskews a bitmap whose lines fall to the right by `slope` (radians). */
export function deskewBitmap({ width, height, data }: Bitmap, slope: number): Bitmap {
  const made = new Uint8Array(data.length).fill(255);
  const [sin, cos] = [Math.sin(slope), Math.cos(slope)];
  const [midX, midY] = [width / 2, height / 2];
  for (let y = 0, at = 0; y < height; y++)
    for (let x = 0; x < width; x++, at++) {
      const fromX = midX + (x - midX) * cos - (y - midY) * sin;
      const fromY = midY + (x - midX) * sin + (y - midY) * cos;
      const [left, top] = [Math.floor(fromX), Math.floor(fromY)];
      if (left < 0 || top < 0 || left >= width - 1 || top >= height - 1) continue;
      const [dx, dy] = [fromX - left, fromY - top];
      const from = top * width + left;
      const above = data[from]! * (1 - dx) + data[from + 1]! * dx;
      const below = data[from + width]! * (1 - dx) + data[from + width + 1]! * dx;
      made[at] = above * (1 - dy) + below * dy;
    }
  return { width, height, data: made };
}

/** Writes a bitmap as a portable grey map (PGM), which Leptonica reads. */
export const toGreyMap = ({ width, height, data }: Bitmap): Buffer => Buffer.concat([Buffer.from(`P5\n${width} ${height}\n255\n`), data]);

/** A part of a bitmap, in pixels; `right` and `bottom` are exclusive. */
interface Rectangle {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** Pixels of the side of a tile. */
const TILE = 16;
/** Minimum share of dark pixels of a dark background; ink covers less. */
const DARK_SHARE = 0.6;
const DARK = 140;
/** Minimum tiles side by side of a band; the stroke of a letter has fewer. */
const BAND = 10;
/** Maximum adjacent tiles of a band that letters cover. */
const COVERED = 4;

/** Inverts the dark bands of a page with light letters (heads of tables, banners), so that all letters are dark. */
export function invertDarkBands(page: Bitmap): Bitmap {
  const bands = findBands(page)
    .map((band) => growBand(page, band))
    .filter((band) => darkShare(page, band) > DARK_SHARE);
  if (bands.length === 0) return page;
  const data = new Uint8Array(page.data);
  for (const band of bands) {
    const background = backgroundOf(page, band);
    for (let y = band.top; y < band.bottom; y++)
      for (let at = y * page.width + band.left; at < y * page.width + band.right; at++)
        data[at] = 255 - Math.min(255, (Math.max(0, page.data[at]! - background) * 255) / (255 - background));
  }
  return { ...page, data };
}

/** Finds runs of dark tiles; adjacent ones below one another are one band. */
function findBands(page: Bitmap): Rectangle[] {
  const [columns, rows] = [Math.floor(page.width / TILE), Math.floor(page.height / TILE)];
  const bands: Rectangle[] = [];
  for (let row = 0; row < rows; row++) {
    const top = row * TILE;
    let start = -1;
    let last = -1;
    for (let column = 0; column <= columns; column++) {
      const isDark =
        column < columns && darkShare(page, { left: column * TILE, top, right: (column + 1) * TILE, bottom: top + TILE }) > DARK_SHARE;
      if (isDark) [start, last] = [start < 0 ? column : start, column];
      if (start < 0 || (column < columns && column - last <= COVERED)) continue;
      if (last - start + 1 >= BAND) {
        const band = { left: start * TILE, top, right: (last + 1) * TILE, bottom: top + TILE };
        const above = bands.find(({ left, right, bottom }) => bottom === top && left < band.right && right > band.left);
        if (above)
          Object.assign(above, { left: Math.min(above.left, band.left), right: Math.max(above.right, band.right), bottom: band.bottom });
        else bands.push(band);
      }
      start = -1;
    }
  }
  return bands;
}

/** Extends a rectangle by the dark rows and columns of pixels beside it: tiles may end anywhere within a band. */
function growBand(page: Bitmap, { ...band }: Rectangle): Rectangle {
  const isDark = (edge: Partial<Rectangle>) => darkShare(page, { ...band, ...edge }) > DARK_SHARE;
  for (let i = 0; i < TILE && band.top > 0 && isDark({ top: band.top - 1, bottom: band.top }); i++) band.top--;
  for (let i = 0; i < TILE && band.bottom < page.height && isDark({ top: band.bottom, bottom: band.bottom + 1 }); i++) band.bottom++;
  for (let i = 0; i < TILE && band.left > 0 && isDark({ left: band.left - 1, right: band.left }); i++) band.left--;
  for (let i = 0; i < TILE && band.right < page.width && isDark({ left: band.right, right: band.right + 1 }); i++) band.right++;
  return band;
}

/** Returns the share of dark pixels in a rectangle. */
function darkShare({ width, data }: Bitmap, { left, top, right, bottom }: Rectangle): number {
  let dark = 0;
  for (let y = top; y < bottom; y++) for (let at = y * width + left; at < y * width + right; at++) if (data[at]! < DARK) dark++;
  return dark / ((right - left) * (bottom - top));
}

/** Finds the most frequent shade of a rectangle. */
function backgroundOf({ width, data }: Bitmap, { left, top, right, bottom }: Rectangle): number {
  const counts = new Uint32Array(256);
  for (let y = top; y < bottom; y++) for (let at = y * width + left; at < y * width + right; at++) counts[data[at]!]!++;
  return Math.min(200, counts.indexOf(Math.max(...counts)));
}

/** The direction of the lines of a page. */
interface TextDirection {
  /** Whether they run from top to bottom, or from bottom to top. */
  isUpright: boolean;
  /** Radians by which they fall to the right (after a quarter turn, if they are upright). */
  slope: number;
}

/** Pixels of the longer side to which a page is reduced. */
const REDUCED = 1200;
/** Maximum skew, and the steps in which it is searched, in degrees. */
const MAX_SKEW = 7;
const COARSE = 0.5;
const FINE = 0.1;
/** Minimum factor by which upright lines are sharper than level ones. */
const CLEARLY = 1.2;

/** Coordinates of dark pixels. */
interface Ink {
  xs: Int16Array;
  ys: Int16Array;
  width: number;
  height: number;
}

/** Detects the direction of lines in which the rows of ink are sharpest. */
export function detectDirection(bitmap: Bitmap): TextDirection {
  const ink = inkOf(bitmap);
  const upright: Ink = { xs: ink.ys, ys: ink.xs.map((x) => ink.width - 1 - x), width: ink.height, height: ink.width };
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
  const coarse = (best(-MAX_SKEW, MAX_SKEW, COARSE).slope * 180) / Math.PI;
  return best(coarse - COARSE, coarse + COARSE, FINE);
}

/** Measures how much the ink of neighbouring rows differs, if rows fall by `slope` per pixel. */
function sharpness({ xs, ys, width, height }: Ink, slope: number): number {
  const shift = Math.ceil(width * Math.abs(slope));
  const rows = new Int32Array(height + 2 * shift + 2);
  for (let i = 0; i < xs.length; i++) rows[Math.round(ys[i]! - xs[i]! * slope) + shift]!++;
  let sum = 0;
  for (let i = 1; i < rows.length; i++) sum += (rows[i]! - rows[i - 1]!) ** 2;
  return sum;
}

/** Finds the dark pixels of the reduced page: those darker than the average. */
function inkOf({ width: full, height: tall, data }: Bitmap): Ink {
  const step = Math.max(1, Math.ceil(Math.max(full, tall) / REDUCED));
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
  return { xs: xs.subarray(0, count), ys: ys.subarray(0, count), width, height };
}
