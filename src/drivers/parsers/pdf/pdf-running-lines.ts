import { HEADING_FACTOR, titleKeys } from './pdf-headings.ts';
import { mostFrequent, type PdfLine, usualSize } from './pdf-lines.ts';

/** Minimum pages of a document in which lines are found to be repeated. */
const MIN_PAGES = 3;
/** Minimum lines of a page that has lines at its edges. */
const MIN_LINES = 3;
/** Minimum share of the pages that have a running line; some stand on left pages alone. */
const SHARE = 0.4;
/** Maximum running lines below one another. */
const MAX_HEADS = 3;
/** Minimum distance of a head from the text, in font sizes. */
const APART = 1.8;

/**
 * Removes running headers and footers: lines at the upper or lower edge that most pages have (apart from numbers), that begin or end with the page number,
 * or that name the chapter or section. A page has its number once: «6 Settings» stays above a footer «Page 6».
 */
export function removeRunningLines(pages: readonly PdfLine[][]): PdfLine[][] {
  if (pages.length < MIN_PAGES) return [...pages];
  const hasNumber = new Set<number>();
  let left = removeOutermost(pages, hasNumber);
  for (let round = 1; round < MAX_HEADS; round++) left = removeNext(left, hasNumber);
  return left;
}

/** Removes the outermost running lines. Adds the indexes of pages whose number it removes to `hasNumber`. */
function removeOutermost(pages: readonly PdfLine[][], hasNumber: Set<number>): PdfLine[][] {
  const edges = pages.map((lines) => edgesOf(lines));
  const known = edges.map((lines, i) => (pages[i]!.length < MIN_LINES ? [] : lines));
  const isRepeated = detectRepeated(known, keyOf);
  const isNumbered = detectPageNumbers(known);
  const isOfChapter = detectChapterLines(known, pages);
  const places = countsOf(
    known.map((lines, i) => lines.filter((line) => isNumbered(line, i))),
    placeOf,
  );
  // on a short page, only the place identifies the number
  const isInPlace = (line: PdfLine): boolean => (places.get(placeOf(line)) ?? 0) > Math.max(2, (pages.length * SHARE) / 2);
  return pages.map((lines, i) => {
    const repeated = edges[i]!.filter((line) => isRepeated(line) || isOfChapter(line));
    const own = lines.length < MIN_LINES ? edges[i]!.filter(isInPlace) : edges[i]!;
    const numbered = repeated.some((line) => isNumbered(line, i)) ? [] : own.filter((line) => isNumbered(line, i));
    if (edges[i]!.some((line) => isNumbered(line, i))) hasNumber.add(i);
    return removeLines(lines, [...repeated, ...numbered]);
  });
}

/** Removes the next lines at the edges: those that most pages have letter by letter, and those with the number of a page that has none yet. */
function removeNext(pages: readonly PdfLine[][], hasNumber: Set<number>): PdfLine[][] {
  const edges = pages.map((lines) => (lines.length < MIN_LINES ? [] : edgesOf(lines)));
  const isRepeated = detectRepeated(edges, ({ text, y }) => `${Math.round(y / 4)} ${text}`);
  const isNumbered = detectPageNumbers(edges);
  return pages.map((lines, i) => {
    const numbered = hasNumber.has(i) ? [] : edges[i]!.filter((line) => isNumbered(line, i));
    if (numbered.length > 0) hasNumber.add(i);
    return removeLines(lines, [...edges[i]!.filter(isRepeated), ...numbered]);
  });
}

function removeLines(lines: readonly PdfLine[], running: readonly PdfLine[]): PdfLine[] {
  const left = new Set(running);
  return lines.filter((line) => !left.has(line));
}

/** Creates a test for lines that most pages have. */
function detectRepeated(edges: readonly PdfLine[][], keyOfLine: (line: PdfLine) => string): (line: PdfLine) => boolean {
  const counts = countsOf(edges, keyOfLine);
  return (line) => (counts.get(keyOfLine(line)) ?? 0) > Math.max(2, edges.length * SHARE);
}

function countsOf(edges: readonly PdfLine[][], keyOfLine: (line: PdfLine) => string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const lines of edges) for (const key of new Set(lines.map(keyOfLine))) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}

/**
 * Creates a test for the heads of chapters and sections: lines apart from the text, in a place where most pages have one. Several pages have the same; or it
 * is no larger than the text, and either most others in its place are on several pages, or it repeats the title of a heading.
 */
function detectChapterLines(edges: readonly PdfLine[][], pages: readonly PdfLine[][]): (line: PdfLine) => boolean {
  const apart = edges.map((lines, i) => lines.filter((line) => isApart(line, pages[i]!)));
  const isPlace = detectRepeated(apart, placeOf);
  const counts = countsOf(apart, keyOf);
  const isOnSeveral = (line: PdfLine): boolean => (counts.get(keyOf(line)) ?? 0) > 1;
  const size = usualSize(pages.flat(), Math.round);
  const small = new Set(apart.flat().filter((line) => Math.round(line.size) <= size));
  const places = Map.groupBy(small, placeOf);
  const isOfHeads = (line: PdfLine): boolean => {
    const all = places.get(placeOf(line)) ?? [];
    return all.filter(isOnSeveral).length >= all.length / 2;
  };
  const titles = new Set(
    pages.flatMap((lines) => lines.flatMap((line) => (line.size >= HEADING_FACTOR * size ? titleKeys(line.text) : []))),
  );
  const saysTitle = ({ cells }: PdfLine): boolean => cells.some(({ text }) => titleKeys(text).some((key) => titles.has(key)));
  return (line) => isPlace(line) && (isOnSeveral(line) || (small.has(line) && (isOfHeads(line) || saysTitle(line))));
}

/** Returns the height of a line as a key. */
const placeOf = ({ y }: PdfLine): string => String(Math.round(y / 4));

const isApart = (line: PdfLine, lines: readonly PdfLine[]): boolean =>
  lines.every((other) => other === line || Math.abs(other.y - line.y) >= APART * line.size);

/** Creates a test for lines with the number of their page, if most pages have one, counted from the same page. */
function detectPageNumbers(edges: readonly PdfLine[][]): (line: PdfLine, index: number) => boolean {
  const pages = new Map<number, number>();
  const offsetsOf = (line: PdfLine, index: number): number[] => numbersAround(line).map((number) => number - index);
  for (const [index, lines] of edges.entries())
    for (const offset of new Set(lines.flatMap((line) => offsetsOf(line, index)))) pages.set(offset, (pages.get(offset) ?? 0) + 1);
  const [offset, count] = mostFrequent(pages) ?? [0, 0];
  const isKnown = count > Math.max(2, edges.length * SHARE);
  return (line, index) => isKnown && offsetsOf(line, index).includes(offset);
}

/** Lists the numbers at the beginning and the end of a line. */
const numbersAround = ({ text }: PdfLine): number[] =>
  [/^(\d{1,4})(?=\s|$)/.exec(text), /(?:^|\s)(\d{1,4})$/.exec(text)].flatMap((found) => (found ? [Number(found[1])] : []));

/** Lists the highest and the lowest line of a page. */
function edgesOf(lines: readonly PdfLine[]): PdfLine[] {
  const [first] = lines;
  if (!first) return [];
  const highest = lines.reduce((most, line) => (line.y > most.y ? line : most), first);
  const lowest = lines.reduce((least, line) => (line.y < least.y ? line : least), first);
  return [...new Set([highest, lowest])];
}

const keyOf = ({ text, y }: PdfLine): string => `${Math.round(y / 4)} ${text.replace(/\d+|\b[ivxlc]+\b/gi, '#')}`;
