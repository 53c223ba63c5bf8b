import type { OutlineEntry } from './file.ts';
import { BULLET, type PdfLine, usualFont, usualSize } from './lines.ts';

/** Minimum size of a heading's letters, as a factor of the text's. */
const HEADING_FACTOR = 1.15;
/** Maximum characters of a heading in large letters. */
const MAX_LENGTH = 200;
/** Maximum levels that are told by size. */
const LEVELS = 4;
/** Minimum entries of an outline that are found in the text; with fewer, it does not describe the document. */
const MIN_OUTLINE = 3;
/** Maximum lines of a heading. */
const MAX_LINES = 4;
/** Maximum lines of a page in which headings are looked for; a page for people has fewer. */
const MAX_ON_PAGE = 1000;
/** Maximum distance of an entry's target below its heading's baseline, in font sizes. */
const BELOW = 1;
/** In a document of at least so many pages, a size that only one page has is that of its cover. */
const COVERED = 8;
/** Minimum numbered lines; fewer may be those of a list. */
const MIN_NUMBERED = 2;
/** Maximum characters of a heading in a font of its own. */
const MAX_EMPHASIZED_LENGTH = 100;
/** Maximum share of lines in such a font; more are not headings. */
const MAX_EMPHASIZED = 0.2;
/** Minimum distance of a heading from the text above it, as a factor of the distance of lines. */
const APART = 1.2;
/** Maximum distance of its text below it, and to the right, in font sizes. */
const NEAR = { below: 3.5, right: 2 };

/** Returns the level of a heading; undefined for any other line. */
export type HeadingLevel = (line: PdfLine) => number | undefined;

/** Finds the headings of a document: the lines that its outline leads to, else those that look like headings. */
export function headingLevels(
  pages: readonly PdfLine[][],
  outline: readonly OutlineEntry[],
  isCode: (line: PdfLine) => boolean = () => false,
): HeadingLevel {
  const levels = new Map<PdfLine, number>();
  let found = 0;
  for (const [page, entries] of Map.groupBy(outline, (entry) => entry.page)) {
    const spelled = spelledOn((pages[page] ?? []).slice(0, MAX_ON_PAGE), new Set(entries.flatMap(({ title }) => titleKeys(title))));
    for (const entry of entries) {
      const heading = findHeading(entry, spelled, levels);
      if (heading) found++;
      for (const line of heading ?? []) levels.set(line, Math.min(entry.level, 6));
    }
  }
  return found >= MIN_OUTLINE ? (line) => levels.get(line) : detectHeadings(pages, isCode);
}

/** Lists the lines of a page that spell one of some titles, alone or with those below, by the keys of the titles. */
function spelledOn(lines: readonly PdfLine[], titles: ReadonlySet<string>): Map<string, PdfLine[][]> {
  const spelled = new Map<string, PdfLine[][]>();
  for (const i of lines.keys())
    for (let count = 1, text = '', begun = ['']; begun.length > 0 && count <= MAX_LINES && i + count <= lines.length; count++) {
      text = `${text} ${lines[i + count - 1]!.text}`.trim();
      // each line is a part of the title, and not a number that the key leaves out
      begun = titleKeys(text).filter(
        (key) => begun.some((part) => key.startsWith(part)) && titles.values().some((title) => title.startsWith(key)),
      );
      for (const key of begun) {
        if (!titles.has(key)) continue;
        const places = spelled.get(key) ?? [];
        spelled.set(key, places);
        places.push(lines.slice(i, i + count));
      }
    }
  return spelled;
}

