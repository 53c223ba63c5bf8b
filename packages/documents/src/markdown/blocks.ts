import { type MarkdownLine, readLine, trimEnd } from './lines.ts';

/** `comment`: an HTML comment; `rule`: a line of dashes. Both have no content. */
type BlockKind = 'heading' | 'paragraph' | 'list' | 'table' | 'fence' | 'comment' | 'rule';

/** A block of Markdown by its offsets, `end` exclusive, without the white space around it. */
export interface Block {
  kind: BlockKind;
  start: number;
  end: number;
  /** Where the first row of a table (after its separator line) or the code of a fence begins; `start` for the others. */
  body: number;
  /** 1 to 6 for a heading, else 0. */
  level: number;
  /** The words of a heading, without markup; empty for the others. */
  title: string;
}

/** Maximum length of a heading's title, which is stored in the metadata of every chunk under it. */
const MAX_TITLE_LENGTH = 200;

/** The words of a heading: no links, emphasis, code marks, tags or `{#anchor}`. */
export function plainTitle(markdown: string): string {
  if (markdown.length <= MAX_TITLE_LENGTH && /^[^{[<*_`\\\s\0]*(?: [^{[<*_`\\\s\0]+)*$/.test(markdown)) return markdown;
  const plain = markdown
    .slice(0, 4 * MAX_TITLE_LENGTH)
    .replace(/\{#[^{}]*\}\s*$/, '')
    .replace(/!?\[([^[\]]*)\]\([^()]*\)/g, '$1')
    .replace(/<\/?[a-z][^<>]*>/gi, '')
    .replace(/\*\*|__(?=\S)|(?<=\S)__|`/g, '')
    .replace(/\\([!-/:-@[-`{-~])/g, '$1')
    .replace(/[\s\0]+/g, ' ')
    .trim();
  return plain.length > MAX_TITLE_LENGTH ? `${plain.slice(0, MAX_TITLE_LENGTH - 1).toWellFormed()}…` : plain;
}

/** An ATX heading: `## Title ##`. */
function readHeading(text: string, line: MarkdownLine): Block {
  const marked = text.slice(line.start, line.end);
  const level = /^#+/.exec(marked)![0].length;
  const title = plainTitle(withoutClosingMarks(marked.slice(level).trim()));
  return { kind: 'heading', start: line.start, end: line.end, body: line.start, level, title };
}

/** Removes the closing marks of a heading. A loop, because a regular expression takes quadratic time on a line of many `# `. */
function withoutClosingMarks(title: string): string {
  let end = title.length;
  while (end > 0 && title[end - 1] === '#') end -= 1;
  return end === 0 || /\s/.test(title[end - 1]!) ? title.slice(0, end).trim() : title;
}

/** Turns an open paragraph into a setext heading underlined by `line`. Returns false if it is too long or a blockquote. */
function applyUnderline(text: string, open: Block, line: MarkdownLine): boolean {
  if (open.kind !== 'paragraph' || open.end - open.start > MAX_TITLE_LENGTH || text.slice(open.start, open.end).trimStart().startsWith('>'))
    return false;
  open.kind = 'heading';
  open.level = text[line.start] === '=' ? 1 : 2;
  open.title = plainTitle(text.slice(open.start, open.end));
  open.end = line.end;
  return true;
}

/** Reads a fence up to its closing line, or to the end of the text. */
function readFence(text: string, opening: MarkdownLine): { block: Block; next: number } {
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

/** Reads an HTML comment, `<pre>`, `<script>` or `<style>` to its end, so that nothing inside counts as a heading; undefined if it is never closed. */
function readMarkup(text: string, line: MarkdownLine, missing: Set<string>): { block: Block; next: number } | undefined {
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

interface ReaderState {
  text: string;
  /** The blocks that were not yielded yet: the last may change. */
  blocks: Block[];
  /** The paragraph, list or table that the next line may continue. */
  open: Block | undefined;
  /** Whether a blank line stands between `open` and the next line. */
  hasGap: boolean;
  /** Where the last line of `open` begins. */
  lastLine: number;
  /** Whether an indented line may belong to a list above, also after a fence inside the list. */
  isInList: boolean;
  /** Closing marks (`-->`, `</pre>`) that do not occur any more: each is searched for once, which keeps reading linear. */
  missing: Set<string>;
}

/** Splits Markdown into blocks, in order, with only white space between them. Takes linear time. */
export const readBlocks = (text: string): Block[] => [...blocksOf(text)];

/** Yields the blocks of Markdown (see `readBlocks`) one after another, so that those of a long text need not be kept. */
export function* blocksOf(text: string): Generator<Block, void> {
  const reading: ReaderState = { text, blocks: [], open: undefined, hasGap: false, lastLine: 0, isInList: false, missing: new Set() };
  for (let at = 0; at < text.length;) {
    const line = readLine(text, at);
    at = line.next;
    if (line.kind === 'blank') {
      reading.hasGap = true;
      if (reading.open?.kind !== 'list') reading.open = undefined;
      continue;
    }
    const whole = readWholeBlock(reading, line);
    if (whole) {
      reading.blocks.push(whole.block);
      reading.open = undefined;
      at = whole.next;
    } else addLine(reading, line);
    reading.hasGap = false;
    while (reading.blocks.length > 1) yield reading.blocks.shift()!;
  }
  yield* reading.blocks;
}

/** Reads a block with a known end that begins at the line: a heading, fence, comment or rule. Undefined for other lines. */
function readWholeBlock(reading: ReaderState, line: MarkdownLine): { block: Block; next: number } | undefined {
  const { text, open, isInList } = reading;
  if (line.indent > 3) return line.kind === 'fence' && isInList ? readFence(text, line) : undefined;
  if (line.indent < 2 && line.kind !== 'text' && line.kind !== 'item' && line.kind !== 'fence') reading.isInList = false;
  switch (line.kind) {
    case 'heading':
      return { block: readHeading(text, line), next: line.next };
    case 'fence':
      return readFence(text, line);
    case 'comment':
    case 'verbatim':
      return readMarkup(text, line, reading.missing);
    case 'underline':
      if (open && applyUnderline(text, open, line)) return { block: reading.blocks.pop()!, next: line.next };
      return /^-{3}/.test(text.slice(line.start, line.start + 3)) ? { block: blockOf('rule', line), next: line.next } : undefined;
    case 'rule':
      return { block: blockOf('rule', line), next: line.next };
    default:
      return undefined;
  }
}

/** Adds the line to the open block, or begins a paragraph, list or table with it. */
function addLine(reading: ReaderState, line: MarkdownLine): void {
  const { open } = reading;
  if (line.kind === 'separator' && open && open.kind !== 'table' && beginTable(reading, line)) return;
  const isNext = reading.isInList && line.indent < 2;
  if (line.kind === 'item' && !(open?.kind === 'paragraph' && !isNext && !mayInterruptParagraph(reading.text, line))) {
    reading.isInList = true;
    if (open?.kind === 'list') extendBlock(reading, line);
    else beginBlock(reading, 'list', line);
    return;
  }
  if (open && !(open.kind === 'list' && reading.hasGap && line.indent < 2)) {
    extendBlock(reading, line);
    return;
  }
  if (line.indent < 2) reading.isInList = false;
  beginBlock(reading, 'paragraph', line);
}

/** Whether an item may interrupt a paragraph: a number other than 1 is usually part of a sentence (CommonMark 5.3). */
const mayInterruptParagraph = (text: string, line: MarkdownLine): boolean =>
  !/^\d/.test(text.slice(line.start, line.start + 1)) || /^1[.)]/.test(text.slice(line.start, line.start + 2));

/** Makes the last line of the open block the header of a table, if it looks like one. */
function beginTable(reading: ReaderState, separator: MarkdownLine): boolean {
  const { text, blocks, lastLine } = reading;
  const open = reading.open!;
  const header = text.slice(lastLine, open.end);
  if (reading.hasGap || !header.includes('|') || (open.kind === 'list' && !header.startsWith('|'))) return false;
  if (lastLine === open.start) blocks.pop();
  else open.end = trimEnd(text, open.start, lastLine);
  reading.open = { ...blockOf('table', separator), start: lastLine, body: separator.next };
  reading.lastLine = separator.start;
  blocks.push(reading.open);
  return true;
}

function beginBlock(reading: ReaderState, kind: BlockKind, line: MarkdownLine): void {
  reading.open = blockOf(kind, line);
  reading.lastLine = line.start;
  reading.blocks.push(reading.open);
}

function extendBlock(reading: ReaderState, line: MarkdownLine): void {
  reading.open!.end = line.end;
  reading.lastLine = line.start;
}

const blockOf = (kind: BlockKind, { start, end }: MarkdownLine): Block => ({ kind, start, end, body: start, level: 0, title: '' });
