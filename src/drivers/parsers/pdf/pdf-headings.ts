import { BULLET, type PdfLine } from './pdf-lines.ts';
import type { OutlineEntry } from './pdf-outline.ts';
import { usualFont, usualSize } from './pdf-usual.ts';

/** A heading's letters are larger than those of the text by this factor. */
export const HEADING_FACTOR = 1.15;
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
export function headingLevels(
  pages: readonly PdfLine[][],
  outline: readonly OutlineEntry[],
  isCode: (line: PdfLine) => boolean = () => false,
): HeadingLevel {
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
  return found >= LEAST_OUTLINE ? (line) => levels.get(line) : byLooks(pages, isCode);
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
    return lines.slice(i, i + MOST_LINES).map((line) => titleKeys((text = `${text} ${line.text}`.trim())));
  });
  const starts = new Map<string, Set<number>>();
  for (const [i, spelled] of keys.entries()) for (const key of spelled.flat()) starts.set(key, (starts.get(key) ?? new Set()).add(i));
  return { lines, keys, starts };
}

/** The lines that spell a title: of several places, the nearest below `top`, or else the one in the largest letters. Lines that are a heading already are left out. */
function headingOf({ title, top }: OutlineEntry, page: PageTitles, taken: ReadonlyMap<PdfLine, number>): PdfLine[] | undefined {
  const wanted = titleKeys(title);
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
export const titleKeys = (title: string): string[] => [title, title.replace(NUMBER, '')].map(keyOf).filter((key) => key !== '');

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

const isLarge = (line: PdfLine, body: number): boolean =>
  rounded(line.size) >= body * HEADING_FACTOR && isTitle(line) && line.text.length <= LONGEST;

/** Whether a line is no item of a list, and no row of a form: behind a number a title may stand apart. */
const isTitle = ({ text, cells, ruled }: PdfLine): boolean =>
  !ruled && /\p{L}{2}/u.test(text) && !BULLET.test(text) && (cells.length < 2 || (cells.length === 2 && CELL_NUMBER.test(cells[0]!.text)));

const CELL_NUMBER = /^(?:\p{L}{1,20}\s)?(?:\d{1,3}(?:\.\d{1,3}){0,5}|[A-Z]|[IVXLC]{1,6})[.:)]?$/u;

/** The number of a section of another, in front of its title: «2.1 Descaling». A page or a sentence's end does not follow. */
const NUMBERED = /^(\d{1,2}(?:\.\d{1,2}){1,4})\.?\s+(?=\p{Lu})[^….!?;:]{2,80}$/u;
const PAGE_END = /\s\d{1,4}$/;
/** Fewer numbered lines may be those of a list. */
const LEAST_NUMBERED = 2;

/** How deep the section lies that a line is the numbered title of; undefined for any other line. */
function depthOf({ text }: PdfLine): number | undefined {
  const number = PAGE_END.test(text) ? undefined : NUMBERED.exec(text)?.[1];
  return number?.split('.').length;
}

/** Tells headings by their larger letters, by the number of their section, and by a font of their own. */
function byLooks(pages: readonly PdfLine[][], isCode: (line: PdfLine) => boolean): HeadingLevel {
  const lines = pages.flat();
  const body = usualSize(lines, rounded);
  const sizes = headingSizes(pages, body);
  const numbered = new Set(lines.filter((line) => line.cells.length === 1 && rounded(line.size) === body && depthOf(line) !== undefined));
  const isNumbered = (line: PdfLine): boolean => numbered.size >= LEAST_NUMBERED && numbered.has(line);
  const emphasized = emphasizedTitles(pages, { body, isCode });
  return (line) => {
    if (isLarge(line, body)) return Math.min(LEVELS, sizes.findIndex((size) => size <= rounded(line.size)) + 1 || sizes.length);
    if (isNumbered(line)) return Math.min(6, Math.max(sizes.length + 1, depthOf(line)!));
    return emphasized.has(line) ? Math.min(LEVELS, sizes.length) + 1 : undefined;
  };
}

/** In a document of more pages, what stands in one size on one page alone is its cover. */
const COVERED = 8;

/** The font sizes of headings, the largest first. */
function headingSizes(pages: readonly PdfLine[][], body: number): number[] {
  const counts = new Map<number, number>();
  for (const lines of pages)
    for (const size of new Set(lines.flatMap((line) => (isLarge(line, body) ? [rounded(line.size)] : []))))
      counts.set(size, (counts.get(size) ?? 0) + 1);
  const repeated = [...counts].filter(([, count]) => pages.length < COVERED || count > 1).map(([size]) => size);
  return (repeated.length > 0 ? repeated : [...counts.keys()]).toSorted((a, b) => b - a);
}