/** Finds the lines that spell a title: the nearest below `top`, else those in the largest letters. Lines that are a heading already are left out. */
function findHeading(
  { title, top }: OutlineEntry,
  spelled: ReadonlyMap<string, readonly PdfLine[][]>,
  taken: ReadonlyMap<PdfLine, number>,
): PdfLine[] | undefined {
  const found = titleKeys(title).flatMap((key) => (spelled.get(key) ?? []).filter(([first]) => !taken.has(first!)));
  const below = found.filter(([first]) => top !== undefined && first!.y <= top + BELOW * first!.size);
  if (below.length > 0) return below.reduce((nearest, heading) => (heading[0]!.y > nearest[0]!.y ? heading : nearest));
  return found.reduce<PdfLine[] | undefined>(
    (best, heading) => (best && round(best[0]!.size) >= round(heading[0]!.size) ? best : heading),
    undefined,
  );
}

/** Lists the keys of a title: its letters, and those without its number. */
export const titleKeys = (title: string): string[] => [title, title.replace(NUMBER, '')].map(keyOf).filter((key) => key !== '');

/** The number of a heading: "3.1", "Chapter 2:", "IV", "Appendix B". */
const NUMBER = /^(?:\p{L}+\s)?(?:\d+(?:\.\d+)*|[A-Z](?:\.\d+)*|[IVXLC]+)[.:)]?\s+/u;

function keyOf(text: string): string {
  if (text.length > MAX_LENGTH) return '';
  const lower = text.toLowerCase();
  // oxlint-disable-next-line no-control-regex
  return /[^\x00-\x7f]/.test(lower)
    ? lower
        .normalize('NFKC')
        .toLowerCase()
        .replace(/[^\p{L}\p{N}]+/gu, '')
    : lower.replace(/[^a-z\d]+/g, '');
}

const round = (size: number): number => Math.round(size * 2) / 2;

const isLarge = (line: PdfLine, body: number): boolean =>
  round(line.size) >= body * HEADING_FACTOR && isTitle(line) && line.text.length <= MAX_LENGTH;

/** Whether a line is neither an item of a list nor a row of a form; a gap may follow the number of a title. */
const isTitle = ({ text, cells, ruled }: PdfLine): boolean =>
  !ruled && /\p{L}{2}/u.test(text) && !BULLET.test(text) && (cells.length < 2 || (cells.length === 2 && CELL_NUMBER.test(cells[0]!.text)));

const CELL_NUMBER = /^(?:\p{L}{1,20}\s)?(?:\d{1,3}(?:\.\d{1,3}){0,5}|[A-Z]|[IVXLC]{1,6})[.:)]?$/u;

/** The number of a subsection in front of its title: "2.1 Descaling", without a page number or the end of a sentence. */
const NUMBERED = /^(\d{1,2}(?:\.\d{1,2}){1,4})\.?\s+(?=\p{Lu})[^….!?;:]{2,80}$/u;
const PAGE_END = /\s\d{1,4}$/;

/** Returns the depth of the section whose numbered title a line is; undefined for any other line. */
function depthOf({ text }: PdfLine): number | undefined {
  const number = PAGE_END.test(text) ? undefined : NUMBERED.exec(text)?.[1];
  return number?.split('.').length;
}

/** Detects headings by their larger letters, the number of their section, or a font of their own. */
function detectHeadings(pages: readonly PdfLine[][], isCode: (line: PdfLine) => boolean): HeadingLevel {
  const lines = pages.flat();
  const body = usualSize(lines, round);
  const sizes = headingSizes(pages, body);
  const numbered = new Set(lines.filter((line) => line.cells.length === 1 && round(line.size) === body && depthOf(line) !== undefined));
  const isNumbered = (line: PdfLine): boolean => numbered.size >= MIN_NUMBERED && numbered.has(line);
  const emphasized = emphasizedTitles(pages, { body, isCode });
  return (line) => {
    if (isLarge(line, body)) return Math.min(LEVELS, sizes.findIndex((size) => size <= round(line.size)) + 1 || sizes.length);
    if (isNumbered(line)) return Math.min(6, Math.max(sizes.length + 1, depthOf(line)!));
    return emphasized.has(line) ? Math.min(LEVELS, sizes.length) + 1 : undefined;
  };
}

