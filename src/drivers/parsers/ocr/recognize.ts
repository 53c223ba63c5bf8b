import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { PdfItem } from '../pdf/pdf-lines.ts';
import { pdfLines } from '../pdf/pdf-lines.ts';
import { type Bitmap, deskewBitmap, rotateBitmap } from './bitmap.ts';
import { invertDarkBands } from './dark-bands.ts';
import { readAgain } from './read-again.ts';
import { detectDirection } from './text-direction.ts';
import { confidenceOf, type Tesseract, type Line, readLines, type Word } from './tesseract.ts';
import type { RecognizedPage } from './ocr-messages.ts';

interface TesseractPackage {
  createWorker(languages: string[], mode: number, options: Record<string, unknown>): Promise<Tesseract>;
}

/** Recognizes the text of pages. */
export type Recognizer = (picture: { bitmap: Bitmap; scale: number }) => Promise<RecognizedPage>;

/** The neural network, without the engine before it. */
const LSTM_ONLY = 1;
/** What a small g is taken for. */
const UNLIKELY = '¢';
/** A page is tried upside down where its confidence is less, and in the directions that its ink speaks against where that is less than HOPELESS. */
const DOUBTFUL = 0.75;
const HOPELESS = 0.4;
/** Quarter turns in which a page is tried, in degrees: of one whose lines run across the sheet, and of one whose lines run along it. */
const ACROSS = [0, 180, 90, 270];
const UPRIGHT = [90, 270, 0, 180];
/** Slopes that need no correction, in radians. */
const LEVEL = 0.003;

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
  await engine.setParameters({ tessedit_char_blacklist: UNLIKELY, user_defined_dpi: '300' });
  return async ({ bitmap, scale }) => {
    const { isUpright, slope } = detectDirection(bitmap);
    const even = invertDarkBands(bitmap);
    const read = async (degrees: number) => {
      const isAcross = (degrees % 180 !== 0) !== isUpright;
      const upright = rotateBitmap(even, degrees);
      return readPage(engine, isAcross || Math.abs(slope) < LEVEL ? upright : deskewBitmap(upright, slope), scale);
    };
    const [first, second, ...across] = isUpright ? UPRIGHT : ACROSS;
    let best = await read(first!);
    const tryOthers = async (others: readonly (number | undefined)[]) => {
      for (const degrees of others) {
        const page = await read(degrees!);
        if (page.confidence > best.confidence) best = page;
      }
    };
    if (best.confidence < DOUBTFUL) await tryOthers([second]);
    if (best.confidence < HOPELESS && best.words > 0) await tryOthers(across);
    return best;
  };
}

async function readPage(engine: Tesseract, picture: Bitmap, scale: number): Promise<RecognizedPage> {
  const lines = await readAgain(engine, picture, await readLines(engine, picture, 'page'));
  return pageOf(lines, { scale, height: picture.height });
}

/** Sizes of lines are told apart where they differ by this factor: those of equal letters differ a little. */
const LARGER = 1.25;

function pageOf(lines: readonly Line[], { scale, height }: { scale: number; height: number }): RecognizedPage {
  const heights = lines.map(({ rowAttributes: { rowHeight, row_height }, bbox }) => rowHeight ?? row_height ?? bbox.y1 - bbox.y0);
  const usual = heights.toSorted((a, b) => a - b)[Math.floor(heights.length / 2)] ?? 0;
  const items = lines.flatMap(({ words, baseline }, i) => {
    const ratio = heights[i]! / Math.max(1, usual);
    const size = (ratio >= LARGER ? Math.round(ratio * 4) / 4 : 1) * (usual / scale) * 0.8;
    return words.map((word, at) => itemOf(word, { size, scale, y: (height - baseline.y0) / scale, isLast: at === words.length - 1 }));
  });
  const words = lines.flatMap((line) => line.words).filter(({ text }) => /[\p{L}\p{N}]/u.test(text));
  return { lines: pdfLines(items), confidence: confidenceOf(words), words: words.length };
}

const itemOf = (
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
