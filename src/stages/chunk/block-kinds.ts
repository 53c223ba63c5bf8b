import type { Block } from './block.ts';
import { readLine, type Line } from './lines.ts';
import { trimEnd } from './whitespace.ts';

/** A heading is named by so many characters at most: its name stands in the metadata of every chunk under it. */
const LONGEST_TITLE = 200;

/** The words of a heading: no links, emphasis, code marks, tags or `{#anchor}`. */
function plainTitle(markdown: string): string {
  if (markdown.length <= LONGEST_TITLE && /^[^{[<*_`\\\s\0]*(?: [^{[<*_`\\\s\0]+)*$/.test(markdown)) return markdown;
  const plain = markdown
    .slice(0, 4 * LONGEST_TITLE)
    .replace(/\{#[^{}]*\}\s*$/, '')
    .replace(/!?\[([^[\]]*)\]\([^()]*\)/g, '$1')
    .replace(/<\/?[a-z][^<>]*>/gi, '')
    .replace(/\*\*|__(?=\S)|(?<=\S)__|`/g, '')
    .replace(/\\([!-/:-@[-`{-~])/g, '$1')
    .replace(/[\s\0]+/g, ' ')
    .trim();
  return plain.length > LONGEST_TITLE ? `${plain.slice(0, LONGEST_TITLE - 1).toWellFormed()}…` : plain;
}

/** An ATX heading: `## Title ##`. */
export function readHeading(text: string, line: Line): Block {
  const marked = text.slice(line.start, line.end);
  const level = /^#+/.exec(marked)![0].length;
  const title = plainTitle(withoutClosingMarks(marked.slice(level).trim()));
  return { kind: 'heading', start: line.start, end: line.end, body: line.start, level, title };
}

/** Counted by hand: a pattern takes quadratic time on a line of many `# `. */
function withoutClosingMarks(title: string): string {
  let end = title.length;
  while (end > 0 && title[end - 1] === '#') end -= 1;
  return end === 0 || /\s/.test(title[end - 1]!) ? title.slice(0, end).trim() : title;
}

/** Makes an open paragraph the setext heading that `line` underlines. Several lines of text above a rule are no heading. */
export function underlined(text: string, open: Block, line: Line): boolean {
  if (open.kind !== 'paragraph' || open.end - open.start > LONGEST_TITLE || text.slice(open.start, open.end).trimStart().startsWith('>'))
    return false;
  open.kind = 'heading';
  open.level = text[line.start] === '=' ? 1 : 2;
  open.title = plainTitle(text.slice(open.start, open.end));
  open.end = line.end;
  return true;
}

/** A fence to its closing line, or to the end of the text. */
export function readFence(text: string, opening: Line): { block: Block; next: number } {
  const mark = fenceMark(text, opening.start);
  const block: Block = { kind: 'fence', start: opening.start, end: opening.end, body: opening.next, level: 0, title: '' };
  let next = opening.next;
  while (next < text.length) {
    const newline = text.indexOf('\n', next);
    const end = newline < 0 ? text.length : newline;
    const line = text.slice(next, end).trim();
    if (line !== '') block.end = trimEnd(text, next, end);
    next = newline < 0 ? end : newline + 1;
    if (line.startsWith(mark) && line.length === fenceMark(line, 0).length) break;
  }
  return { block, next };
}

/** The run of backticks or tildes at `offset`. */
export function fenceMark(text: string, offset: number): string {
  let end = offset;
  while (text[end] === text[offset] && (text[end] === '`' || text[end] === '~')) end += 1;
  return text.slice(offset, end);
}

/** An HTML comment, `<pre>`, `<script>` or `<style>` to its end, headings inside it being none; undefined where it is never closed. */
export function readMarkup(text: string, line: Line, missing: Set<string>): { block: Block; next: number } | undefined {
  const closing = line.kind === 'comment' ? '-->' : `</${/\w+/.exec(text.slice(line.start, line.start + 10))![0]}>`;
  if (missing.has(closing)) return undefined;
  const at = text.indexOf(closing, line.start + 4);
  if (at < 0) {
    missing.add(closing);
    return undefined;
  }
  const last = readLine(text, at + closing.length);
  const kind = line.kind === 'comment' && last.kind === 'blank' ? 'comment' : 'paragraph';
  return { block: { kind, start: line.start, end: last.end, body: line.start, level: 0, title: '' }, next: last.next };
}
