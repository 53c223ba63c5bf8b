import type { DocumentReader } from '../../../ports/reading.ts';
import { count, listNames } from '../../../text/count.ts';

/** What is done with pictures and scans. */
export interface PictureSettings {
  ocr: 'auto' | 'report' | 'off';
}

/** Pictures that a notice names. */
const NAMED = 3;

/** The reader, to which pictures are files like others where their text is recognized. */
export function withPictures(reader: DocumentReader, { ocr }: PictureSettings): DocumentReader {
  if (ocr !== 'auto') return reader;
  const { pictures } = reader;
  return {
    ...reader,
    extensions: [...reader.extensions, ...pictures.extensions],
    fileType: (path, kinds) => reader.fileType(path, kinds) ?? pictures.fileType(path),
  };
}

/** What to tell of pictures that were found and not read. */
export const unreadPictures = (sources: readonly string[]): string =>
  `${count(sources.length, 'picture')} ${sources.length === 1 ? 'was' : 'were'} not read: ${listNames(sources, NAMED)}. --ocr auto (ingestion.docs.ocr) reads the text in them.`;
