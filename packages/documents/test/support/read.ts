import type { ParsedDocument, Mark } from '../../src/types.ts';
import { parseDocument } from '../../src/parse.ts';
import type { ParsedContent } from '../../src/parser.ts';

/** Reads a file of this content in this process. */
export const read = (file_type: string, content: string | Uint8Array): Promise<ParsedContent> =>
  parseDocument({ bytes: typeof content === 'string' ? Buffer.from(content) : content, source: `files/sample.${file_type}`, file_type });

/** Reads a page that was fetched from this address in this process. */
export const readPage = (source: string, html: string): Promise<ParsedDocument> =>
  parseDocument({ bytes: Buffer.from(html), source, file_type: 'html' });

/** What a mark says about the place where `words` stand. */
export function placeOf({ text, marks = [] }: ParsedDocument, words: string): Mark | undefined {
  const at = text.indexOf(words);
  if (at < 0) throw new Error(`"${words}" is not in the text: ${text}`);
  return marks.findLast((mark) => mark.at <= at);
}
