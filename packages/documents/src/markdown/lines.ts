/** Whether a character is white space at which text may be cut: not a non-breaking space. */
export function isSpace(code: number): boolean {
  return (
    code === 32 || (code >= 9 && code <= 13) || code === 0x3000 || code === 0x2028 || code === 0x2029 || (code >= 0x2000 && code <= 0x200a)
  );
}

/** Whether a character is white space of any kind, including non-breaking spaces. */
const isBlank = (code: number): boolean =>
  isSpace(code) || code === 0xa0 || code === 0xfeff || code === 0x1680 || code === 0x202f || code === 0x205f;

/** Finds the first offset from `offset` on that is not white space; `end` if there is none. */
export function skipSpace(text: string, offset: number, end: number): number {
  let at = offset;
  while (at < end && isBlank(text.charCodeAt(at))) at += 1;
  return at;
}

/** Counts the line breaks of a text. */
export function newlinesIn(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}

/** The end of the range from `start` to `end` without trailing white space. */
export function trimEnd(text: string, start: number, end: number): number {
  let at = end;
  while (at > start && isBlank(text.charCodeAt(at - 1))) at -= 1;
  return at;
}

/** The kind of a line of Markdown by itself. `blocks.ts` takes the lines before it into account. */
type LineKind = 'blank' | 'text' | 'heading' | 'fence' | 'item' | 'rule' | 'underline' | 'separator' | 'comment' | 'verbatim';

/** A line of Markdown by its offsets: `start` to `end` without surrounding white space; the next line begins at `next`. */
export interface MarkdownLine {
  kind: LineKind;
  start: number;
  end: number;
  next: number;
  /** Columns of leading white space; a tab counts as four. */
  indent: number;
}

const HEADING = /#{1,6}(?:[ \t]|$)/my;
const FENCE = /`{3,}[^`\n]*$|~{3,}/my;
const RULE = /([-*_])(?:[ \t]*\1){2,}[ \t]*\r?$/my;
const UNDERLINE = /(?:-{2,}|=+)[ \t]*\r?$/my;
const SEPARATOR = /^\|?[ \t]*:?-+:?(?:[ \t]*\|[ \t]*:?-+:?)*[ \t]*\|?$/;
const BULLET = /[-*+](?:[ \t]|\r?$)/my;
const NUMBER = /\d{1,9}[.)](?:[ \t]|\r?$)/my;
const VERBATIM = /<(?:pre|script|style|textarea)[\s>]/iy;

function matchesAt(pattern: RegExp, text: string, offset: number): boolean {
  pattern.lastIndex = offset;
  return pattern.test(text);
}

/** The kind of a line of dashes: the underline of a heading, a rule or a table separator; undefined for none of these. */
function dashedKind(text: string, offset: number, end: number): LineKind | undefined {
  if (matchesAt(UNDERLINE, text, offset)) return 'underline';
  if (matchesAt(RULE, text, offset)) return 'rule';
  return isSeparator(text, offset, end) ? 'separator' : undefined;
}

function isSeparator(text: string, offset: number, end: number): boolean {
  const line = text.slice(offset, end);
  return SEPARATOR.test(line) && line.includes('|');
}

function kindAt(text: string, offset: number, end: number): LineKind {
  switch (text[offset]) {
    case '#':
      return matchesAt(HEADING, text, offset) ? 'heading' : 'text';
    case '`':
    case '~':
      return matchesAt(FENCE, text, offset) ? 'fence' : 'text';
    case '=':
      return matchesAt(UNDERLINE, text, offset) ? 'underline' : 'text';
    case '-':
      return dashedKind(text, offset, end) ?? (matchesAt(BULLET, text, offset) ? 'item' : 'text');
    case '*':
      return matchesAt(RULE, text, offset) ? 'rule' : matchesAt(BULLET, text, offset) ? 'item' : 'text';
    case '_':
      return matchesAt(RULE, text, offset) ? 'rule' : 'text';
    case '+':
      return matchesAt(BULLET, text, offset) ? 'item' : 'text';
    case '|':
    case ':':
      return isSeparator(text, offset, end) ? 'separator' : 'text';
    case '<':
      return text.startsWith('<!--', offset) ? 'comment' : matchesAt(VERBATIM, text, offset) ? 'verbatim' : 'text';
    default:
      return isDigit(text.charCodeAt(offset)) && matchesAt(NUMBER, text, offset) ? 'item' : 'text';
  }
}

const isDigit = (code: number): boolean => code >= 48 && code <= 57;

/** Reads the line that begins at an offset. */
export function readLine(text: string, offset: number): MarkdownLine {
  const newline = text.indexOf('\n', offset);
  const next = newline < 0 ? text.length : newline + 1;
  const end = trimEnd(text, offset, newline < 0 ? text.length : newline);
  let indent = 0;
  let start = offset;
  for (; start < end; start++) {
    const code = text.charCodeAt(start);
    if (code === 32) indent += 1;
    else if (code === 9) indent += 4;
    else break;
  }
  const kind = start === end ? 'blank' : kindAt(text, start, end);
  return { kind, start, end, next, indent };
}

/** Classifies a single line. */
export const lineKind = (line: string): LineKind => readLine(line, 0).kind;
