import { expect } from 'vitest';
import { shownTextOf } from '../../bench/shown-text.ts';
import { parseDocument } from '../../src/parse.ts';
import { compareWords } from '../../src/visible-words.ts';
import type { ParsedDocument } from '../../src/types.ts';

/** Reads a file, and expects every word that its readers see in the Markdown. */
export async function expectEveryWord(file_type: string, bytes: Uint8Array, source = `files/sample.${file_type}`): Promise<ParsedDocument> {
  const document = await parseDocument({ bytes, source, file_type, html: 'whole' });
  expect(compareWords(await shownTextOf(file_type)!(bytes), markdownOf(document)).missing, document.text).toEqual([]);
  return document;
}

/** The Markdown of a document and of the files in it. */
export const markdownOf = ({ text, members = [] }: ParsedDocument): string =>
  [text, ...members.map(({ parsed }) => markdownOf(parsed))].join('\n\n');
