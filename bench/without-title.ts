import type { ParsedDocument } from '../src/ports/reading.ts';

const lettersIn = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');

/** The text without a heading on top that says what the title says: what a page's expected text leaves out. */
export const withoutTitle = ({ text, title = '' }: Pick<ParsedDocument, 'text' | 'title'>): string =>
  text.replace(/^# (.*)\n*/, (line, words: string) => (lettersIn(title).includes(lettersIn(words)) ? '' : line));
