import type { Line } from './pdf-lines.ts';

/** Fewer pages do not tell what is repeated. */
const LEAST_PAGES = 3;
/** Of a page with fewer lines none is at the edge of anything. */
const LEAST_LINES = 3;
/** A line that stands at the edge of this share of the pages is a running one. */
const SHARE = 0.5;

/**
 * The pages without running headers and footers: lines at the upper or lower edge that most pages have, numbers apart, and those that begin or end with
 * the number of their page. A page has its number once: «6 Settings» stays above a footer «Page 6».
 */
export function withoutRunningLines(pages: readonly Line[][]): Line[][] {
  if (pages.length < LEAST_PAGES) return [...pages];
  const edges = pages.map((lines) => edgesOf(lines));
  const counts = new Map<string, number>();
  for (const lines of edges) for (const line of lines) counts.set(keyOf(line), (counts.get(keyOf(line)) ?? 0) + 1);
  const isRepeated = (line: Line) => counts.get(keyOf(line))! > Math.max(2, pages.length * SHARE);
  const isNumbered = pageNumbers(edges);
  return pages.map((lines, i) => {
    const repeated = edges[i]!.filter(isRepeated);
    const hasNumber = repeated.some((line) => isNumbered(line, i));
    const running = new Set(hasNumber ? repeated : [...repeated, ...edges[i]!.filter((line) => isNumbered(line, i))]);
    return lines.filter((line) => !running.has(line));
  });
}

/** Tells the lines that hold the number of their page, where most pages have one: counted from the same page, whatever stands beside it. */
function pageNumbers(edges: readonly Line[][]): (line: Line, index: number) => boolean {
  const pages = new Map<number, number>();
  const offsetsOf = (line: Line, index: number): number[] => numbersAround(line).map((number) => number - index);
  for (const [index, lines] of edges.entries())
    for (const offset of new Set(lines.flatMap((line) => offsetsOf(line, index)))) pages.set(offset, (pages.get(offset) ?? 0) + 1);
  const [offset, count] = [...pages].reduce((most, item) => (item[1] > most[1] ? item : most), [0, 0]);
  const isKnown = count > Math.max(2, edges.length * SHARE);
  return (line, index) => isKnown && offsetsOf(line, index).includes(offset);
}

/** The numbers that a line begins and ends with. */
const numbersAround = ({ text }: Line): number[] =>
  [/^(\d{1,4})(?=\s|$)/.exec(text), /(?:^|\s)(\d{1,4})$/.exec(text)].flatMap((found) => (found ? [Number(found[1])] : []));

/** The highest and the lowest line of a page. */
function edgesOf(lines: readonly Line[]): Line[] {
  const [first] = lines;
  if (!first || lines.length < LEAST_LINES) return [];
  const highest = lines.reduce((most, line) => (line.y > most.y ? line : most), first);
  const lowest = lines.reduce((least, line) => (line.y < least.y ? line : least), first);
  return [...new Set([highest, lowest])];
}

const keyOf = ({ text, y }: Line): string => `${Math.round(y / 4)} ${text.replace(/\d+|\b[ivxlc]+\b/gi, '#')}`;
