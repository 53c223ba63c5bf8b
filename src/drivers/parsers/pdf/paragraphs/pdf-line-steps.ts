import type { PdfLine } from '../pdf-lines.ts';

/** A step down that is larger than the usual one by this factor begins a paragraph. */
export const PARAGRAPH_STEP = 1.25;

/** How far below a line the next one of its text stands, in points. */
export type LineStep = (line: PdfLine) => number;

/** Lines of text stand at least this far apart, in font sizes. */
const LEADING = 1.2;
/** Fewer lines of one size do not tell how far apart they stand. */
const LEAST_STEPS = 3;
/** Of the steps this share is from line to line, not to the next paragraph or item. */
const MOST_APART = 1 / 3;

/** How far apart the lines of a page stand: those of each size, as code and notes stand closer than text does. */
export function usualSteps(lines: readonly PdfLine[]): LineStep {
  const steps = lines.slice(1).flatMap((line, i) => {
    const [before, step] = [lines[i]!, lines[i]!.y - line.y];
    return step > 0 && step < 3 * before.size ? [{ step, size: sizeKey(before) === sizeKey(line) ? sizeKey(line) : undefined }] : [];
  });
  const sorted = steps.map(({ step }) => step).toSorted((a, b) => a - b);
  const all = closestStep(steps) ?? sorted[steps.length >> 1] ?? Number.POSITIVE_INFINITY;
  const own = new Map([...Map.groupBy(steps, ({ size }) => size)].map(([size, some]) => [size, closestStep(some)]));
  return (line) => own.get(sizeKey(line)) ?? Math.max(all, LEADING * line.size);
}

const sizeKey = ({ size }: PdfLine): number => Math.round(size * 10);

/** The smallest step that many others are about as large as. */
function closestStep(steps: readonly { step: number }[]): number | undefined {
  const sorted = steps.map(({ step }) => step).toSorted((a, b) => a - b);
  let end = 0;
  for (const [i, step] of sorted.entries()) {
    while (end < sorted.length && sorted[end]! <= PARAGRAPH_STEP * step) end++;
    if (end - i >= Math.max(LEAST_STEPS, MOST_APART * sorted.length)) return sorted[(i + end - 1) >> 1];
  }
  return undefined;
}
