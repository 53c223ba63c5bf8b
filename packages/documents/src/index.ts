// @citekb/documents: bytes in, Markdown with locations out.
export { createReader, type IsolatedReadOptions, readDocument, type Reader, type ReadOptions } from './reader.ts';
export { DocumentError, type DocumentErrorCode, brokenFileError, noTextError } from './errors.ts';
export { fileTypes, mayHoldPages, mayHoldScans } from './file-types.ts';
export { hasOcrPrograms, installedOcrLanguages, OCR_PROGRAMS, ocrLanguageFile } from './ocr/programs.ts';
export type { ReaderLimits } from './process/parse-pool.ts';
export type {
  Box,
  FileKind,
  FileTypes,
  HtmlExtent,
  Mark,
  Metadata,
  PageFacts,
  PageInWork,
  ParsedDocument,
  ParsedMember,
  Parser,
} from './types.ts';
