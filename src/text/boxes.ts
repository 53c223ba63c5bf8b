import type { PassageBox } from '../schema/items.ts';

/** Rectangles of one passage. */
const MOST_BOXES = 8;

/** The rectangle around two of one page; its text begins where that of the first does. */
export function joinBoxes(one: PassageBox, other: PassageBox): PassageBox {
  const [left, top] = [Math.min(one.left, other.left), Math.min(one.top, other.top)];
  const right = Math.max(one.left + one.width, other.left + other.width);
  const bottom = Math.max(one.top + one.height, other.top + other.height);
  return { ...one, left, top, width: rounded(right - left), height: rounded(bottom - top) };
}

const rounded = (share: number): number => Math.round(share * 1000) / 1000;

/** As few rectangles as a passage may have: of more, those are joined that stand one after another on a page and take the least room together. */
export function limitBoxes(boxes: readonly PassageBox[]): PassageBox[] {
  const few = [...boxes];
  while (few.length > MOST_BOXES) {
    const waste = few.slice(1).map((box, i) => (box.page === few[i]!.page ? addedArea(few[i]!, box) : Number.POSITIVE_INFINITY));
    const at = waste.indexOf(Math.min(...waste));
    if (waste[at] === Number.POSITIVE_INFINITY) return few.slice(0, MOST_BOXES);
    few.splice(at, 2, joinBoxes(few[at]!, few[at + 1]!));
  }
  return few;
}

const areaOf = ({ width, height }: PassageBox): number => width * height;

/** How much more room two rectangles take as one. */
const addedArea = (one: PassageBox, other: PassageBox): number => areaOf(joinBoxes(one, other)) - areaOf(one) - areaOf(other);

/** The rectangles that hold these lines of a passage, counted from 0; all of them where none does. */
export function boxesOfLines(boxes: readonly PassageBox[], ranges: readonly (readonly [first: number, last: number])[]): PassageBox[] {
  const own = boxes.filter(({ line = 1 }) => {
    const next = boxes.find((other) => (other.line ?? 1) > line)?.line ?? Number.POSITIVE_INFINITY;
    return ranges.some(([first, last]) => last + 1 >= line && first + 1 < next);
  });
  return own.length > 0 ? own : [...boxes];
}
