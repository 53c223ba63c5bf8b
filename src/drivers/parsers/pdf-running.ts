import type { Line } from './pdf-lines.ts';

/** Fewer pages do not tell what is repeated. */
const LEAST_PAGES = 3;
/** Of a page with fewer lines none is at the edge of anything. */
const LEAST_LINES = 3;
/** A line that stands at the edge of this share of the pages is a running one. */
const SHARE = 0.5;

/** The pages without running headers and footers: lines at the upper or lower edge that most pages have, numbers apart. */
export function withoutRunningLines(pages: readonly Line[][]): Line[][] {
  if (pages.length < LEAST_PAGES) return [...pages];
  const edges = pages.map((lines) => edgesOf(lines));
  const counts = new Map<string, number>();
  for (const lines of edges) for (const line of lines) counts.set(keyOf(line), (counts.get(keyOf(line)) ?? 0) + 1);
  const isRunning = (line: Line) => counts.get(keyOf(line))! > Math.max(2, pages.length * SHARE);
  return pages.map((lines, i) => {
    const running = new Set(edges[i]!.filter(isRunning));
    return lines.filter((line) => !running.has(line));
  });
}

/** The highest and the lowest line of a page. */
function edgesOf(lines: readonly Line[]): Line[] {
  const [first] = lines;
  if (!first || lines.length < LEAST_LINES) return [];
  const highest = lines.reduce((most, line) => (line.y > most.y ? line : most), first);
  const lowest = lines.reduce((least, line) => (line.y < least.y ? line : least), first);
  return [...new Set([highest, lowest])];
}

const keyOf = ({ text, y }: Line): string => `${Math.round(y / 4)} ${text.replace(/\d+|\b[ivxlc]+\b/gi, '#')}`;
