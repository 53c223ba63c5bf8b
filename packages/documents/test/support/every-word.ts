import { expect } from 'vitest';
import { parseDocument } from '../../src/parse.ts';
import { parsers } from '../../src/formats.ts';
import { compareWords } from '../../src/visible-words.ts';
import type { ParsedDocument } from '../../src/types.ts';

/** Whether what a reader of files of this type sees can be told without their parser. */
export const hasVisibleText = (file_type: string): boolean => parsers.some((row) => row.file_type === file_type && row.visibleText);

/** Reads a file, and expects every word that its readers see in the Markdown. */
export async function expectEveryWord(file_type: string, bytes: Uint8Array, source = `files/sample.${file_type}`): Promise<ParsedDocument> {
  const document = await parseDocument({ bytes, source, file_type, html: 'whole' });
  const row = parsers.find((candidate) => candidate.file_type === file_type)!;
  const visible = await row.visibleText!(bytes, { source });
  expect(compareWords(visible, markdownOf(document)).missing, document.text).toEqual([]);
  return document;
}

/** The Markdown of a document and of the files in it. */
export const markdownOf = ({ text, members = [] }: ParsedDocument): string =>
  [text, ...members.map(({ parsed }) => markdownOf(parsed))].join('\n\n');
