import { createRequire } from 'node:module';
import { join } from 'node:path';
import { type PdfItem, type PdfLine, pdfLines } from '../pdf/lines.ts';
import { type Bitmap, deskewBitmap, detectDirection, invertDarkBands, rotateBitmap, toGreyMap } from './bitmap.ts';

/** A rectangle in pixels, from the upper left corner of the page. */
interface PixelBox {
  x0: number;
  y0: number;
  x1: number;
  y1: number;
}
/** A recognized word; its confidence is 0 to 100. */
interface Word {
  text: string;
  confidence: number;
  bbox: PixelBox;
}
/** A line of recognized words. */
interface Line {
  words: Word[];
  bbox: PixelBox;
  baseline: PixelBox;
  rowAttributes: { rowHeight?: number; row_height?: number };
}

interface Result {
  data: { blocks: { paragraphs: { lines: Line[] }[] }[] | null };
}

/** The used part of tesseract.js. */
interface Tesseract {
  setParameters(parameters: Record<string, string>): Promise<unknown>;
  recognize(image: Buffer, options: { tessedit_pageseg_mode?: string }, output: { text: boolean; blocks: boolean }): Promise<Result>;
}

/** Page segmentation mode for a page with columns, tables and pictures. */
const PAGE_SEGMENT = '3';

/** Recognizes the lines of a picture, from the top. */
async function readLines(engine: Tesseract, picture: Bitmap): Promise<Line[]> {
  const { data } = await engine.recognize(toGreyMap(picture), { tessedit_pageseg_mode: PAGE_SEGMENT }, { text: false, blocks: true });
  return (data.blocks ?? []).flatMap(({ paragraphs }) => paragraphs.flatMap(({ lines }) => lines));
}

/** Returns the mean confidence of the letters of words, 0 to 1. */
function confidenceOf(words: readonly Word[]): number {
  const letters = words.reduce((sum, { text }) => sum + text.length, 0);
  return words.reduce((sum, { text, confidence }) => sum + (confidence / 100) * text.length, 0) / Math.max(1, letters);
}

interface TesseractPackage {
  createWorker(languages: string[], mode: number, options: Record<string, unknown>): Promise<Tesseract>;
}

/** The recognized text of a page. */
export interface RecognizedPage {
  /** Lines in points, as those of a PDF. */
  lines: PdfLine[];
  /** Mean confidence of the letters, 0 to 1. */
  confidence: number;
  words: number;
}

/** Recognizes the text of pages. */
export type Recognizer = (picture: { bitmap: Bitmap; scale: number }) => Promise<RecognizedPage>;

/** Mode of tesseract.js with the neural network alone. */
const LSTM_ONLY = 1;
/** Excluded characters: a small g is mistaken for them. */
const EXCLUDED_CHARACTERS = '¢';
/** Confidence below which a page is also tried upside down, and below which in all four directions. */
const UNCERTAIN = 0.75;
const HOPELESS = 0.4;
/** Rotations in which a page is tried, in degrees: with lines across the sheet, and with lines along it. */
const LEVEL_ROTATIONS = [0, 180, 90, 270];
const UPRIGHT_ROTATIONS = [90, 270, 0, 180];
/** Maximum slope that needs no correction, in radians. */
const MIN_SLOPE = 0.003;

/** Starts tesseract.js with the files in `folder`; it uses no network. */
export async function startRecognizer(folder: string, languages: readonly string[]): Promise<Recognizer> {
  const { createWorker } = createRequire(join(folder, 'package.json'))('tesseract.js') as TesseractPackage;
  const engine = await createWorker([...languages], LSTM_ONLY, {
    langPath: join(folder, 'languages'),
    cacheMethod: 'none',
    gzip: true,
    logger: () => {},
    errorHandler: () => {},
  });
  await engine.setParameters({ tessedit_char_blacklist: EXCLUDED_CHARACTERS, user_defined_dpi: '300' });
  return async ({ bitmap, scale }) => {
    const { isUpright, slope } = detectDirection(bitmap);
    const normalized = invertDarkBands(bitmap);
    const read = async (degrees: number) => {
      const isAcross = (degrees % 180 !== 0) !== isUpright;
      const upright = rotateBitmap(normalized, degrees);
      const picture = isAcross || Math.abs(slope) < MIN_SLOPE ? upright : deskewBitmap(upright, slope);
      return toPage(await readLines(engine, picture), { scale, height: picture.height });
    };
    const [first = 0, ...others] = isUpright ? UPRIGHT_ROTATIONS : LEVEL_ROTATIONS;
    let best = await read(first);
    for (const [i, degrees] of others.entries()) {
      if (i === 0 ? best.confidence >= UNCERTAIN : best.confidence >= HOPELESS || best.words === 0) break;
      const page = await read(degrees);
      if (page.confidence > best.confidence) best = page;
    }
    return best;
  };
}

/** Minimum factor between lines of different sizes; the heights of equal letters vary a little. */
const LARGER = 1.25;

function toPage(lines: readonly Line[], { scale, height }: { scale: number; height: number }): RecognizedPage {
  const heights = lines.map(({ rowAttributes: { rowHeight, row_height }, bbox }) => rowHeight ?? row_height ?? bbox.y1 - bbox.y0);
  const medianHeight = heights.toSorted((a, b) => a - b)[Math.floor(heights.length / 2)] ?? 0;
  const items = lines.flatMap(({ words, baseline }, i) => {
    const ratio = heights[i]! / Math.max(1, medianHeight);
    const size = (ratio >= LARGER ? Math.round(ratio * 4) / 4 : 1) * (medianHeight / scale) * 0.8;
    return words.map((word, at) => toPdfItem(word, { size, scale, y: (height - baseline.y0) / scale, isLast: at === words.length - 1 }));
  });
  const words = lines.flatMap((line) => line.words).filter(({ text }) => /[\p{L}\p{N}]/u.test(text));
  return { lines: pdfLines(items), confidence: confidenceOf(words), words: words.length };
}

const toPdfItem = (
  { text, bbox }: Word,
  { size, scale, y, isLast }: { size: number; scale: number; y: number; isLast: boolean },
): PdfItem => ({
  str: isLast ? text : `${text} `,
  transform: [size, 0, 0, size, bbox.x0 / scale, y],
  width: (bbox.x1 - bbox.x0) / scale,
  height: size,
  hasEOL: isLast,
  fontName: '',
});
