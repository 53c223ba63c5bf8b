import { type Bitmap, toGreyMap } from './bitmap.ts';

/** A rectangle in pixels, from the upper left corner of the page. */
export interface PixelBox {
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

/** Page segmentation modes: a page with columns, tables and pictures; one block of text; one line. */
export const SEGMENT = { page: '3', block: '6', line: '7' };

/** Recognizes the lines of a picture, from the top. */
export async function readLines(engine: Tesseract, picture: Bitmap, segment: keyof typeof SEGMENT): Promise<Line[]> {
  const { data } = await engine.recognize(toGreyMap(picture), { tessedit_pageseg_mode: SEGMENT[segment] }, { text: false, blocks: true });
  return (data.blocks ?? []).flatMap(({ paragraphs }) => paragraphs.flatMap(({ lines }) => lines));
}

/** Returns the mean confidence of the letters of words, 0 to 1. */
export function confidenceOf(words: readonly Word[]): number {
  const letters = words.reduce((sum, { text }) => sum + text.length, 0);
  return words.reduce((sum, { text, confidence }) => sum + (confidence / 100) * text.length, 0) / Math.max(1, letters);
}

/** Returns the rectangle around words or lines. */
export const boundingBox = (parts: readonly { bbox: PixelBox }[]): PixelBox => ({
  x0: Math.min(...parts.map(({ bbox }) => bbox.x0)),
  y0: Math.min(...parts.map(({ bbox }) => bbox.y0)),
  x1: Math.max(...parts.map(({ bbox }) => bbox.x1)),
  y1: Math.max(...parts.map(({ bbox }) => bbox.y1)),
});

/** Moves a rectangle, in pixels. */
export const shiftBox = ({ x0, y0, x1, y1 }: PixelBox, x: number, y: number): PixelBox => ({
  x0: x0 + x,
  y0: y0 + y,
  x1: x1 + x,
  y1: y1 + y,
});
