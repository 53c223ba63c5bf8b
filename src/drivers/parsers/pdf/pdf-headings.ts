import type { PdfOutline } from './pdf-file.ts';
import type { PdfLine } from './pdf-lines.ts';

/** A heading's letters are larger than those of the text by this factor. */
const LARGER = 1.15;
/** Longer lines are text, however large. */
const LONGEST = 200;
/** Sizes told apart as levels. */
const LEVELS = 4;
/** An outline of fewer entries does not describe the document. */
const LEAST_OUTLINE = 3;

/** An entry of the outline. */
interface Entry {
  key: string;
  level: number;
}

/** The level of a line that is a heading; undefined for any other. */
export type HeadingLevel = (line: PdfLine) => number | undefined;

/** Tells the headings of a document: the lines that its outline names, or else those in larger letters than most of the text. */
export function headingLevels(lines: readonly PdfLine[], outline: readonly PdfOutline[]): HeadingLevel {
  const entries = entriesOf(outline, 1);
  const keys = new Set(entries.map(({ key }) => key));
  const named = lines.filter(({ text }) => keys.has(keyOf(text)));
  return named.length >= LEAST_OUTLINE ? byOutline(named, entries) : bySize(lines);
}

/** The outline from top to bottom. */
const entriesOf = (outline: readonly PdfOutline[], level: number): Entry[] =>
  outline
    .flatMap(({ title, items }) => [{ key: keyOf(title), level: Math.min(level, 6) }, ...(level < 20 ? entriesOf(items, level + 1) : [])])
    .filter(({ key }) => key !== '');

/**
 * A title that several entries have («Examples», in every chapter) is the next of them after the heading before, else the nearest before it. Of more lines than entries with one
 * title, those in smaller letters are none of them: words in bold, a table of contents.
 */
function byOutline(lines: readonly PdfLine[], entries: readonly Entry[]): HeadingLevel {
  const places = new Map<string, number[]>();
  for (const [place, { key }] of entries.entries()) places.set(key, [...(places.get(key) ?? []), place]);
  const levels = new Map<PdfLine, number>();
  let last = -1;
  for (const line of lines.filter(isLargest(lines, places))) {
    const known = places.get(keyOf(line.text))!;
    last = known.find((place) => place > last) ?? known.at(-1)!;
    levels.set(line, entries[last]!.level);
  }
  return (line) => levels.get(line);
}

/** Tells of the lines of one title the largest, as many as it has entries; more where they are of one size. */
function isLargest(lines: readonly PdfLine[], places: ReadonlyMap<string, readonly number[]>): (line: PdfLine) => boolean {
  const sizes = new Map<string, number[]>();
  for (const { text, size } of lines) sizes.set(keyOf(text), [...(sizes.get(keyOf(text)) ?? []), rounded(size)]);
  const least = new Map([...sizes].map(([key, all]) => [key, all.toSorted((a, b) => b - a)[places.get(key)!.length - 1] ?? 0]));
  return ({ text, size }) => rounded(size) >= least.get(keyOf(text))!;
}

const keyOf = (text: string): string => (text.length > LONGEST ? '' : text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, ''));

const rounded = (size: number): number => Math.round(size * 2) / 2;

function bySize(lines: readonly PdfLine[]): HeadingLevel {
  const letters = new Map<number, number>();
  for (const { text, size } of lines) letters.set(rounded(size), (letters.get(rounded(size)) ?? 0) + text.length);
  const body = [...letters].reduce((most, item) => (item[1] > most[1] ? item : most), [0, 0])[0];
  const isHeading = ({ text, size }: PdfLine) => rounded(size) >= body * LARGER && text.length <= LONGEST && /\p{L}{2}/u.test(text);
  const sizes = [...new Set(lines.filter(isHeading).map(({ size }) => rounded(size)))].toSorted((a, b) => b - a);
  return (line) => (isHeading(line) ? Math.min(LEVELS, sizes.indexOf(rounded(line.size)) + 1) : undefined);
}
