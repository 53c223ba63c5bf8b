import { KbError } from '../../base/errors.ts';
import type { DocumentReader } from '../../ports/reading.ts';
import { sourceOf } from './network.ts';

/** Of a web page: one of 10 MB takes the gigabyte that a reader has (measured: short paragraphs), and the largest that people write are near it. */
const MOST_HTML = 16 * 2 ** 20;

/** How many bytes a page of this kind may have, whatever the configuration says. */
export const mostBytesOf = (file_type: string | undefined, reader: DocumentReader): number =>
  file_type === reader.fileType('page.html') ? MOST_HTML : Infinity;

/** What is said of a page that has more. */
export const tooLarge = (url: string, file_type: string, reader: DocumentReader): KbError =>
  new KbError(
    'too_large',
    `${sourceOf(url)} is too large for a web page: it exceeds the limit of ${mostBytesOf(file_type, reader)} bytes.`,
    {
      hint: 'Have it split, or leave it out.',
    },
  );
