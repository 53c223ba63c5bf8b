import type { HeadingLevel } from './pdf-headings.ts';
import { detectSmallLines, type PdfLine } from './pdf-lines.ts';
import { SENTENCE_END } from './pdf-wrapping.ts';

/** Minimum lines in two halves that may be two columns of text. */
const MIN_LINES = 6;
/** Minimum average characters of lines of text; cells of a table are shorter. */
const MIN_LENGTH = 22;
/** Maximum distance between the beginnings of the lines of a column, in font sizes. */
const ALIGNED = 1.5;
/** Minimum share of the lines of a text that go on in the middle of a sentence. */
const FLOWING = 0.4;

/** Orders two columns of text that are drawn line by line across both: one column after the other. Other lines stay as they are. */
export function separateColumns(lines: readonly PdfLine[]): PdfLine[] {
  const ordered: PdfLine[] = [];
  for (let i = 0; i < lines.length;) {
    const halves = halvesAt(lines, i);
    if (halves.length < MIN_LINES || !isFlowing(halves, 0) || !isFlowing(halves, 1)) ordered.push(...lines.slice(i, i + halves.length));
    else ordered.push(...halves.map((line) => cutHalf(line, 0)), ...halves.flatMap((line) => (line.cells[1] ? [cutHalf(line, 1)] : [])));
    i += halves.length;
  }
  return ordered;
}

/** Returns the lines from `start` on that may be two columns: their second halves begin at one place. At least one line. */
function halvesAt(lines: readonly PdfLine[], start: number): PdfLine[] {
  const [first, second] = lines[start]!.cells;
  if (!second) return [lines[start]!];
  let end = start + 1;
  const isAt = (x: number | undefined, edge: number, size: number) => x !== undefined && Math.abs(x - edge) <= ALIGNED * size;
  for (; end < lines.length; end++) {
    const { cells, size, y } = lines[end]!;
    if (cells.length > 2 || y >= lines[end - 1]!.y || !isAt(cells[0]?.x, first!.x, size)) break;
    if (cells[1] ? !isAt(cells[1].x, second.x, size) : cells[0]!.right > second.x) break;
  }
  return lines.slice(start, end);
}

/** Whether the cells of one half are lines of text rather than a column of a table. */
function isFlowing(lines: readonly PdfLine[], column: 0 | 1): boolean {
  const texts = lines.flatMap(({ cells }) => cells[column]?.text ?? []);
  const length = texts.reduce((sum, text) => sum + text.length, 0);
  const flowing = texts.filter((text, i) => i > 0 && /^\p{Ll}/u.test(text) && !/[.!?:]$/.test(texts[i - 1]!));
  return texts.length >= MIN_LINES && length >= MIN_LENGTH * texts.length && flowing.length >= FLOWING * texts.length;
}

function cutHalf(line: PdfLine, column: 0 | 1): PdfLine {
  const cell = line.cells[column]!;
  return { ...line, ...cell, cells: [cell], runs: line.runs.filter(({ x, right }) => x < cell.right && right > cell.x) };
}

/** Lines drawn one below the other. */
interface Stack {
  lines: PdfLine[];
  isHeading: boolean;
  left: number;
  right: number;
  top: number;
  bottom: number;
}

/** Maximum stacks of a page of text. */
const MAX_STACKS = 300;
/** Maximum distance of the lines of a stack, in font sizes. */
const FARTHEST = 2.5;

/** Orders the lines of a page for reading. Small print at the foot of a column that interrupts a sentence comes last. */
export function sortForReading(drawn: readonly PdfLine[], levelOf: HeadingLevel): PdfLine[] {
  const lines = moveHeadingsFirst(drawn, levelOf);
  const isSmall = detectSmallLines(lines);
  const last = new Set<PdfLine>();
  for (const [i, line] of lines.entries()) {
    const before = lines[i - 1];
    if (!before || isSmall(before) || !isSmall(line) || line.y >= before.y || SENTENCE_END.test(before.text)) continue;
    let end = i + 1; // of the small lines
    while (end < lines.length && isSmall(lines[end]!)) end++;
    const next = lines[end];
    if (next && next.y > before.y && /^\p{Ll}/u.test(next.text)) for (const small of lines.slice(i, end)) last.add(small);
  }
  return [...lines.filter((line) => !last.has(line)), ...last];
}

/** Orders the lines of a page whose headings are drawn after the text below them: each stack behind those above it. */
function moveHeadingsFirst(lines: readonly PdfLine[], levelOf: HeadingLevel): PdfLine[] {
  const stacks = stacksOf(lines, levelOf);
  if (stacks.length > MAX_STACKS) return [...lines];
  const isLate = stacks.some((stack, i) => stack.isHeading && stacks.slice(0, i).some((before) => isAbove(stack, before)));
  if (!isLate) return [...lines];
  const ordered = new Set<Stack>();
  const visit = (stack: Stack): void => {
    for (const other of stacks) if (!ordered.has(other) && other !== stack && isAbove(other, stack)) visit(other);
    ordered.add(stack);
  };
  for (const stack of stacks) visit(stack);
  return [...ordered].flatMap((stack) => stack.lines);
}

const isAbove = (one: Stack, other: Stack): boolean => one.bottom > other.top && one.left < other.right && one.right > other.left;

function stacksOf(lines: readonly PdfLine[], levelOf: HeadingLevel): Stack[] {
  const stacks: Stack[] = [];
  for (const line of lines) {
    const [stack, isHeading] = [stacks.at(-1), levelOf(line) !== undefined];
    const isNext =
      stack !== undefined &&
      isHeading === stack.isHeading &&
      line.y <= stack.bottom &&
      stack.bottom - line.y <= FARTHEST * line.size &&
      line.x < stack.right &&
      line.right > stack.left;
    if (!isNext) stacks.push({ lines: [line], isHeading, left: line.x, right: line.right, top: line.y, bottom: line.y });
    else {
      stack.lines.push(line);
      Object.assign(stack, { left: Math.min(stack.left, line.x), right: Math.max(stack.right, line.right), bottom: line.y });
    }
  }
  return stacks;
}
