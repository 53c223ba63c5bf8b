import { BULLET, type Cell, NUMBER, type PdfLine, type PdfRun, usualFont } from './pdf-lines.ts';
import { WRAPPED_STEP } from './pdf-tables.ts';
import { SENTENCE_END } from './pdf-wrapping.ts';

/** Maximum distance of a text from the beginning of its label, in font sizes; the first column of a table is wider. */
const HANGING = 6;
/** Minimum labels with wrapped text that show how far text is indented. */
const MIN_LABELS = 2;
/** Maximum labels of one text that stand below one another. */
const MAX_ABOVE = 5;

/** A label, and the first line of its text. */
interface LabelledText {
  label: string;
  lines: PdfLine[];
}

interface Option extends LabelledText {
  /** Lines with further labels above the first line. */
  above: number;
}

/** The labels of a document: options, or terms with their definitions. */
export interface Labels {
  /** Puts the label of a line into a cell of its own, also if the text stands close behind it, in another font. */
  split(line: PdfLine): PdfLine;
  /** Whether a line begins with a label. */
  begins(line: PdfLine): boolean;
  /** Whether a line is a label whose text begins in the line below. */
  isAbove(line: PdfLine, next: PdfLine | undefined): boolean;
  /** Reads the labels in a font of their own that begin at a line, and the first line of their text. */
  optionAt(lines: readonly PdfLine[], start: number): Option | undefined;
}

/** Detects the labels of a document by the indentation of their text: that of lines whose text is wrapped under itself. */
export function detectLabels(pages: readonly PdfLine[][]): Labels {
  const hanging = new Map<number, number>();
  /** Fonts of labels alone. */
  const fonts = new Set<string>();
  const isKnown = (points: number): boolean => (hanging.get(points) ?? 0) >= MIN_LABELS;
  const all = usualFont(pages.flat());
  for (const lines of pages) {
    const usual = new Set([all, usualFont(lines)]);
    for (const [i, line] of lines.entries())
      if (isHanging(line) && isNext(line, lines[i + 1]) && Math.abs(lines[i + 1]!.x - line.cells[1]!.x) < 1) {
        hanging.set(hangOf(line), (hanging.get(hangOf(line)) ?? 0) + 1);
        if (!usual.has(fontAt(line))) fonts.add(fontAt(line));
      }
  }
  const begins = (line: PdfLine): boolean => isHanging(line) && isKnown(hangOf(line));
  /** Whether a line begins with the text of a label: below it, or behind another label in its font. */
  const hasText = (label: PdfLine, next: PdfLine): boolean => {
    const font = fontAt(label);
    if (begins(next)) return Math.abs(next.x - label.x) < 1 && fontAt(next) === font && fontAt(next, next.cells[1]!.x) !== font;
    return isKnown(Math.round(next.x - label.x)) && fontAt(next) !== font;
  };
  return {
    split: (line) => {
      if (line.cells.length > 1 || !fonts.has(fontAt(line))) return line;
      const text = inkedRuns(line).findIndex((run) => isKnown(Math.round(run.x - line.x)));
      return text > 0 ? splitAtRun(line, text) : line;
    },
    begins,
    isAbove: (line, next) => isLabel(line) && isNext(line, next) && isKnown(Math.round(next.x - line.x)),
    optionAt: (lines, start) => {
      for (let i = start; i < start + MAX_ABOVE; i++) {
        const [line, next] = [lines[i], lines[i + 1]];
        if (!line || !next || !isLabel(line) || !fonts.has(fontAt(line)) || next.ruled || !isClose(line, next)) return undefined;
        if (hasText(line, next)) return { ...joinLabels(lines.slice(start, i + 1), next, begins(next)), above: i + 1 - start };
        if (Math.abs(next.x - line.x) >= 1 || fontAt(next) !== fontAt(line)) return undefined;
      }
      return undefined;
    },
  };
}

const isLabel = ({ cells, text, ruled }: PdfLine): boolean =>
  !ruled && cells.length === 1 && !SENTENCE_END.test(text) && !BULLET.test(text) && !NUMBER.test(text);

const isClose = (line: PdfLine, next: PdfLine): boolean => line.y > next.y && line.y - next.y <= WRAPPED_STEP * line.size;

const isNext = (line: PdfLine, next: PdfLine | undefined): next is PdfLine => next?.cells.length === 1 && isClose(line, next);

const hangOf = ({ cells }: PdfLine): number => Math.round(cells[1]!.x - cells[0]!.x);

const isHanging = (line: PdfLine): boolean =>
  line.cells.length === 2 && hangOf(line) <= HANGING * line.size && !BULLET.test(line.text) && !NUMBER.test(line.text);

const inkedRuns = ({ runs }: PdfLine): PdfRun[] => runs.filter(({ text }) => text.trim() !== '').toSorted((a, b) => a.x - b.x);

/** Returns the font of the first letters of a line, or of those from a place on. */
const fontAt = (line: PdfLine, from = line.x): string => inkedRuns(line).find(({ x }) => x >= from - 1)?.font ?? '';

/** Splits a line into two cells before one of its runs, if that is in another font. */
function splitAtRun(line: PdfLine, at: number): PdfLine {
  const runs = inkedRuns(line);
  const [first, text] = [runs[0]!, runs[at]!];
  const letters = runs.slice(0, at).flatMap((run) => run.text.match(/\S/g) ?? []).length;
  const end = new RegExp(`(?:\\s*\\S){${letters}}`).exec(line.text)?.[0].length ?? line.text.length;
  if (text.font === first.font || !/^\s/.test(line.text.slice(end))) return line;
  const cells = [
    { text: line.text.slice(0, end), x: line.x, right: runs[at - 1]!.right },
    { text: line.text.slice(end).trim(), x: text.x, right: line.right },
  ];
  return { ...line, cells };
}

/** Joins the labels of a text. The first line of the text is `next`, without the last label that it may begin with. */
export function joinLabels(above: readonly PdfLine[], next: PdfLine, hasLabel: boolean): LabelledText {
  const labels = above.map(({ text }) => text);
  if (!hasLabel) return { label: labels.join(', '), lines: [next] };
  const [label, text] = next.cells as [Cell, Cell];
  return { label: [...labels, label.text].join(', '), lines: [{ ...next, ...text, cells: [text] }] };
}
