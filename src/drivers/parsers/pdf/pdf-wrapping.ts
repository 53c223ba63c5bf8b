import { LEADER, type PdfLine } from './pdf-lines.ts';
import { areUnspaced, firstWordWidth, type WordMender } from './pdf-words.ts';

/** The end of a sentence. */
export const SENTENCE_END = /[.!?:;…。！？]["'”’)\]]*$/;

/** The end of a line of a program. */
const STATEMENT_END = /[;{}]$/;
/** A line that is shorter than this share of the widest around it ends on purpose. */
const FULL = 0.8;

/** Wrapped lines stand this close, in font sizes. */
const NEXT_LINE = 1.8;

/** Whether a line reaches so far that its text goes on in the next one; the last of a page by its width alone. */
type FullLine = (line: PdfLine, next?: PdfLine) => boolean;

/** How the lines of a paragraph are joined. */
export interface JoinOptions {
  isFull: FullLine;
  mendWord: WordMender;
}

/** So many pairs of lines tell how wide a column of text is. */
const LEAST_PAIRS = 4;
/** A column of so many font sizes is one of text. */
const LEAST_WIDTH = 16;
/** In a column of text this share of the lines ends where the next word has no room. */
const MOST_LINES = 0.6;
/** So large a share of them goes on in the middle of a sentence. */
const FLOWING = 0.4;
/** Wider lines that are looked at: few reach across the columns of a page. */
const MOST_ACROSS = 20;

/** Tells the full lines of a page by the widest ones, and by those that begin where they do: in a column, the next word had no room. */
export function detectFullLines(lines: readonly PdfLine[]): FullLine {
  const width = lines.reduce((most, { x, right }) => Math.max(most, right - x), 0);
  const edge = lines.reduce((most, { right }) => Math.max(most, right), 0);
  const columns = Map.groupBy(lines, ({ x }) => Math.round(x));
  const edges = new Map(Array.from(columns, ([x, all]) => [x, columnEdge(all)]));
  return (line, next) => {
    const long = line.right - line.x;
    if (long >= FULL * width) return true;
    const own = edges.get(Math.round(line.x)) ?? 0;
    if (!next) return own > 0 && long >= FULL * (own - line.x);
    const columnar = own || (edges.get(Math.round(next.x)) ?? 0); // a first line may be indented
    const isWrapped = neededEdge(line, next) > columnar && long >= FULL * (columnar - Math.max(line.x, next.x));
    if (columnar > 0 && isWrapped && !STATEMENT_END.test(line.text)) return true;
    return Math.abs(line.x - next.x) < 1 && line.right >= edge - (1 - FULL) * width;
  };
}

/** How far a line would reach with the first word of the next one. */
const neededEdge = (line: PdfLine, next: PdfLine): number => line.right + next.size / 4 + firstWordWidth(next);

/** How far right the column reaches that lines beginning at one place are wrapped in; 0 where most of them end where they like. */
function columnEdge(lines: readonly PdfLine[]): number {
  const [first] = lines as [PdfLine];
  const pairs = lines.slice(1).flatMap((next, i) => {
    const line = lines[i]!;
    const isNext = line.y > next.y && line.y - next.y < NEXT_LINE * next.size;
    const isFlowing = /^[\p{Ll}\p{Lo}]/u.test(next.text) && !SENTENCE_END.test(line.text);
    return isNext ? [{ right: line.right, needed: neededEdge(line, next), isFlowing }] : [];
  });
  const isColumn = (edge: number): boolean => {
    const within = pairs.filter(({ right }) => right <= edge);
    const wrapped = within.filter(({ needed, right }) => needed > edge && right - first.x >= FULL * (edge - first.x));
    const flowing = wrapped.filter(({ isFlowing }) => isFlowing);
    return (
      within.length >= Math.max(LEAST_PAIRS, MOST_LINES * pairs.length) &&
      wrapped.length >= MOST_LINES * within.length &&
      flowing.length >= FLOWING * within.length
    );
  };
  const edges = lines.map(({ right }) => right).toSorted((a, b) => b - a);
  return edges.slice(0, MOST_ACROSS).find((edge) => edge - first.x >= LEAST_WIDTH * first.size && isColumn(edge)) ?? 0;
}

/** A paragraph that goes on this much further up, in font sizes, does so in the next column. */
const COLUMN_JUMP = 3;

/** What the lines of a list of codes begin with: «E07», «F-11». */
const CODE = /^(\p{Lu}{1,4})[-.]?\d{1,5}(?=\s|$)/u;

/** Whether a line is an entry of a list of codes: the one before or behind it begins with a code of the same letters. */
function isCodeEntry(lines: readonly PdfLine[], i: number): boolean {
  const [before, own, next] = [i - 1, i, i + 1].map((at) => CODE.exec(lines[at]?.text ?? '')?.[1]);
  return own !== undefined && (own === before || own === next);
}

/** One line where the lines were full; a line that ended on purpose stays one, and so does what stands in columns. */
export function joinLines(lines: readonly PdfLine[], { isFull, mendWord }: JoinOptions): string {
  return lines.reduce((text, line, i) => {
    if (i === 0) return line.text;
    const before = lines[i - 1]!;
    const mended = mendWord(text, line.text);
    if (mended !== undefined) return mended;
    const isOpen =
      (line.y > before.y + COLUMN_JUMP * line.size || isFull(before, line)) &&
      !isCodeEntry(lines, i) &&
      !before.text.includes(LEADER) &&
      !areColumns(before, line);
    return `${text}${!isOpen ? '\n' : areUnspaced(text, line.text) ? '' : ' '}${line.text}`;
  }, '');
}

/** Whether the parts of two lines stand below one another. */
const areColumns = ({ cells, size }: PdfLine, next: PdfLine): boolean =>
  cells.length > 1 && cells.length === next.cells.length && cells.every(({ x }, i) => Math.abs(x - next.cells[i]!.x) < size / 2);
