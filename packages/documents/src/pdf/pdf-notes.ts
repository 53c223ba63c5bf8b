import { detectSmallLines, type PdfLine, RAISED_SIGN } from './pdf-lines.ts';

/** Maximum distance of the wrapped lines of a note, in font sizes. */
const STEP = 1.7;

/** A raised number, and the number at the beginning of a note. */
const MARK = new RegExp(`${RAISED_SIGN}(\\d{1,3}\\)?)${RAISED_SIGN}`, 'g');
const BEGINNING = new RegExp(`^(?:${RAISED_SIGN}(\\d{1,3})\\)?${RAISED_SIGN}|(\\d{1,3})[.)]?(?=\\s))\\s{0,5}(?=\\S.{10})`);
/** The end of the text before a note's number; an exponent stands behind a shorter one. */
const BEHIND_WORD = /[\p{L}\p{P}]{2}$/u;

/** Characters before a mark that are checked. */
const REACH = 20;

/** Matches the beginning of a note in Markdown. */
export const NOTE_START = /^\[\^\d{1,3}(?:-p\d{1,6})?\]: /;

/** Moves footnotes to the end of their pages, in the syntax of Markdown (`[^1]`). Other raised numbers become superscripts. */
export function separateNotes(pages: readonly PdfLine[][]): PdfLine[][] {
  const taken = new Set<string>();
  return pages.map((lines, index) => {
    if (!lines.some(({ text }) => text.includes(RAISED_SIGN))) return lines;
    const notes = notesOf(lines);
    const labels = new Map(notes.map(({ number }) => [number, taken.has(number) ? `${number}-p${index + 1}` : number]));
    for (const { number } of notes) taken.add(number);
    const inNotes = new Set(notes.flatMap((note) => note.lines));
    const marked = (text: string): string =>
      text.replace(MARK, (_, raised: string, at: number) => {
        const label = labels.get(raised.replace(')', ''));
        return label !== undefined && isMark(text, at) ? `[^${label}]` : superscript(raised, text.slice(at));
      });
    return [
      ...lines.filter((line) => !inNotes.has(line)).map((line) => rewriteText(line, marked)),
      ...notes.flatMap((note) => noteLines(note, labels.get(note.number)!)),
    ];
  });
}

/** A number with its unit, whose raised number is an exponent: «25 cm²». */
const UNIT = /\d\s?\p{L}{1,3}$/u;

function isMark(text: string, at: number): boolean {
  const before = text.slice(Math.max(0, at - REACH), at).trimEnd();
  return BEHIND_WORD.test(before) && !UNIT.test(before);
}

const SUPERSCRIPTS = '⁰¹²³⁴⁵⁶⁷⁸⁹';

/** Writes a raised number; the numerator of a fraction stays as it is. */
const superscript = (raised: string, rest: string): string =>
  raised.endsWith(')') || FRACTION.test(rest) ? raised : raised.replace(/\d/g, (digit) => SUPERSCRIPTS[Number(digit)]!);

const FRACTION = new RegExp(`^${RAISED_SIGN}\\d{1,3}${RAISED_SIGN}\\s?[⁄/]`);

const rewriteText = (line: PdfLine, write: (text: string) => string): PdfLine =>
  line.text.includes(RAISED_SIGN)
    ? { ...line, text: write(line.text), cells: line.cells.map((cell) => ({ ...cell, text: write(cell.text) })) }
    : line;

const noteLines = ({ lines }: Note, label: string): PdfLine[] =>
  lines.map((line, i) => {
    const words = (i === 0 ? line.text.replace(BEGINNING, '') : line.text).replace(MARK, '$1');
    const text = i === 0 ? `[^${label}]: ${words}` : words;
    return { ...line, text, cells: [{ text, x: line.x, right: line.right }] };
  });

interface Note {
  number: string;
  lines: PdfLine[];
}

/** Lists the notes of a page: small lines that begin with a number that is raised in the text above. */
function notesOf(lines: readonly PdfLine[]): Note[] {
  const isSmall = detectSmallLines(lines);
  const marks = new Map<string, number>(); // the y of the highest
  for (const line of lines)
    if (!isSmall(line))
      for (const { 1: raised = '', index } of line.text.matchAll(MARK))
        if (isMark(line.text, index)) {
          const number = raised.replace(')', '');
          marks.set(number, Math.max(line.y, marks.get(number) ?? line.y));
        }
  const notes = new Map<string, Note>();
  let open: Note | undefined;
  for (const line of lines) {
    const [, raised, plain] = (isSmall(line) && BEGINNING.exec(line.text)) || [];
    const number = raised ?? plain;
    const before = open?.lines.at(-1);
    if (number !== undefined && line.y < (marks.get(number) ?? 0) && !notes.has(number))
      notes.set(number, (open = { number, lines: [line] }));
    else if (
      open &&
      before &&
      isSmall(line) &&
      before.y > line.y &&
      before.y - line.y < STEP * line.size &&
      Math.abs(before.size - line.size) < 0.5
    )
      open.lines.push(line);
    else open = undefined;
  }
  return [...notes.values()];
}
