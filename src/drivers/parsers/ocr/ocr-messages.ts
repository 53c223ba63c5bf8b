import type { PdfLine } from '../pdf/pdf-lines.ts';
import type { PictureSource } from './page-pictures.ts';

/** Request to an OCR process: open a document in place of the one before, or recognize a page of the open one. */
export type OcrRequest = { open: PictureSource & { languages: readonly string[] } } | { page: number };

/** The recognized text of a page. */
export interface RecognizedPage {
  /** Lines in points, as those of a PDF. */
  lines: PdfLine[];
  /** Mean confidence of the letters, 0 to 1. */
  confidence: number;
  words: number;
}

/** Response of an OCR process; `failed` holds the error message. */
export type OcrAnswer = { opened: true } | { page: RecognizedPage } | { failed: string };
