import type { PdfLine, PdfRun } from './pdf-lines.ts';
import { mostFrequent } from './pdf-usual.ts';

/** Letters whose widths differ by less are equally wide, in font sizes. */
const SAME_WIDTH = 0.01;
/** Such letters are so wide, in font sizes. */
const WIDTHS = { least: 0.4, most: 0.75 };
/** Different words that tell the width of a font's letters. */
const LEAST_WORDS = 5;
/** A document that has a larger share of its letters in such fonts is typewritten: what is in them is no code for that. */
const MOST_CODE = 0.6;
/** Of the letters of a line of code this share is in such a font, and of the runs in such a font this share has letters of one width. */
const LEAST_SHARE = 0.9;
/** Lines of one piece of code stand at most this far apart, in font sizes. */
const FARTHEST = 3;

/** What stands in front of the rest of a line of code that was too long. */
const WRAPPED = /[←↩↪→˓]/;

/** A run of plain letters between which no space was guessed. */
const WORD = /^(?=[^a-z]*[a-z][^a-z]*[a-z])[!-~](?:[ -~]{2,200})[!-~]$/i;

/** Tells the lines of a document that are drawn in a typewriter font: code, commands, what programs print. */
export function detectTypewriterLines(pages: readonly PdfLine[][]): (line: PdfLine) => boolean {
  const fonts = typewriterFonts(pages);
  const lettersOf = (runs: readonly PdfRun[]): number => runs.reduce((sum, { text }) => sum + text.replace(/\s+/g, '').length, 0);
  const shareOf = (runs: readonly PdfRun[]): number => lettersOf(runs.filter(({ font }) => fonts.has(font))) / Math.max(1, lettersOf(runs));
  if (fonts.size === 0 || shareOf(pages.flatMap((lines) => lines.flatMap(({ runs }) => runs))) > MOST_CODE) return () => false;
  return ({ runs }) => {
    const first = runs.find(({ text }) => text.trim() !== ''); // no bullet or number
    return first !== undefined && (fonts.has(first.font) || WRAPPED.test(first.text)) && shareOf(runs) >= LEAST_SHARE;
  };
}

/** The fonts all letters of which are equally wide. */
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
        if (words.size < LEAST_WORDS) words.add(run.text);
      }
  const isTypewriter = (widths: ReadonlyMap<number, number>): boolean => {
    const [usual, runs] = mostFrequent(widths) ?? [0, 0];
    const near = runs + (widths.get(usual - 1) ?? 0) + (widths.get(usual + 1) ?? 0);
    const all = widths.values().reduce((sum, count) => sum + count, 0);
    return near >= LEAST_SHARE * all && usual * SAME_WIDTH >= WIDTHS.least && usual * SAME_WIDTH <= WIDTHS.most;
  };
  return new Set([...fonts].flatMap(([font, { widths, words }]) => (words.size >= LEAST_WORDS && isTypewriter(widths) ? [font] : [])));
}

/** In font sizes. */
const letterWidth = ({ text, x, right, size }: PdfRun): number => (right - x) / (text.length * size);

/** Whether a line of code goes on with the piece that another belongs to. */
export const continuesCode = (before: PdfLine, line: PdfLine): boolean =>
  before.y > line.y && before.y - line.y <= FARTHEST * line.size && Math.abs(before.size - line.size) < 0.5;

/** A fenced block of lines of code, each indented as it is drawn, an empty line where the page has a gap. */
export function formatCode(lines: readonly PdfLine[]): string {
  const left = lines.reduce((least, { x }) => Math.min(least, x), Number.POSITIVE_INFINITY);
  const steps = lines.slice(1).map(({ y }, i) => lines[i]!.y - y);
  const step = Math.min(...steps, Number.POSITIVE_INFINITY);
  const texts = lines.map((line, i) => `${i > 0 && steps[i - 1]! > 1.6 * step ? '\n' : ''}${spacedText(line, left)}`);
  const fence = texts.some((text) => text.includes('```')) ? '`````' : '```';
  return [fence, ...texts, fence].join('\n');
}

/** The text of a line with as many spaces between its runs as letters would fit there. */
function spacedText({ runs }: PdfLine, left: number): string {
  const inked = runs.filter(({ text }) => text.trim() !== '').toSorted((a, b) => a.x - b.x);
  const widest = inked.reduce((most, run) => (run.text.length > most.text.length ? run : most), inked[0]!);
  const width = letterWidth(widest) * widest.size;
  return inked
    .reduce((text, run) => {
      const column = width > 0 ? Math.round((run.x - left) / width) : 0;
      return text + ' '.repeat(Math.max(0, Math.min(column, LONGEST) - text.length)) + run.text;
    }, '')
    .trimEnd();
}

/** Columns of a line of code at most: what stands further right is not moved there. */
const LONGEST = 200;
