import { BULLET, NUMBER, type PdfLine, type PdfRun } from '../pdf-lines.ts';
import { WRAPPED_STEP } from '../pdf-tables.ts';
import { usualFont } from '../pdf-usual.ts';
import { SENTENCE_END } from '../pdf-wrapping.ts';

/** A label stands in front of its text by at most this much, in font sizes: a table's first column is wider. */
const HANGING = 6;
/** So many labels whose text is wrapped under itself tell how far labels stand in front. */
const LEAST_LABELS = 2;
/** Labels of one text that stand below one another, at most. */
const MOST_ABOVE = 5;

/** The text behind labels, by its first line. */
interface LabelledText {
  label: string;
  lines: PdfLine[];
}

interface Option extends LabelledText {
  /** Lines with labels above that one. */
  above: number;
}

/** Which labels a document has: options, or terms with their definitions. */
export interface Labels {
  /** A line with its label in a cell of its own, also where the text stands close behind it, in another font. */
  divided(line: PdfLine): PdfLine;
  /** Whether a line begins with one. */
  begins(line: PdfLine): boolean;
  /** Whether a line is one, and its text begins with the line below it. */
  isAbove(line: PdfLine, next: PdfLine | undefined): boolean;
  /** What is said of the labels in a font of their own that stand from a line on, above the line that their text begins with. */
  optionAt(lines: readonly PdfLine[], start: number): Option | undefined;
}

/** Tells the labels of a document by how far their text hangs behind them, as that of lines does whose text is wrapped under itself. */
export function labelsOf(pages: readonly PdfLine[][]): Labels {
  const hanging = new Map<number, number>();
  /** Those of labels alone. */
  const fonts = new Set<string>();
  const isKnown = (points: number): boolean => (hanging.get(points) ?? 0) >= LEAST_LABELS;
  const all = usualFont(pages);
  for (const lines of pages) {
    const usual = new Set([all, usualFont([lines])]);
    for (const [i, line] of lines.entries())
      if (isHanging(line) && isNext(line, lines[i + 1]) && Math.abs(lines[i + 1]!.x - line.cells[1]!.x) < 1) {
        hanging.set(hangOf(line), (hanging.get(hangOf(line)) ?? 0) + 1);
        if (!usual.has(fontAt(line))) fonts.add(fontAt(line));
      }
  }
  const begins = (line: PdfLine): boolean => isHanging(line) && isKnown(hangOf(line));
  /** Whether a line begins with the text of a label in this font: below it, or behind another label. */
  const isTextOf = (label: PdfLine, next: PdfLine): boolean => {
    const font = fontAt(label);
    if (begins(next)) return Math.abs(next.x - label.x) < 1 && fontAt(next) === font && fontAt(next, next.cells[1]!.x) !== font;
    return isKnown(Math.round(next.x - label.x)) && fontAt(next) !== font;
  };
  return {
    divided: (line) => {
      const text =
        line.cells.length === 1 && fonts.has(fontAt(line)) ? inkedRuns(line).findIndex((run) => isKnown(Math.round(run.x - line.x))) : -1;
      return text > 0 ? dividedAt(line, text) : line;
    },
    begins,
    isAbove: (line, next) => isLabel(line) && isNext(line, next) && isKnown(Math.round(next.x - line.x)),
    optionAt: (lines, start) => {
      for (let i = start; i < start + MOST_ABOVE; i++) {
        const [line, next] = [lines[i], lines[i + 1]];
        if (!line || !next || !isLabel(line) || !fonts.has(fontAt(line)) || next.ruled || !isClose(line, next)) return undefined;
        if (isTextOf(line, next)) return { ...textBehind(lines.slice(start, i + 1), next, begins(next)), above: i + 1 - start };
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

/** The font of a line's first letters, or of those from a place on. */
const fontAt = (line: PdfLine, from = line.x): string => inkedRuns(line).find(({ x }) => x >= from - 1)?.font ?? '';

/** A line whose runs from one on are its second cell, if these are in another font. */
function dividedAt(line: PdfLine, at: number): PdfLine {
  const runs = inkedRuns(line);
  const [first, text] = [runs[0]!, runs[at]!];
  const label = runs.slice(0, at).map((run) => run.text.trim()).join(' '); // prettier-ignore
  const { length } = label.replace(/\s+/g, '');
  let end = 0;
  for (let letters = 0; letters < length && end < line.text.length; end++) if (/\S/.test(line.text[end]!)) letters++;
  if (text.font === first.font || !/^\s/.test(line.text.slice(end))) return line;
  const cells = [
    { text: line.text.slice(0, end), x: line.x, right: runs[at - 1]!.right },
    { text: line.text.slice(end).trim(), x: text.x, right: line.right },
  ];
  return { ...line, cells };
}

/** A labelled line without its label. */
const unlabelled = (line: PdfLine): PdfLine => ({ ...line, ...line.cells[1]!, cells: line.cells.slice(1) });

/** Labels as one, and the first line of their text: `next`, or what stands there behind a last label. */
export function textBehind(above: readonly PdfLine[], next: PdfLine, isLast: boolean): LabelledText {
  const labels = [...above.map(({ text }) => text), ...(isLast ? [next.cells[0]!.text] : [])];
  return { label: labels.join(', '), lines: [isLast ? unlabelled(next) : next] };
}
