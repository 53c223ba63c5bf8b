import { countWords } from './blocks.ts';
import { plainText } from './plain-text.ts';

const SEPARATOR = ' › ';

/** Share of the words of a passage that its headings take at most. */
const SHARE = 1 / 3;

/** The titles that a passage of so many words stands under, in one line: the middle ones are left out where they are too long, then the first, then the rest of the last. */
export function headingOf(path: readonly string[], words: number): string {
  const titles = path.map((title) => plainText(title).replace(/\s+/g, ' ')).filter(Boolean);
  const most = Math.floor(words * SHARE);
  const ways = [titles, [...titles.slice(0, 1), '…', ...titles.slice(-1)], ['…', ...titles.slice(-1)]];
  const fitting = ways.map((way) => way.join(SEPARATOR)).find((line) => countWords(line) <= most);
  return (
    fitting ??
    `${titles
      .at(-1)!
      .split(' ')
      .slice(0, most - 1)
      .join(' ')} …`
  );
}
