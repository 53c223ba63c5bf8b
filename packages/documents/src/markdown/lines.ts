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
const UNDERLINE = /(?:-{2,}|=+)[ \t]*\r?$/my;
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
  if (isRule(text, offset, end)) return 'rule';
  return isSeparator(text, offset, end) ? 'separator' : undefined;
}

// The two below are loops, because a pattern with a repeated group overflows the stack on a line of some megabytes.

const isTabOrSpace = (character: string | undefined): boolean => character === ' ' || character === '\t';

/** Whether a line is a rule: three or more of its first character, with nothing else but white space between them. */
function isRule(text: string, offset: number, end: number): boolean {
  let count = 0;
  for (let at = offset; at < end; at++) {
    if (text[at] === text[offset]) count++;
    else if (!isTabOrSpace(text[at])) return false;
  }
  return count >= 3;
}

/** Whether a line separates the head of a table from its rows: cells of dashes, with a colon at either end, and at least one bar. */
function isSeparator(text: string, offset: number, end: number): boolean {
  let at = offset;
  let bars = 0;
  const skip = (test: (character: string | undefined) => boolean) => {
    while (at < end && test(text[at])) at++;
  };
  const take = (character: string): boolean => at < end && text[at] === character && ++at > 0;
  if (take('|')) bars++;
  while (at < end) {
    skip(isTabOrSpace);
    take(':');
    const dashes = at;
    skip((character) => character === '-');
    if (at === dashes) return false;
    take(':');
    skip(isTabOrSpace);
    if (at === end) break;
    if (!take('|')) return false;
    bars++;
  }
  return bars > 0 && end - offset > 1;
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
      return isRule(text, offset, end) ? 'rule' : matchesAt(BULLET, text, offset) ? 'item' : 'text';
    case '_':
      return isRule(text, offset, end) ? 'rule' : 'text';
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
