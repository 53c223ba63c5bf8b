/** A page in shades of grey, one byte a pixel, rows from the top: 0 is black. */
export interface Bitmap {
  width: number;
  height: number;
  data: Uint8Array;
}

/** Maximum pixels of a page: A3 at 300 dpi has 17 million. */
export const MOST_PIXELS = 25_000_000;

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
export interface Rectangle {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** Copies a part of a bitmap. */
export function cropBitmap({ width, data }: Bitmap, { left, top, right, bottom }: Rectangle): Bitmap {
  const made = { width: right - left, height: bottom - top, data: new Uint8Array((right - left) * (bottom - top)) };
  for (let y = 0; y < made.height; y++) {
    const start = (top + y) * width + left;
    made.data.set(data.subarray(start, start + made.width), y * made.width);
  }
  return made;
}
