import type { ParserRow } from './parser.ts';
import { markdownParser, textParser } from './markup/markdown.ts';
import { asciidocParser } from './markup/asciidoc.ts';
import { restructuredTextParser } from './markup/restructured-text.ts';
import { csvParser } from './data/csv.ts';
import { docxParser } from './office/docx/document.ts';
import { pictureParsers } from './ocr/pictures.ts';
import { htmlFragmentParser, htmlParser } from './html/page.ts';
import { pdfParser } from './pdf/parser.ts';
import { pptxParser } from './office/pptx.ts';
import { odsParser, xlsParser, xlsxParser } from './office/xlsx.ts';
import { odpParser, odtParser } from './office/odf/document.ts';
import { rtfParser } from './office/rtf.ts';
import { docParser, pptParser } from './office/old-formats.ts';
import { epubParser } from './archives/epub.ts';
import { codeParser } from './data/code.ts';
import { jsonLinesParser, jsonParser } from './data/json.ts';
import { notebookParser } from './data/notebook.ts';
import { subtitlesParser } from './data/subtitles.ts';
import { feedParser, xmlFileParser, xmlParser } from './data/xml.ts';
import { calendarParser } from './mail/calendar.ts';
import { emlParser, mboxParser, mhtmlParser, msgParser } from './mail/messages.ts';
import { zipParser } from './archives/compressed-files.ts';

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
  odtParser,
  odsParser,
  odpParser,
  rtfParser,
  xlsParser,
  docParser,
  pptParser,
  epubParser,
  notebookParser,
  emlParser,
  mboxParser,
  msgParser,
  mhtmlParser,
  calendarParser,
  subtitlesParser,
  feedParser,
  jsonParser,
  jsonLinesParser,
  xmlFileParser,
  codeParser,
  xmlParser,
  ...pictureParsers,
  zipParser,
];
