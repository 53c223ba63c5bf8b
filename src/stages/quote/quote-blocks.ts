import { terms } from '../../text/terms.ts';
import type { GroundingSource } from '../../ports/models.ts';
import { withoutMarks } from '../chunk/embed-text.ts';
import { plainText } from '../../text/markdown/plain-text.ts';
import { lineAt, readWholeBlocks } from './whole-blocks.ts';

/** Line numbers in a source with its neighbours, from 0, inclusive. */
type QuoteLines = readonly [first: number, last: number];

/** The smallest unit of quoting: a paragraph, list item, table row, code block or the term of a definition. */
export interface QuoteBlock {
  /** Index of the source. */
  source: number;
  /** Index among the blocks of the source. */
  at: number;
  kind: 'paragraph' | 'item' | 'row' | 'code' | 'term';
  /** Markdown as in the source, with open fences closed. */
  text: string;
  /** The text to quote, with links as their text. */
  plain: string;
  lines: QuoteLines;
  /** Number of words to quote. */
  words: number;
  /** Title and headings, outermost first. */
  path: readonly string[];
  /** The term that the block defines: a short line of bold text or code before it. */
  term: string;
  /** The table header of a row. */
  header: string;
  /** Index of its section. */
  section: number;
  /** Whether it is the first of its section. */
  isFirst: boolean;
  /** Whether a part of it is in the retrieved chunk and not only in a neighbour. */
  isRetrieved: boolean;
  /** Stems of its words. */
  own: ReadonlySet<string>;
  /** Stems of its context: path, term, header. */
  context: ReadonlySet<string>;
}

/** Separates the titles in `GroundingSource.title`. */
const SEPARATOR = ' › ';

const ITEM = /^ {0,1}(?:[-*+•]|\d{1,3}[.)])\s+/;

/** A line of only bold text or code: a defined term, an option, the caption of a table. */
const TERM =
  /^(?:\*\*[^\n]{1,200}\*\*|`[^`\n]{1,120}`(?:[,;\s]+`[^`\n]{1,120}`)*|\*\*?`[^`\n]{1,120}`[^\n.]{0,60}\*?\*)(?:\s*\([^)\n]{0,60}\))?:?$/;
const LONGEST_TERM = 16;

/** Closes the last fence if it is open, with its indentation. */
export function withClosedFence(text: string): string {
  let [fence, indent] = ['', ''];
  for (const line of text.split('\n')) {
    const [, blanks = '', marks] = /^(\s*)(`{3,}|~{3,})/.exec(line) ?? [];
    if (fence === '') [fence, indent] = [marks ?? '', blanks];
    else if (marks?.startsWith(fence) && line.trim() === marks) fence = '';
  }
  return fence === '' ? text : `${text}\n${indent}${fence}`;
}

/** Counts words. */
export const countWords = (text: string): number => text.split(/\s+/).filter(Boolean).length;

const isTerm = (text: string): boolean => countWords(text) <= LONGEST_TERM && TERM.test(text.trim());

/** Lines without content: no letters or digits, entries of a table of contents, copyright notices. */
const SAYS_NOTHING = /^[^\p{L}\p{N}]*$|(?<!\.)\.{4,}\s*\d+\s*$|^(?:©|\(c\)\s|copyright\s)/iu;

/** The state of reading a source. */
interface Reading {
  path: readonly string[];
  section: number;
  term: string;
}

/** The text of a source with its neighbours, and the range of the retrieved chunk in it. */
export function wholeText({ before = '', text, after = '' }: GroundingSource): { whole: string; from: number; to: number } {
  return { whole: before + text + after, from: before.length, to: before.length + text.length };
}

/** A heading with the path that ends in it. */
interface OpenHeading {
  level: number;
  path: readonly string[];
}

/**
 * The path below a heading: up to the heading if the source's path contains it, else that of the heading above it. Without one, as much of the path of `before`
 * (the last heading so far, else the source itself) as their levels tell.
 */
function pathBelow(
  { title, level }: { title: string; level: number },
  { base, above, before }: { base: readonly string[]; above: OpenHeading | undefined; before: OpenHeading | undefined },
): readonly string[] {
  const known = base.indexOf(title);
  if (known >= 0) return base.slice(0, known + 1);
  if (above) return [...above.path, title];
  const last = before?.path ?? base;
  return [...last.slice(0, Math.max(1, last.length - 1 - (before ? before.level - level : 0))), title];
}

/** Opens a heading among those that are open, closing the ones it does not stand below. Returns the path below it. */
function openHeading(heading: { title: string; level: number }, open: OpenHeading[], base: readonly string[]): readonly string[] {
  const before = open.at(-1);
  while (open.length > 0 && open.at(-1)!.level >= heading.level) open.pop();
  const path = pathBelow(heading, { base, above: open.at(-1), before });
  open.push({ level: heading.level, path });
  return path;
}

/** The items of a list or rows of a table with their first lines. */
function partsOf(text: string, isFirst: (line: string) => boolean): { text: string; line: number }[] {
  const parts: { text: string; line: number }[] = [];
  for (const [at, line] of text.split('\n').entries()) {
    if (parts.length === 0 || isFirst(line)) parts.push({ text: line, line: at });
    else parts.at(-1)!.text += `\n${line}`;
  }
  return parts;
}

/** Reads a source with its neighbours into blocks, in order. Headings become part of their paths. */
export function quoteBlocks(source: GroundingSource, index: number): QuoteBlock[] {
  const { whole, from, to } = wholeText(source);
  const [firstRetrieved, lastRetrieved] = [lineAt(whole, from), lineAt(whole, to - 1)];
  const base = source.title.split(SEPARATOR);
  const blocks: QuoteBlock[] = [];
  const open: OpenHeading[] = [];
  const reading: Reading = { path: base, section: 0, term: '' };
  const add = (kind: QuoteBlock['kind'], written: string, { line, header = '' }: { line: number; header?: string }) => {
    const text = withClosedFence(written.trimEnd());
    const plain = plainText(text);
    if (SAYS_NOTHING.test(plain)) return;
    const { path, section, term } = reading;
    const last = line + written.trimEnd().split('\n').length - 1;
    blocks.push({
      source: index,
      at: blocks.length,
      kind,
      text,
      plain,
      lines: [line, last],
      words: countWords(plain),
      path,
      term,
      header,
      section,
      isFirst: blocks.length === 0 ? from === 0 : blocks.at(-1)!.section !== section,
      isRetrieved: line <= lastRetrieved && last >= firstRetrieved,
      own: new Set(terms(withoutMarks(text))),
      context: new Set(terms([...path, term, header].join(' '))),
    });
  };
  for (const { kind, text, line, level, title } of readWholeBlocks(whole)) {
    if (kind === 'heading') {
      Object.assign(reading, { path: openHeading({ title, level }, open, base), section: reading.section + 1, term: '' });
    } else if (kind === 'list')
      for (const item of partsOf(text, (written) => ITEM.test(written))) add('item', item.text, { line: line + item.line });
    else if (kind === 'table') {
      const [first, second, ...rows] = partsOf(text, () => true);
      const header = plainText(`${first!.text}\n${second?.text ?? ''}`);
      for (const row of rows) add('row', row.text, { line: line + row.line, header });
    } else if (kind === 'paragraph' && isTerm(text)) {
      reading.term = text;
      add('term', text, { line });
    } else if (kind === 'paragraph' || kind === 'fence') add(kind === 'fence' ? 'code' : 'paragraph', text, { line });
  }
  return blocks;
}
