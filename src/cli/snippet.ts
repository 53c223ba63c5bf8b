import { queryTerms, terms } from '../base/terms.ts';
import { wrappedText } from './markdown/flow.ts';
import { clipped } from './markdown/width.ts';

/** Lines of a snippet at most. */
const LINES = 3;

const SENTENCE_END = /(?<=[.!?][)"”»’]?)\s+|(?<=[。！？])/u;
const HEADING = /^#{1,6}\s/;

/** A sentence, a row of a table or a line of code. */
interface Piece {
  text: string;
  /** The line of the passage that it stands on. */
  line: number;
}

/** The pieces of a passage, without its headings where it has anything else: they stand in the place of the hit. */
function piecesOf(passage: string): Piece[] {
  const lines = passage.split('\n').filter((line) => line.trim());
  const body = lines.filter((line) => !HEADING.test(line));
  return (body.length > 0 ? body : lines).flatMap((text, line) =>
    /^(?:\||\s{4})/.test(text) ? [{ text, line }] : text.split(SENTENCE_END).map((sentence) => ({ text: sentence, line })),
  );
}

/** The lines that pieces take, those of one line of the passage behind one another; a row or code that is too long is cut. */
function laidOut(pieces: readonly Piece[], columns: number): string[] {
  const lines = [...Map.groupBy(pieces, ({ line }) => line).values()].map((parts) => parts.map(({ text }) => text).join(' '));
  return lines.flatMap((line) => (/^(?:\||\s{4})/.test(line) ? [clipped(line, columns)] : wrappedText(line, columns).split('\n')));
}

/** Where the `count` neighbours begin that hold most of what is wanted; the first of several. */
function bestStart(texts: readonly string[], wanted: ReadonlySet<string>, count: number): number {
  const held = texts.map((text) => new Set(terms(text).filter((term) => wanted.has(term))));
  const worth = (start: number) => new Set(held.slice(start, start + count).flatMap((own) => [...own])).size;
  let best = 0;
  for (let start = 1; start + count <= texts.length; start++) if (worth(start) > worth(best)) best = start;
  return best;
}

/**
 * What of a passage is shown on a terminal: the sentence with most words of the query and as much of what follows it, then of what stands before it, as three
 * lines of `columns` characters hold. Dots stand where the passage goes on.
 */
export function snippetOf(passage: string, query: string, columns: number): string[] {
  const pieces = piecesOf(passage);
  const wanted = new Set(queryTerms(query));
  const texts = pieces.map(({ text }) => text);
  let start = bestStart(texts, wanted, 1);
  let end = start + 1;
  const fits = (from: number, to: number) => laidOut(dotted(pieces, from, to), columns).length <= LINES;
  while (end < pieces.length && fits(start, end + 1)) end++;
  while (start > 0 && fits(start - 1, end)) start--;
  const lines = laidOut(dotted(pieces, start, end), columns);
  const first = bestStart(lines, wanted, LINES);
  return lines.length > LINES ? lines.slice(first, first + LINES) : lines;
}

/** The pieces from one to another, with dots where there are more. */
function dotted(pieces: readonly Piece[], start: number, end: number): Piece[] {
  const shown = pieces.slice(start, end);
  if (start > 0) shown[0] = { ...shown[0]!, text: `… ${shown[0]!.text}` };
  const last = shown.length - 1;
  if (end < pieces.length) shown[last] = { ...shown[last]!, text: `${shown[last]!.text} …` };
  return shown;
}
