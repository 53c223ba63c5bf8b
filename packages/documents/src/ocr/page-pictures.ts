import { createRequire } from 'node:module';
import { join } from 'node:path';
import { openPdf } from '../pdf/file.ts';
import { type Bitmap, toGreyscale, MAX_PIXELS } from './bitmap.ts';

/** The pages of a document as pictures. */
export interface PagePictures {
  /** Draws a page (from 1); `scale` is the number of pixels per point (1/72 inch). */
  draw(page: number): Promise<{ bitmap: Bitmap; scale: number }>;
  close(): Promise<void>;
}

interface Canvas {
  width: number;
  height: number;
  getContext(kind: '2d'): {
    fillStyle: string;
    fillRect(...box: number[]): void;
    drawImage(image: unknown, ...box: number[]): void;
    getImageData(...box: number[]): { data: Uint8ClampedArray };
    putImageData(image: object, x: number, y: number): void;
  };
}
interface CanvasPackage {
  createCanvas(width: number, height: number): Canvas;
  loadImage(bytes: Uint8Array): Promise<{ width: number; height: number }>;
  DOMMatrix: unknown;
  ImageData: new (data: Uint8ClampedArray, width: number, height: number) => object;
  Path2D: unknown;
}
interface TiffPackage {
  decode(bytes: ArrayBuffer): Tiff[];
  decodeImage(bytes: ArrayBuffer, page: Tiff): void;
  toRGBA8(page: Tiff): Uint8Array;
}
interface Tiff {
  width: number;
  height: number;
  [tag: `t${number}`]: number[] | undefined;
}

/** Resolution of drawn pages; recognition is best at it. */
const DPI = 300;
const POINTS = 72;
/** Pixels to which the longer side of a picture is scaled: those of a sheet at 300 dpi. */
const LONG_SIDE = 3300;
/** Maximum factor by which small pictures are enlarged. */
const MAX_GROWTH = 3;

/** A document whose pages are drawn for OCR. */
export interface PictureSource {
  bytes: Uint8Array;
  file_type: string;
  passwords?: readonly string[] | undefined;
  /** Folder in which the libraries are installed. */
  folder: string;
}

/** Opens a document to draw its pages. Throws the error of the library that cannot read it. */
export async function openPictures({ bytes, file_type, passwords, folder }: PictureSource): Promise<PagePictures> {
  const installed = createRequire(join(folder, 'package.json'));
  const canvas = installed('@napi-rs/canvas') as CanvasPackage;
  if (file_type === 'pdf') return pdfPictures(bytes, passwords, canvas);
  if (file_type === 'tiff') return tiffPictures(bytes, installed('utif2') as TiffPackage, canvas);
  const image = await canvas.loadImage(bytes);
  return { draw: async () => scaleImage(canvas, image, image), close: async () => {} };
}

async function pdfPictures(bytes: Uint8Array, passwords: readonly string[] | undefined, canvas: CanvasPackage): Promise<PagePictures> {
  const { DOMMatrix, ImageData, Path2D } = canvas;
  Object.assign(globalThis, { DOMMatrix, ImageData, Path2D }); // before pdf.js looks for them
  const { file, close } = await openPdf(bytes, { passwords, CanvasFactory: canvasFactory(canvas) });
  return {
    close,
    async draw(number) {
      const page = await file.getPage(number);
      const { width, height } = page.getViewport({ scale: 1 });
      const scale = Math.min(DPI / POINTS, Math.sqrt(MAX_PIXELS / (width * height)));
      const viewport = page.getViewport({ scale });
      const paper = canvas.createCanvas(Math.max(1, Math.round(viewport.width)), Math.max(1, Math.round(viewport.height)));
      await page.render({ canvas: paper, canvasContext: paper.getContext('2d'), viewport }).promise;
      page.cleanup();
      return { bitmap: bitmapOf(paper), scale };
    },
  };
}

/** Makes the canvas factory of pdf.js. */
const canvasFactory = ({ createCanvas }: CanvasPackage) =>
  class {
    create(width: number, height: number) {
      const canvas = createCanvas(width, height);
      return { canvas, context: canvas.getContext('2d') };
    }
    reset({ canvas }: { canvas: Canvas }, width: number, height: number) {
      Object.assign(canvas, { width, height });
    }
    destroy(made: { canvas: Canvas | null; context: unknown }) {
      if (made.canvas) Object.assign(made.canvas, { width: 0, height: 0 });
      Object.assign(made, { canvas: null, context: null });
    }
  };

function tiffPictures(bytes: Uint8Array, tiff: TiffPackage, canvas: CanvasPackage): PagePictures {
  const buffer = new Uint8Array(bytes).buffer;
  const pages = tiff.decode(buffer);
  return {
    close: async () => {},
    async draw(number) {
      const page = pages[number - 1]!;
      tiff.decodeImage(buffer, page);
      const { width, height } = page;
      const paper = canvas.createCanvas(width, height);
      paper.getContext('2d').putImageData(new canvas.ImageData(new Uint8ClampedArray(tiff.toRGBA8(page)), width, height), 0, 0);
      pages[number - 1] = { width: 0, height: 0 }; // frees the decoded page
      return scaleImage(canvas, paper, paper);
    },
  };
}

function scaleImage(canvas: CanvasPackage, image: unknown, { width, height }: { width: number; height: number }) {
  const wanted = Math.min(MAX_GROWTH, Math.max(1, LONG_SIDE / Math.max(width, height)));
  const factor = Math.min(wanted, Math.sqrt(MAX_PIXELS / (width * height)));
  const paper = canvas.createCanvas(Math.max(1, Math.round(width * factor)), Math.max(1, Math.round(height * factor)));
  paper.getContext('2d').drawImage(image, 0, 0, paper.width, paper.height);
  return { bitmap: bitmapOf(paper), scale: DPI / POINTS };
}

function bitmapOf(paper: Canvas): Bitmap {
  return toGreyscale(paper.getContext('2d').getImageData(0, 0, paper.width, paper.height).data, paper);
}
