import { codeFence } from '../markdown/write.ts';
import { leftEdge, mostFrequent, type PdfLine, type PdfRun } from './pdf-lines.ts';

/** Maximum difference of equal widths of letters, in font sizes. */
const SAME_WIDTH = 0.01;
/** Width of the letters of a typewriter font, in font sizes. */
const WIDTHS = { least: 0.4, most: 0.75 };
/** Minimum different words that show the width of a font's letters. */
const MIN_WORDS = 5;
/** A document with a larger share of its letters in such fonts is typewritten; its text is not code. */
const MAX_CODE = 0.6;
/** Minimum share of the letters of a line of code in such a font, and of the runs in such a font that have letters of one width. */
const MIN_SHARE = 0.9;
/** Maximum distance of the lines of one piece of code, in font sizes. */
const FARTHEST = 3;

/** A sign in front of the rest of a line of code that was too long. */
const WRAPPED = /[←↩↪→˓]/;

/** A run of ASCII letters; a longer one may have spaces that are guessed. */
const WORD = /^(?=[^a-z]*[a-z][^a-z]*[a-z])[!-~](?:[ -~]{2,200})[!-~]$/i;

/** Creates a test for lines that are drawn in a typewriter font: code, commands, output of programs. */
export function detectTypewriterLines(pages: readonly PdfLine[][]): (line: PdfLine) => boolean {
  const fonts = typewriterFonts(pages);
  const lettersOf = (runs: readonly PdfRun[]): number => runs.reduce((sum, { text }) => sum + text.replace(/\s+/g, '').length, 0);
  const shareOf = (runs: readonly PdfRun[]): number => lettersOf(runs.filter(({ font }) => fonts.has(font))) / Math.max(1, lettersOf(runs));
  if (fonts.size === 0 || shareOf(pages.flatMap((lines) => lines.flatMap(({ runs }) => runs))) > MAX_CODE) return () => false;
  return ({ runs }) => {
    const first = runs.find(({ text }) => text.trim() !== ''); // neither a bullet nor a number
    return first !== undefined && (fonts.has(first.font) || WRAPPED.test(first.text)) && shareOf(runs) >= MIN_SHARE;
  };
}

/** Finds the fonts whose letters are equally wide. */
function typewriterFonts(pages: readonly PdfLine[][]): Set<string> {
  const fonts = new Map<string, { widths: Map<number, number>; words: Set<string> }>();
  for (const lines of pages)
    for (const { runs } of lines)
      for (const run of runs) {
        if (!WORD.test(run.text)) continue;
        const { widths, words } = fonts.get(run.font) ?? { widths: new Map<number, number>(), words: new Set<string>() };
        fonts.set(run.font, { widths, words });
        const width = Math.round(letterWidth(run) / SAME_WIDTH);
        widths.set(width, (widths.get(width) ?? 0) + 1);
        if (words.size < MIN_WORDS) words.add(run.text);
      }
  const isTypewriter = (widths: ReadonlyMap<number, number>): boolean => {
    const [usual, runs] = mostFrequent(widths) ?? [0, 0];
    const near = runs + (widths.get(usual - 1) ?? 0) + (widths.get(usual + 1) ?? 0);
    const all = widths.values().reduce((sum, count) => sum + count, 0);
    return near >= MIN_SHARE * all && usual * SAME_WIDTH >= WIDTHS.least && usual * SAME_WIDTH <= WIDTHS.most;
  };
  return new Set([...fonts].flatMap(([font, { widths, words }]) => (words.size >= MIN_WORDS && isTypewriter(widths) ? [font] : [])));
}

/** In font sizes. */
const letterWidth = ({ text, x, right, size }: PdfRun): number => (right - x) / (text.length * size);

/** Whether a line of code belongs to the same piece as the line before. */
export const continuesCode = (before: PdfLine, line: PdfLine): boolean =>
  before.y > line.y && before.y - line.y <= FARTHEST * line.size && Math.abs(before.size - line.size) < 0.5;

/** Writes lines of code as a fenced block: indented as drawn, with an empty line at each gap. */
export function formatCode(lines: readonly PdfLine[]): string {
  const left = leftEdge(lines);
  const steps = lines.slice(1).map(({ y }, i) => lines[i]!.y - y);
  const step = Math.min(...steps);
  const texts = lines.map((line, i) => `${i > 0 && steps[i - 1]! > 1.6 * step ? '\n' : ''}${spaceRuns(line, left)}`);
  return codeFence(texts.join('\n'), '');
}

/** Maximum column of a run in a line of code; runs further right are not moved there. */
const MAX_LENGTH = 200;

/** Writes the text of a line, with as many spaces between its runs as letters would fit there. */
function spaceRuns({ runs }: PdfLine, left: number): string {
  const inked = runs.filter(({ text }) => text.trim() !== '').toSorted((a, b) => a.x - b.x);
  const widest = inked.reduce((most, run) => (run.text.length > most.text.length ? run : most), inked[0]!);
  const width = letterWidth(widest) * widest.size;
  return inked
    .reduce((text, run) => {
      const column = width > 0 ? Math.round((run.x - left) / width) : 0;
      return text + ' '.repeat(Math.max(0, Math.min(column, MAX_LENGTH) - text.length)) + run.text;
    }, '')
    .trimEnd();
}
