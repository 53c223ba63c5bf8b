import { type Bitmap, toGreyMap } from './bitmap.ts';

/** A rectangle in pixels, from the upper left corner of the page. */
interface PixelBox {
  x0: number;
  y0: number;
  x1: number;
  y1: number;
}
/** A recognized word; its confidence is 0 to 100. */
export interface Word {
  text: string;
  confidence: number;
  bbox: PixelBox;
}
/** A line of recognized words. */
export interface Line {
  words: Word[];
  bbox: PixelBox;
  baseline: PixelBox;
  rowAttributes: { rowHeight?: number; row_height?: number };
}

interface Result {
  data: { blocks: { paragraphs: { lines: Line[] }[] }[] | null };
}

/** The used part of tesseract.js. */
export interface Tesseract {
  setParameters(parameters: Record<string, string>): Promise<unknown>;
  recognize(image: Buffer, options: { tessedit_pageseg_mode?: string }, output: { text: boolean; blocks: boolean }): Promise<Result>;
}

/** Page segmentation mode for a page with columns, tables and pictures. */
const PAGE_SEGMENT = '3';

/** Recognizes the lines of a picture, from the top. */
export async function readLines(engine: Tesseract, picture: Bitmap): Promise<Line[]> {
  const { data } = await engine.recognize(toGreyMap(picture), { tessedit_pageseg_mode: PAGE_SEGMENT }, { text: false, blocks: true });
  return (data.blocks ?? []).flatMap(({ paragraphs }) => paragraphs.flatMap(({ lines }) => lines));
}

/** Returns the mean confidence of the letters of words, 0 to 1. */
export function confidenceOf(words: readonly Word[]): number {
  const letters = words.reduce((sum, { text }) => sum + text.length, 0);
  return words.reduce((sum, { text, confidence }) => sum + (confidence / 100) * text.length, 0) / Math.max(1, letters);
}
