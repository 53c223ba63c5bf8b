import { readBlocks } from '../../text/markdown/blocks.ts';

/** How far into a text its first heading is looked for, in characters. */
const HEAD = 20_000;

/** Emphasis by one mark. */
const EMPHASIS = /(?<![\p{L}\p{N}])([*_])(\S(?:.{0,200}?\S)?)\1(?![\p{L}\p{N}])/gu;

/** The words of the first heading of a Markdown text; undefined if there is none near the beginning. */
export function firstHeading(markdown: string): string | undefined {
  const titles = readBlocks(markdown.slice(0, HEAD)).map(({ title }) => title.replace(EMPHASIS, '$2'));
  return titles.find((title) => title !== '');
}
