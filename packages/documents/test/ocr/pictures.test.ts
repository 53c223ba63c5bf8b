import { describe, expect, it } from 'vitest';
import { type Bitmap, detectDirection, invertDarkBands, rotateBitmap } from '../../src/ocr/bitmap.ts';
import { tiffFile } from '../support/scans.ts';
import { read } from '../support/read.ts';

/** A white page on which `isInk` tells the black pixels. */
function paint(width: number, height: number, isInk: (x: number, y: number) => boolean): Bitmap {
  const data = new Uint8Array(width * height).map((_, at) => (isInk(at % width, Math.floor(at / width)) ? 0 : 255));
  return { width, height, data };
}
/** Lines of words 10 pixels high, that fall to the right by `slope`. */
const lines = (slope = 0) =>
  paint(600, 600, (x, y) => {
    const row = Math.round(y - x * slope);
    return row % 30 >= 0 && row % 30 < 10 && x % 50 < 40 && (x * 7 + row) % 3 !== 0;
  });

describe('detectDirection', () => {
  it('detects level, slanted and upright lines', () => {
    expect(detectDirection(lines())).toEqual({ isUpright: false, slope: 0 });
    expect(detectDirection(lines(Math.tan((2 * Math.PI) / 180))).slope).toBeCloseTo((2 * Math.PI) / 180, 2);
    expect(detectDirection(rotateBitmap(lines(), 90)).isUpright).toBe(true);
  });

  it('treats an empty page as level', () => {
    expect(detectDirection(paint(50, 50, () => false)).isUpright).toBe(false);
  });
});

it('restores a page that is rotated four times', () => {
  const page = paint(30, 20, (x, y) => x > 2 * y);
  const once = rotateBitmap(page, 90);
  expect([once.width, once.height]).toEqual([20, 30]);
  expect(rotateBitmap(rotateBitmap(once, 180), 90)).toEqual(page);
  expect(rotateBitmap(once, 270)).toEqual(page);
});

it('inverts light letters on a dark band, and keeps dark letters', () => {
  const page = paint(640, 320, (x, y) => (y >= 96 && y < 160 ? x % 40 > 5 : y > 200 && y < 220 && x % 40 < 10));
  const even = invertDarkBands(page);
  const shareIn = (top: number, bottom: number) => {
    const part = even.data.subarray(top * 640, bottom * 640);
    return part.filter((grey) => grey < 128).length / part.length;
  };
  expect(shareIn(100, 156)).toBeLessThan(0.2);
  expect(shareIn(201, 219)).toBeCloseTo(0.25, 1);
});

describe('the picture parsers', () => {
  it('report pages without text', async () => {
    const page: Bitmap = { width: 2, height: 2, data: new Uint8Array(4) };
    expect(await read('tiff', tiffFile([page, page, page]))).toMatchObject({ text: '', pictured_pages: [1, 2, 3], metadata: { pages: 3 } });
    expect(await read('png', Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'))).toMatchObject({ pictured_pages: [1] });
  });

  it('refuse files of another type, and TIFF files without an end', async () => {
    await expect(read('png', 'no picture')).rejects.toThrow(/not a PNG picture/);
    await expect(read('tiff', Buffer.from('49492a00ffffff7f', 'hex'))).rejects.toThrow(/it has no page/);
    await expect(read('tiff', Buffer.from('49492a000800000000000800000000', 'hex'))).resolves.toMatchObject({ pictured_pages: [1] });
  });
});
