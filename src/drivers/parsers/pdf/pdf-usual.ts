/** The key with the greatest count, of several the first; undefined where there is none. */
export function mostFrequent<Key>(counts: Iterable<readonly [Key, number]>): readonly [key: Key, count: number] | undefined {
  let most: readonly [Key, number] | undefined;
  for (const entry of counts) if (most === undefined || entry[1] > most[1]) most = entry;
  return most;
}

/** The key of most of the letters; undefined where there are none. */
export function keyOfMostLetters<Key>(texts: Iterable<readonly [key: Key, text: string]>): Key | undefined {
  const letters = new Map<Key, number>();
  for (const [key, text] of texts) letters.set(key, (letters.get(key) ?? 0) + text.length);
  return mostFrequent(letters)?.[0];
}

/** A line by the fonts that it is drawn in. */
interface DrawnLine {
  runs: readonly { font: string; text: string }[];
}

/** The font of most of the letters of pages. */
export const usualFont = (pages: readonly (readonly DrawnLine[])[]): string | undefined =>
  keyOfMostLetters(pages.flatMap((lines) => lines.flatMap(({ runs }) => runs.map(({ font, text }) => [font, text] as const))));

/** A text with its font size, in points. */
interface SizedText {
  text: string;
  size: number;
}

/** The font size of most of the letters, each as `round` gives it; 0 where there are none. */
export const usualSize = (lines: readonly SizedText[], round = (size: number) => size): number =>
  keyOfMostLetters(lines.map(({ size, text }) => [round(size), text] as const)) ?? 0;

/** Letters of notes are smaller than those of the text by this factor. */
const SMALLER = 0.95;

/** Tells the lines of a page in smaller letters than most of them. */
export function detectSmallLines(lines: readonly SizedText[]): (line: SizedText) => boolean {
  const size = usualSize(lines) * SMALLER;
  return (line) => line.size < size;
}
