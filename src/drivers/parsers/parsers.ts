import type { Parser } from '../../ports/reading.ts';
import { csvParser } from './csv.ts';
import { docxParser } from './docx.ts';
import { htmlFragmentParser } from './html-fragment.ts';
import { htmlParser } from './html.ts';
import { markdownParser } from './markdown.ts';
import { pdfParser } from './pdf.ts';
import { pptxParser } from './pptx.ts';
import { textParser } from './text.ts';
import { xlsxParser } from './xlsx.ts';
import { xmlParser } from './xml.ts';

/** Every kind of document that is read. A parser imports its library when a file of its kind comes. */
export const parsers: readonly Parser[] = [
  pdfParser,
  docxParser,
  pptxParser,
  xlsxParser,
  markdownParser,
  htmlParser,
  htmlFragmentParser,
  textParser,
  csvParser,
  xmlParser,
];
