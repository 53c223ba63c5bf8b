import type { PdfLine } from '../pdf/pdf-lines.ts';
import type { PictureSource } from './page-pictures.ts';

/** What a process that recognizes text is asked: to open a document in place of the one before, or for a page of the open one. */
export type OcrRequest = { open: PictureSource & { languages: readonly string[] } } | { page: number };

/** The text that a picture shows. */
export interface RecognizedPage {
  /** In points, as those of a PDF. */
  lines: PdfLine[];
  /** Mean of the letters, 0 to 1. */
  confidence: number;
  words: number;
}

export type OcrAnswer = { opened: true } | { page: RecognizedPage } | { failed: string };
