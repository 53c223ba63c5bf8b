import type { PdfLine } from './pdf-lines.ts';
import type { OutlineEntry } from './pdf-outline.ts';

/** A heading's letters are larger than those of the text by this factor. */
const LARGER = 1.15;
/** Longer lines are text, however large. */
const LONGEST = 200;
/** Sizes told apart as levels. */
const LEVELS = 4;
/** An outline of which fewer entries are found in the text does not describe the document. */
const LEAST_OUTLINE = 3;
/** Lines that a heading is wrapped over, at most. */
const MOST_LINES = 4;
/** Lines of a page that are looked at for each entry: a page for people has fewer. */
const MOST_ON_PAGE = 1000;
/** An entry may lead to a place below its heading's base line by this many font sizes. */
const BELOW = 1;

/** The level of a line that is a heading; undefined for any other. */
export type HeadingLevel = (line: PdfLine) => number | undefined;

/** Tells the headings of a document: the lines that its outline leads to, or else those in larger letters than most of the text. */
export function headingLevels(pages: readonly PdfLine[][], outline: readonly OutlineEntry[]): HeadingLevel {
  const levels = new Map<PdfLine, number>();
  const titles = new Map<number, PageTitles>();
  let found = 0;
  for (const entry of outline) {
    const onPage = titles.get(entry.page) ?? titlesOn((pages[entry.page] ?? []).slice(0, MOST_ON_PAGE));
    titles.set(entry.page, onPage);
    const heading = headingOf(entry, onPage, levels);
    if (heading) found++;
    for (const line of heading ?? []) levels.set(line, Math.min(entry.level, 6));
  }
  return found >= LEAST_OUTLINE ? (line) => levels.get(line) : bySize(pages.flat());
}

/** What a page may spell: looked at once, however many entries lead to it. */
interface PageTitles {
  lines: readonly PdfLine[];
  /** Of each line the keys of it alone, of it and the next, and so on. */
  keys: readonly (readonly string[][])[];
  /** The lines at which each key begins, by index, in their order. */
  starts: ReadonlyMap<string, ReadonlySet<number>>;
}

function titlesOn(lines: readonly PdfLine[]): PageTitles {
  const keys = lines.map((_, i) => {
    let text = '';
    return lines.slice(i, i + MOST_LINES).map((line) => keysOf((text = `${text} ${line.text}`.trim())));
  });
  const starts = new Map<string, Set<number>>();
  for (const [i, spelled] of keys.entries()) for (const key of spelled.flat()) starts.set(key, (starts.get(key) ?? new Set()).add(i));
  return { lines, keys, starts };
}

/** The lines that spell a title: of several places, the nearest below `top`, or else the one in the largest letters. Lines that are a heading already are left out. */
function headingOf({ title, top }: OutlineEntry, page: PageTitles, taken: ReadonlyMap<PdfLine, number>): PdfLine[] | undefined {
  const wanted = keysOf(title);
  const begins = [...new Set(wanted.flatMap((key) => [...(page.starts.get(key) ?? [])]))].toSorted((a, b) => a - b);
  const spelled = begins.flatMap((i) => {
    const count = taken.has(page.lines[i]!) ? 0 : spelling(wanted, page.keys[i]!);
    return count > 0 ? [page.lines.slice(i, i + count)] : [];
  });
  const below = spelled.filter(([first]) => top !== undefined && first!.y <= top + BELOW * first!.size);
  if (below.length > 0) return below.reduce((nearest, heading) => (heading[0]!.y > nearest[0]!.y ? heading : nearest));
  return spelled.reduce<PdfLine[] | undefined>(
    (best, heading) => (best && rounded(best[0]!.size) >= rounded(heading[0]!.size) ? best : heading),
    undefined,
  );
}

/** How many lines spell a title, with a number before one of the two or both; 0 where they do not. */
function spelling(wanted: readonly string[], lines: readonly (readonly string[])[]): number {
  for (const [i, keys] of lines.entries()) {
    if (keys.some((key) => wanted.includes(key))) return i + 1;
    if (!keys.some((key) => wanted.some((whole) => whole.startsWith(key)))) return 0;
  }
  return 0;
}

/** The letters of a title, and those without its number. */
const keysOf = (title: string): string[] => [title, title.replace(NUMBER, '')].map(keyOf).filter((key) => key !== '');

/** The number of a heading: «3.1», «Chapter 2:», «IV», «Appendix B». */
const NUMBER = /^(?:\p{L}+\s)?(?:\d+(?:\.\d+)*|[A-Z](?:\.\d+)*|[IVXLC]+)[.:)]?\s+/u;

const keyOf = (text: string): string =>
  text.length > LONGEST
    ? ''
    : text
        .normalize('NFKC')
        .toLowerCase()
        .replace(/[^\p{L}\p{N}]+/gu, '');

const rounded = (size: number): number => Math.round(size * 2) / 2;

/** The font size of most of the text. */
function bodySize(lines: readonly PdfLine[]): number {
  const letters = new Map<number, number>();
  for (const { text, size } of lines) letters.set(rounded(size), (letters.get(rounded(size)) ?? 0) + text.length);
  return [...letters].reduce((most, item) => (item[1] > most[1] ? item : most), [0, 0])[0];
}

const isLarge = ({ text, size }: PdfLine, body: number): boolean =>
  rounded(size) >= body * LARGER && text.length <= LONGEST && /\p{L}{2}/u.test(text);

function bySize(lines: readonly PdfLine[]): HeadingLevel {
  const body = bodySize(lines);
  const sizes = [...new Set(lines.filter((line) => isLarge(line, body)).map(({ size }) => rounded(size)))].toSorted((a, b) => b - a);
  return (line) => (isLarge(line, body) ? Math.min(LEVELS, sizes.indexOf(rounded(line.size)) + 1) : undefined);
}

/** What the first page that has text says in its largest letters, where they are larger than those of the text. */
export function titleOnFirstPage(pages: readonly PdfLine[][]): string | undefined {
  const body = bodySize(pages.flat());
  const page = pages.find((lines) => lines.length > 0) ?? [];
  const largest = page.reduce((most, line) => (isLarge(line, body) ? Math.max(most, rounded(line.size)) : most), 0);
  const isOf = (line: PdfLine | undefined): boolean => line !== undefined && isLarge(line, body) && rounded(line.size) === largest;
  const begin = page.findIndex(isOf);
  const end = page.findIndex((line, i) => i > begin && !isOf(line));
  const title = page.slice(begin, end < 0 ? undefined : end).map(({ text }) => text);
  return begin >= 0 && title.join(' ').length <= LONGEST ? title.join(' ') : undefined;
}
