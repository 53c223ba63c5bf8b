import type { Mark, PassageBox } from '../../schema/items.ts';
import { limitBoxes, joinBoxes } from '../../text/boxes.ts';
import { newlinesIn } from '../../text/markdown/lines.ts';
import type { Piece } from './pack.ts';

/** Where a piece of a text stands on its pages, by the marks that hold in it: one rectangle of each block and column. */
export function boxesIn(text: string, marks: readonly Mark[], { from, end, opening }: Piece): PassageBox[] {
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