/** Longer lines in a font of their own are text. */
const LONGEST_EMPHASIZED = 100;
/** More lines in such a font are no headings, as a share of all. */
const MOST_EMPHASIZED = 0.2;
/** A heading stands further below the text before it than lines of a paragraph do, by this factor. */
const APART = 1.2;
/** Its text begins below it within so many font sizes, and no further to the right than that. */
const NEAR = { below: 3.5, right: 2 };
const NO_TITLE = /[.,;:!…]$|^(?:fig|tab|abb|listing|example|beispiel|source|quelle|note)/i;

/** Titles in letters no larger than those of the text, but in another font: bold ones, by themselves above their text. */
function emphasizedTitles(
  pages: readonly PdfLine[][],
  { body, isCode }: { body: number; isCode: (line: PdfLine) => boolean },
): ReadonlySet<PdfLine> {
  const usual = usualFont(pages);
  const groups = new Map<number, PdfLine[]>();
  for (const lines of pages) {
    const usualHere = usualFont([lines]); // some programs write fonts anew for each page
    for (const [i, line] of lines.entries()) {
      const font = fontOf(line);
      const isOther =
        font !== undefined &&
        font !== usual &&
        font !== usualHere &&
        rounded(line.size) >= body &&
        rounded(line.size) < body * HEADING_FACTOR;
      if (!isOther || !mayBeTitle(line) || isCode(line) || !standsAlone(lines, i)) continue;
      groups.set(rounded(line.size), [...(groups.get(rounded(line.size)) ?? []), line]);
    }
  }
  const most = MOST_EMPHASIZED * pages.reduce((sum, lines) => sum + lines.length, 0);
  const [first] = pages.find((lines) => lines.length > 0) ?? [];
  const isKnown = (lines: readonly PdfLine[]): boolean => (lines.length >= LEAST_NUMBERED && lines.length <= most) || lines[0] === first;
  return new Set([...groups.values()].flatMap((lines) => (isKnown(lines) ? lines : [])));
}

const mayBeTitle = (line: PdfLine): boolean =>
  isTitle(line) &&
  line.text.length <= LONGEST_EMPHASIZED &&
  /^[\p{Lu}\p{Lo}\d]/u.test(line.text) &&
  !NO_TITLE.test(line.text) &&
  !PAGE_END.test(line.text);

/** Whether a line has a gap above it, and text in another font close below it, no further to the right. */
function standsAlone(lines: readonly PdfLine[], i: number): boolean {
  const [before, line, next] = [lines[i - 1], lines[i]!, lines[i + 1]];
  if (!next || fontOf(next) === fontOf(line)) return false;
  const down = line.y - next.y;
  const isAbove = down > 0 && down <= NEAR.below * line.size && Math.abs(next.x - line.x) <= NEAR.right * line.size;
  const isApart = !before || before.y < line.y || before.y - line.y > APART * Math.max(line.size * 1.1, Math.min(down, 1.6 * line.size));
  return isAbove && isApart;
}

/** The one font that a line is drawn in, if it is one. */
function fontOf({ runs }: PdfLine): string | undefined {
  const [first, ...others] = runs.filter(({ text }) => text.trim() !== '');
  return others.every(({ font }) => font === first?.font) ? first?.font : undefined;
}

/** What the first page that has text says in its largest letters, where they are larger than those of the text. */
export function titleOnFirstPage(pages: readonly PdfLine[][]): string | undefined {
  const body = usualSize(pages.flat(), rounded);
  const page = pages.find((lines) => lines.length > 0) ?? [];
  const largest = page.reduce((most, line) => (isLarge(line, body) ? Math.max(most, rounded(line.size)) : most), 0);
  const isOf = (line: PdfLine | undefined): boolean => line !== undefined && isLarge(line, body) && rounded(line.size) === largest;
  const begin = page.findIndex(isOf);
  const end = page.findIndex((line, i) => i > begin && !isOf(line));
  const title = page.slice(begin, end < 0 ? undefined : end).map(({ text }) => text);
  return begin >= 0 && title.join(' ').length <= LONGEST ? title.join(' ') : undefined;
}
