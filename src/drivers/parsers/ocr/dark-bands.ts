import type { Bitmap, Rectangle } from './bitmap.ts';

/** Pixels of a tile. */
const TILE = 16;
/** A tile or a row of pixels of which a greater share is dark is ground, not ink. */
const DARK_SHARE = 0.6;
const DARK = 140;
/** Tiles side by side that are a band: the stroke of a letter has fewer. */
const BAND = 10;
/** Tiles of a band that letters may cover. */
const COVERED = 4;

/** The page with dark letters alone: bands on which light letters stand (heads of tables, banners) are inverted. */
export function invertDarkBands(page: Bitmap): Bitmap {
  const bands = bandsOf(page)
    .map((band) => grown(page, band))
    .filter((band) => shareOf(page, band) > DARK_SHARE);
  if (bands.length === 0) return page;
  const data = new Uint8Array(page.data);
  for (const { left, top, right, bottom } of bands) {
    const ground = groundOf(page, { left, top, right, bottom });
    for (let y = top; y < bottom; y++)
      for (let at = y * page.width + left; at < y * page.width + right; at++)
        data[at] = 255 - Math.min(255, (Math.max(0, page.data[at]! - ground) * 255) / (255 - ground));
  }
  return { ...page, data };
}

/** Runs of dark tiles, those below one another as one. */
function bandsOf(page: Bitmap): Rectangle[] {
  const [columns, rows] = [Math.floor(page.width / TILE), Math.floor(page.height / TILE)];
  const bands: Rectangle[] = [];
  for (let row = 0; row < rows; row++) {
    const top = row * TILE;
    let start = -1;
    let last = -1;
    for (let column = 0; column <= columns; column++) {
      const isDark =
        column < columns && shareOf(page, { left: column * TILE, top, right: (column + 1) * TILE, bottom: top + TILE }) > DARK_SHARE;
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

/** The rectangle with the rows and columns of pixels beside it that are as dark: tiles end anywhere within a band. */
function grown(page: Bitmap, { ...band }: Rectangle): Rectangle {
  const isDark = (edge: Partial<Rectangle>) => shareOf(page, { ...band, ...edge }) > DARK_SHARE;
  for (let i = 0; i < TILE && band.top > 0 && isDark({ top: band.top - 1, bottom: band.top }); i++) band.top--;
  for (let i = 0; i < TILE && band.bottom < page.height && isDark({ top: band.bottom, bottom: band.bottom + 1 }); i++) band.bottom++;
  for (let i = 0; i < TILE && band.left > 0 && isDark({ left: band.left - 1, right: band.left }); i++) band.left--;
  for (let i = 0; i < TILE && band.right < page.width && isDark({ left: band.right, right: band.right + 1 }); i++) band.right++;
  return band;
}

/** The share of a rectangle's pixels that is dark. */
function shareOf({ width, data }: Bitmap, { left, top, right, bottom }: Rectangle): number {
  let dark = 0;
  for (let y = top; y < bottom; y++) for (let at = y * width + left; at < y * width + right; at++) if (data[at]! < DARK) dark++;
  return dark / ((right - left) * (bottom - top));
}

/** The shade that most of a rectangle has. */
function groundOf({ width, data }: Bitmap, { left, top, right, bottom }: Rectangle): number {
  const counts = new Uint32Array(256);
  for (let y = top; y < bottom; y++) for (let at = y * width + left; at < y * width + right; at++) counts[data[at]!]!++;
  return Math.min(200, counts.indexOf(Math.max(...counts)));
}
