import type { ParserRow } from './parser-row.ts';
import { markdownParser, textParser } from './text-parsers.ts';
import { asciidocParser } from './light-markup/asciidoc.ts';
import { restructuredTextParser } from './light-markup/restructured-text.ts';
import { csvParser } from './csv.ts';
import { docxParser } from './office/docx.ts';
import { pictureParsers } from './ocr/picture-parsers.ts';
import { htmlFragmentParser, htmlParser } from './html/html.ts';
import { pdfParser } from './pdf/pdf.ts';
import { pptxParser } from './office/pptx.ts';
import { xlsxParser } from './office/xlsx.ts';
import { xmlParser } from './xml.ts';

/** Every kind of document that is read. A parser imports its library when a file of its kind comes. */
export const parsers: readonly ParserRow[] = [
  pdfParser,
  docxParser,
  pptxParser,
  xlsxParser,
  markdownParser,
  htmlParser,
  htmlFragmentParser,
  restructuredTextParser,
  asciidocParser,
  textParser,
  csvParser,
  xmlParser,
  ...pictureParsers,
];