/** Lists the font sizes of headings, the largest first. */
function headingSizes(pages: readonly PdfLine[][], body: number): number[] {
  const counts = new Map<number, number>();
  for (const lines of pages)
    for (const size of new Set(lines.flatMap((line) => (isLarge(line, body) ? [round(line.size)] : []))))
      counts.set(size, (counts.get(size) ?? 0) + 1);
  const repeated = [...counts].filter(([, count]) => pages.length < COVERED || count > 1).map(([size]) => size);
  return (repeated.length > 0 ? repeated : [...counts.keys()]).toSorted((a, b) => b - a);
}

/** The end of a sentence, or the beginning of a caption. */
const NOT_TITLE = /[.,;:!…]$|^(?:fig|tab|abb|listing|example|beispiel|source|quelle|note)/i;

/** Finds the titles in letters of the text's size, but in another font (bold), that stand alone above their text. */
function emphasizedTitles(
  pages: readonly PdfLine[][],
  { body, isCode }: { body: number; isCode: (line: PdfLine) => boolean },
): ReadonlySet<PdfLine> {
  const usual = usualFont(pages.flat());
  const groups = new Map<number, PdfLine[]>();
  for (const lines of pages) {
    for (const [i, line] of lines.entries()) {
      const font = fontOf(line);
      const isOther = font !== undefined && font !== usual && round(line.size) >= body && round(line.size) < body * HEADING_FACTOR;
      if (!isOther || !mayBeTitle(line) || isCode(line) || !standsAlone(lines, i)) continue;
      groups.set(round(line.size), [...(groups.get(round(line.size)) ?? []), line]);
    }
  }
  const most = MAX_EMPHASIZED * pages.reduce((sum, lines) => sum + lines.length, 0);
  const [first] = pages.find((lines) => lines.length > 0) ?? [];
  const isKnown = (lines: readonly PdfLine[]): boolean => (lines.length >= MIN_NUMBERED && lines.length <= most) || lines[0] === first;
  return new Set([...groups.values()].flatMap((lines) => (isKnown(lines) ? lines : [])));
}

const mayBeTitle = (line: PdfLine): boolean =>
  isTitle(line) && line.text.length <= MAX_EMPHASIZED_LENGTH && /^[\p{Lu}\p{Lo}\d]/u.test(line.text) && !NOT_TITLE.test(line.text);

/** Whether a line has a gap above it, and text in another font close below it. */
function standsAlone(lines: readonly PdfLine[], i: number): boolean {
  const [before, line, next] = [lines[i - 1], lines[i]!, lines[i + 1]];
  if (!next || fontOf(next) === fontOf(line)) return false;
  const down = line.y - next.y;
  const isAbove = down > 0 && down <= NEAR.below * line.size && Math.abs(next.x - line.x) <= NEAR.right * line.size;
  const isApart = !before || before.y < line.y || before.y - line.y > APART * Math.max(line.size * 1.1, Math.min(down, 1.6 * line.size));
  return isAbove && isApart;
}

/** Returns the font of a line, if it has only one. */
function fontOf({ runs }: PdfLine): string | undefined {
  const [first, ...others] = runs.filter(({ text }) => text.trim() !== '');
  return others.every(({ font }) => font === first?.font) ? first?.font : undefined;
}

/** Finds the title on the first page with text: the lines in its largest letters, if those are larger than the text's. */
export function titleOnFirstPage(pages: readonly PdfLine[][]): string | undefined {
  const body = usualSize(pages.flat(), round);
  const page = pages.find((lines) => lines.length > 0) ?? [];
  const largest = page.reduce((most, line) => (isLarge(line, body) ? Math.max(most, round(line.size)) : most), 0);
  const isOf = (line: PdfLine | undefined): boolean => line !== undefined && isLarge(line, body) && round(line.size) === largest;
  const begin = page.findIndex(isOf);
  const end = page.findIndex((line, i) => i > begin && !isOf(line));
  const title = page.slice(begin, end < 0 ? undefined : end).map(({ text }) => text);
  return begin >= 0 && title.join(' ').length <= MAX_LENGTH ? title.join(' ') : undefined;
}
