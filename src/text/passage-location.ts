import type { Location, Mark, PassageAnchor, PassageBox } from '../schema/items.ts';
import { newlinesIn } from '@citekb/documents/markdown';

/** Kinds of files whose pages are slides. */
const SLIDES = /^(?:pptx|odp)$/;

/** Writes a location for people: `page 4`, `sheet Prices, rows 12–18`, `Maintenance › Filter, lines 20–24`. */
export function locationText(location: Location = {}, file_type?: unknown): string {
  const { member, page, page_end, sheet, row_start, row_end, headings, line_start, line_end, anchor, time_start, time_end } = location;
  const range = (name: string, from: number | undefined, to: number | undefined) =>
    from === undefined ? undefined : to === undefined || to === from ? `${name} ${from}` : `${name}s ${from}–${to}`;
  const parts = [
    member,
    headings?.filter((heading) => heading !== sheet).join(' › ') || undefined, // a sheet is named once
    range(SLIDES.test(String(file_type)) ? 'slide' : 'page', page, page_end),
    sheet === undefined ? undefined : `sheet ${sheet}`,
    range('row', row_start, row_end),
    row_start === undefined ? range('line', line_start, line_end) : undefined,
    anchor === undefined ? undefined : `#${anchor}`,
    time_start === time_end ? time_start : `${time_start}–${time_end}`,
  ];
  return parts.filter((part) => part !== undefined).join(', ');
}

/** Whether a part of a passage is on a page. */
export const isOnPage = ({ page, page_end = page }: Location, wanted: number): boolean =>
  page !== undefined && page_end !== undefined && page <= wanted && wanted <= page_end;

/** Counts the pages of ranges such as `2-5, 9`. */
export const pagesIn = (ranges: string): number =>
  ranges.split(', ').reduce((sum, range) => {
    const [first = 0, last = first] = range.split('-').map(Number);
    return sum + last - first + 1;
  }, 0);

/** Maximum number of rectangles of a passage. */
const MAX_BOXES = 8;

/** The rectangle around two rectangles of one page, with the first line of the first. */
function joinBoxes(one: PassageBox, other: PassageBox): PassageBox {
  const [left, top] = [Math.min(one.left, other.left), Math.min(one.top, other.top)];
  const right = Math.max(one.left + one.width, other.left + other.width);
  const bottom = Math.max(one.top + one.height, other.top + other.height);
  return { ...one, left, top, width: roundShare(right - left), height: roundShare(bottom - top) };
}

const roundShare = (share: number): number => Math.round(share * 1000) / 1000;

/** Reduces rectangles to `MAX_BOXES`: joins successive ones of one page that add the least area. */
export function limitBoxes(boxes: readonly PassageBox[]): PassageBox[] {
  const few = [...boxes];
  while (few.length > MAX_BOXES) {
    const waste = few.slice(1).map((box, i) => (box.page === few[i]!.page ? addedArea(few[i]!, box) : Number.POSITIVE_INFINITY));
    const at = waste.indexOf(Math.min(...waste));
    if (waste[at] === Number.POSITIVE_INFINITY) return few.slice(0, MAX_BOXES);
    few.splice(at, 2, joinBoxes(few[at]!, few[at + 1]!));
  }
  return few;
}

const areaOf = ({ width, height }: PassageBox): number => width * height;

/** The area that is added if two rectangles are joined. */
const addedArea = (one: PassageBox, other: PassageBox): number => areaOf(joinBoxes(one, other)) - areaOf(one) - areaOf(other);

/** The rectangles that contain these lines of a passage, counted from 0; all if none does. */
export function boxesOfLines(boxes: readonly PassageBox[], ranges: readonly (readonly [first: number, last: number])[]): PassageBox[] {
  const own = boxes.filter(({ line = 1 }) => {
    const next = boxes.find((other) => (other.line ?? 1) > line)?.line ?? Number.POSITIVE_INFINITY;
    return ranges.some(([first, last]) => last + 1 >= line && first + 1 < next);
  });
  return own.length > 0 ? own : [...boxes];
}

/** The offsets of a piece of a text, and what precedes it in its passage, such as the repeated head of a table. */
interface PieceRange {
  from: number;
  end: number;
  opening: string;
}

/** Lists the anchors of a piece by the marks in it. Empty if the anchor at its start is its only one. */
export function anchorsIn(text: string, marks: readonly Mark[], { from, end, opening }: PieceRange): PassageAnchor[] {
  const anchors: PassageAnchor[] = [];
  const first = 1 + newlinesIn(opening);
  let [line, reached] = [first, from];
  for (const { at, anchor } of marks) {
    if (at >= end) break;
    if (anchor === undefined || anchor === anchors.at(-1)?.anchor) continue;
    const start = Math.max(from, at);
    line += newlinesIn(text.slice(reached, start));
    reached = start;
    anchors.push({ line, anchor });
  }
  return anchors.length === 1 && anchors[0]!.line === first ? [] : anchors;
}

/** Finds the anchor that covers a line of a passage, counted from 0. */
export const anchorOfLine = (anchors: readonly PassageAnchor[], line: number): string | undefined =>
  anchors.findLast((covering) => covering.line <= line + 1)?.anchor;

/** Locates a piece of a text on its pages by the marks in it: one rectangle for each block and column. */
export function boxesIn(text: string, marks: readonly Mark[], { from, end, opening }: PieceRange): PassageBox[] {
  const boxes: PassageBox[] = [];
  let [line, reached] = [1 + newlinesIn(opening), from];
  for (const [i, { at, page, boxes: own }] of marks.entries()) {
    const start = Math.max(from, at);
    if (page === undefined || !own || text.slice(start, Math.min(end, marks[i + 1]?.at ?? end)).trim() === '') continue;
    const passed = text.slice(reached, start);
    line += newlinesIn(passed);
    reached = start;
    const isNewBlock = /\n\s*\n/.test(passed);
    for (const box of own) {
      const placed = { page, ...box, ...(line > 1 ? { line } : {}) };
      const before = boxes.at(-1);
      if (before && !isNewBlock && isBelow(before, placed)) boxes[boxes.length - 1] = joinBoxes(before, placed);
      else boxes.push(placed);
    }
  }
  return limitBoxes(boxes);
}

/** Whether a rectangle stands below another in the same column. */
const isBelow = (one: PassageBox, other: PassageBox): boolean =>
  one.page === other.page && other.top >= one.top && other.left < one.left + one.width && other.left + other.width > one.left;
