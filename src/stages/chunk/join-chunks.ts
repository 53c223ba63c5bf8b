import type { Location } from '../../schema/items.ts';
import { fenceMark, readBlocks, newlinesIn } from '@citekb/documents/markdown';

/** A stored chunk: its text and its location. */
export interface Passage {
  text: string;
  location: Location;
}

/** A document rebuilt from its chunks. */
export interface JoinedText {
  text: string;
  /** In order, the first line of each passage and the line after its last: a parser may write more or fewer lines than it reads. */
  lines: readonly KnownLine[];
}

interface KnownLine {
  /** Index in the text, from 0. */
  at: number;
  /** Number in the source, from 1. */
  line: number;
}

/** A chunk without its overlap and repeated table header. Its source lines are known for Markdown and plain text only. */
interface OwnText {
  text: string;
  repeated: string;
  offset: number | undefined;
  first_line: number | undefined;
  last_line: number | undefined;
}

function readOwnText(passage: Passage, next: Passage | undefined): OwnText {
  const { offset, overlap = 0, line_start, line_end } = passage.location;
  const own = withoutClosing(passage, next).slice(overlap);
  const first_line = overlap === 0 || line_end === undefined ? line_start : line_end - newlinesIn(own);
  return { text: own, repeated: repeatedText(passage), offset, first_line, last_line: line_end };
}

const repeatedText = ({ text, location: { overlap = 0 } }: Passage): string => text.slice(0, overlap);

/** Removes the introductory line of a repeated text; the frame of the table or fence stays. */
const withoutLead = (repeated: string): string => repeated.slice(repeated.lastIndexOf('\n\n') + 1);

/** Removes the closing fence that splitting added, if the next chunk reopens it. */
function withoutClosing({ text, location }: Passage, next: Passage | undefined): string {
  const opening = next ? withoutLead(repeatedText(next)).trimStart() : '';
  if (!/^(?:```|~~~)/.test(opening)) return text;
  const last = text.lastIndexOf('\n');
  if (text.slice(last + 1).trim() !== fenceMark(opening, 0)) return text;
  const room = next!.location.offset! - (location.offset ?? 0);
  const isLonger = text.length - (location.overlap ?? 0) > room; // than the distance of the two chunks in the document
  const isOpening = readBlocks(text).at(-1)!.start > last; // the fence was cut after its first line
  return isLonger || !isOpening ? text.slice(0, last) : text;
}

/**
 * Rebuilds a document from its chunks, given in order, without overlaps. Blank lines follow the line numbers; without these (PDF) a split paragraph
 * continues after a space, a list or table on the next line. A chunk of unknown position follows after a blank line.
 */
export function joinChunks(passages: readonly Passage[]): JoinedText {
  const steps = joinInSteps(passages);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** Does what `joinChunks` does, a chunk at a step: a document may have a hundred thousand. */
export function* joinInSteps(passages: readonly Passage[]): Generator<void, JoinedText> {
  const lines: KnownLine[] = [];
  let [text, at] = ['', 0];
  const append = (written: string): void => {
    text += written;
    at += newlinesIn(written);
  };
  const recordLine = (line: number | undefined): void => {
    if (line !== undefined) lines.push({ at, line: Math.max(line, lines.at(-1)?.line ?? 1) });
  };
  let previous: OwnText | undefined;
  for (const [i, passage] of passages.entries()) {
    const ownText = readOwnText(passage, passages[i + 1]);
    if (previous) append(separatorBetween(previous, ownText));
    recordLine(ownText.first_line);
    append(ownText.text);
    if (ownText.last_line !== undefined) lines.push({ at: at + 1, line: ownText.last_line + 1 });
    previous = ownText;
    yield;
  }
  return {
    text,
    lines:
      lines.length > 0
        ? lines
        : [
            { at: 0, line: 1 },
            { at: at + 1, line: at + 2 },
          ],
  };
}

/** The white space between two chunks. */
function separatorBetween(before: OwnText, after: OwnText): string {
  if (before.offset === undefined || after.offset === undefined) return '\n\n';
  const gap = Math.max(0, after.offset - before.offset - before.text.length);
  const lines = (after.first_line ?? NaN) - (before.last_line ?? NaN);
  if (lines >= 0) {
    return '\n'.repeat(lines) + ' '.repeat(lines > 0 ? 0 : Math.min(1, gap));
  }
  if (gap !== 1) return '\n'.repeat(Math.min(2, gap));
  return after.repeated.endsWith('\n') || /^(?:[-*+|>#]|\d+[.)]) ?/.test(after.text) ? '\n' : ' ';
}
