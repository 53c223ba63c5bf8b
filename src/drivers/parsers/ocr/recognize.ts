import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { PdfItem } from '../pdf/pdf-lines.ts';
import { pdfLines } from '../pdf/pdf-lines.ts';
import { type Bitmap, toGreyMap, deskewBitmap, rotateBitmap } from './bitmap.ts';
import { invertDarkBands } from './dark-bands.ts';
import { widenSpaces } from './wide-spaces.ts';
import { detectDirection } from './text-direction.ts';
import type { RecognizedPage } from './ocr-messages.ts';

interface Box {
  x0: number;
  y0: number;
  x1: number;
  y1: number;
}
interface Word {
  text: string;
  confidence: number;
  bbox: Box;
}
interface Line {
  words: Word[];
  bbox: Box;
  baseline: Box;
  rowAttributes: { rowHeight?: number; row_height?: number };
}
interface Result {
  data: { blocks: { paragraphs: { lines: Line[] }[] }[] | null };
}
/** As much of tesseract.js as is used here. */
interface Engine {
  setParameters(parameters: Record<string, string>): Promise<unknown>;
  recognize(image: Buffer, options: { tessedit_pageseg_mode?: string }, output: { text: boolean; blocks: boolean }): Promise<Result>;
}
interface TesseractPackage {
  createWorker(languages: string[], mode: number, options: Record<string, unknown>): Promise<Engine>;
}

/** Recognizes the text of pages. */
export type Recognizer = (picture: { bitmap: Bitmap; scale: number }) => Promise<RecognizedPage>;

/** The neural network, without the engine before it. */
const LSTM_ONLY = 1;
/** What a small g is taken for. */
const UNLIKELY = '¢';
/** Columns, tables and pictures are told apart. */
const SEGMENT = '3';
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
  await engine.setParameters({ tessedit_pageseg_mode: SEGMENT, tessedit_char_blacklist: UNLIKELY, user_defined_dpi: '300' });
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

async function readPage(engine: Engine, picture: Bitmap, scale: number): Promise<RecognizedPage> {
  const lines = linesOf(await engine.recognize(toGreyMap(picture), {}, { text: false, blocks: true }));
  for (const line of lines) await readAgain(engine, picture, line);
  return pageOf(lines, { scale, height: picture.height });
}

const linesOf = ({ data }: Result): Line[] =>
  (data.blocks ?? []).flatMap(({ paragraphs }) => paragraphs.flatMap((paragraph) => paragraph.lines));

/** A gap between words that is wider than any space, in heights of the line. */
const WIDE = 1.2;
/** A line is read again where its confidence is less. */
const UNSURE = 0.85;
/** Pixels around a line. */
const MARGIN = 6;
const SINGLE_LINE = '7';
/** By how much less sure the reading with wider spaces may be where it finds more words. */
const SPREAD_LEAD = 0.03;

/** Reads a line again with wider spaces where it has gaps (narrow spaces beside wide ones are overlooked) or is not sure; the surer reading stays. */
async function readAgain(engine: Engine, page: Bitmap, line: Line): Promise<void> {
  const { bbox, words } = line;
  const height = bbox.y1 - bbox.y0;
  const hasGaps = words.some((word, i) => i > 0 && word.bbox.x0 - words[i - 1]!.bbox.x1 > WIDE * height);
  if (!hasGaps && confidenceOf(words) >= UNSURE) return;
  const top = Math.max(0, bbox.y0 - MARGIN);
  const box = {
    top,
    left: Math.max(0, bbox.x0 - 2 * MARGIN),
    right: Math.min(page.width, bbox.x1 + 2 * MARGIN),
    bottom: Math.min(page.height, bbox.y1 + MARGIN),
  };
  const spread = widenSpaces(page, box);
  if (!spread) return;
  const read = await engine.recognize(toGreyMap(spread.picture), { tessedit_pageseg_mode: SINGLE_LINE }, { text: false, blocks: true });
  const found = linesOf(read).flatMap((one) => one.words);
  const lead = spread.hadLeaders ? 1 : found.length > words.length ? SPREAD_LEAD : 0;
  if (found.length === 0 || confidenceOf(found) + lead < confidenceOf(words)) return;
  line.words = found.map((word) => ({
    ...word,
    bbox: { x0: spread.originOf(word.bbox.x0), x1: spread.originOf(word.bbox.x1), y0: word.bbox.y0 + top, y1: word.bbox.y1 + top },
  }));
}

/** The mean of the letters of words, 0 to 1. */
function confidenceOf(words: readonly Word[]): number {
  const letters = words.reduce((sum, { text }) => sum + text.length, 0);
  return words.reduce((sum, { text, confidence }) => sum + (confidence / 100) * text.length, 0) / Math.max(1, letters);
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
