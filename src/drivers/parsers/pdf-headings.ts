import type { PdfOutline } from './pdf-file.ts';
import type { Line } from './pdf-lines.ts';

/** A heading's letters are larger than those of the text by this factor. */
const LARGER = 1.15;
/** Longer lines are text, however large. */
const LONGEST = 200;
/** Sizes told apart as levels. */
const LEVELS = 4;
/** An outline of fewer entries does not describe the document. */
const LEAST_OUTLINE = 3;

/** The level of a line that is a heading; undefined for any other. */
export type HeadingLevel = (line: Line) => number | undefined;

/** Tells the headings of a document: the lines that its outline names, or else those in larger letters than most of the text. */
export function headingLevels(lines: readonly Line[], outline: readonly PdfOutline[]): HeadingLevel {
  const named = new Map<string, number>();
  const collect = (items: readonly PdfOutline[], level: number) => {
    for (const item of items) {
      const key = keyOf(item.title);
      if (key && !named.has(key)) named.set(key, Math.min(level, 6));
      if (level < 20) collect(item.items, level + 1);
    }
  };
  collect(outline, 1);
  const isNamed = lines.filter(({ text }) => named.has(keyOf(text))).length >= LEAST_OUTLINE;
  return isNamed ? ({ text }) => named.get(keyOf(text)) : bySize(lines);
}

const keyOf = (text: string): string => (text.length > LONGEST ? '' : text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, ''));

const rounded = (size: number): number => Math.round(size * 2) / 2;

function bySize(lines: readonly Line[]): HeadingLevel {
  const letters = new Map<number, number>();
  for (const { text, size } of lines) letters.set(rounded(size), (letters.get(rounded(size)) ?? 0) + text.length);
  const body = [...letters].reduce((most, item) => (item[1] > most[1] ? item : most), [0, 0])[0];
  const isHeading = ({ text, size }: Line) => rounded(size) >= body * LARGER && text.length <= LONGEST && /\p{L}{2}/u.test(text);
  const sizes = [...new Set(lines.filter(isHeading).map(({ size }) => rounded(size)))].toSorted((a, b) => b - a);
  return (line) => (isHeading(line) ? Math.min(LEVELS, sizes.indexOf(rounded(line.size)) + 1) : undefined);
}
