import { type Block, readBlocks, newlinesIn } from '@citekb/documents/markdown';
import { terms } from '../../text/terms.ts';
import type { GroundingSource } from '../../ports/models.ts';
import { plainText, withoutMarks } from '../../text/markdown/plain-text.ts';

/** Blockquotes and indented fences, which must be normalized for the block reader. */
const NEEDS_NORMALIZING = /^[ \t]*>|^[ \t]+(?:```|~~~)/m;

/** Blockquote markers at the start of a line, with the heading or fence markers after them. */
const QUOTED = /^([ \t]*)(?:>[ \t]?)+(#{1,6}[ \t]+|[ \t]*(?:```|~~~))?/gm;

/** Removes blockquote markers. A quoted heading becomes a paragraph, since it begins no section of the surrounding text. */
function removeQuoteMarkers(text: string): string {
  let isCode = false;
  return text.replace(QUOTED, (_marks, indent: string, behind = '') => {
    const isTitle = behind.startsWith('#');
    if (behind !== '' && !isTitle) isCode = !isCode;
    return isTitle && !isCode ? indent : indent + behind;
  });
}

const indentOf = (line: string): number => /^[ \t]*/.exec(line)![0].length;

/** The indentation of a block, in characters. */
const indentAt = (text: string, { start }: Block): number => start - (text.lastIndexOf('\n', start - 1) + 1);

/** Removes up to `indent` characters of indentation from each line. */
const outdent = (text: string, indent: number): string => text.replace(new RegExp(`^[ \\t]{0,${indent}}`, 'gm'), '');

/** Removes the common indentation of a code block. */
function outdentCode(text: string): string {
  const below = text.split('\n').slice(1).filter((line) => line.trim() !== ''); // prettier-ignore
  return outdent(text, below.length > 0 ? Math.min(...below.map(indentOf)) : 0);
}

/** Aligns a closing fence with its opening fence; indented further, it would count as a line of code. */
function alignClosingFence(text: string, indent: number): string {
  const end = text.lastIndexOf('\n') + 1;
  const isClosing = end > 0 && /^\s*(?:`{3,}|~{3,})\s*$/.test(text.slice(end));
  return isClosing ? `${text.slice(0, end)}${' '.repeat(indent)}${text.slice(end).trim()}` : text;
}

/** Normalizes Markdown without changing its line numbers: removes blockquote markers, aligns closing fences with opening ones. */
function normalizeLines(markdown: string): string {
  if (!NEEDS_NORMALIZING.test(markdown)) return markdown;
  const ordered = (text: string, order: (block: Block) => string): string => {
    let [shown, at] = ['', 0];
    for (const block of readBlocks(text)) {
      shown += text.slice(at, block.start) + order(block);
      at = block.end;
    }
    return shown + text.slice(at);
  };
  const isProse = ({ kind }: Block) => kind === 'paragraph' || kind === 'list';
  const unmarked = ordered(markdown, (block) => {
    const text = markdown.slice(block.start, block.end);
    return isProse(block) ? removeQuoteMarkers(text) : text;
  });
  return ordered(unmarked, (block) => {
    const text = unmarked.slice(block.start, block.end);
    return block.kind === 'fence' ? alignClosingFence(text, indentAt(unmarked, block)) : text;
  });
}

/** A block without its indentation and blockquote markers, and its first line in the text, from 0. */
interface ReadBlock extends Pick<Block, 'kind' | 'level' | 'title'> {
  text: string;
  line: number;
}

/** Reads the blocks of a text; indented content after a list belongs to its last item. */
export function readWholeBlocks(markdown: string): ReadBlock[] {
  const text = normalizeLines(markdown);
  const blocks: Block[] = [];
  for (const block of readBlocks(text)) {
    const last = blocks.at(-1);
    const isWithin = last?.kind === 'list' && block.kind !== 'heading' && indentAt(text, block) >= indentAt(text, last) + 2;
    if (isWithin) last.end = block.end;
    else blocks.push(block);
  }
  let [line, counted] = [0, 0];
  return blocks.map((block) => {
    const { kind, level, title, start, end } = block;
    const own = outdent(text.slice(start, end), indentAt(text, block));
    line += newlinesIn(text.slice(counted, start));
    counted = start;
    return { kind, level, title, text: kind === 'fence' ? outdentCode(own) : own, line };
  });
}

/** The line number of an offset, from 0. */
const lineAt = (text: string, offset: number): number => newlinesIn(text.slice(0, Math.max(0, offset)));

/** Line numbers in a source with its neighbouring text, from 0, inclusive. */
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
export const TITLE_SEPARATOR = ' › ';

const ITEM = /^ {0,1}(?:[-*+•]|\d{1,3}[.)])\s+/;

/** A line of only bold text or code: a defined term, an option, the caption of a table. */
const TERM =
  /^(?:\*\*[^\n]{1,200}\*\*|`[^`\n]{1,120}`(?:[,;\s]+`[^`\n]{1,120}`)*|\*\*?`[^`\n]{1,120}`[^\n.]{0,60}\*?\*)(?:\s*\([^)\n]{0,60}\))?:?$/;
const MAX_TERM_WORDS = 16;

/** Closes the last fence if it is open, with its indentation. */
export function closeFence(text: string): string {
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

const isTerm = (text: string): boolean => countWords(text) <= MAX_TERM_WORDS && TERM.test(text.trim());

/** Lines without content: no letters or digits, entries of a table of contents, copyright notices. */
const NO_CONTENT = /^[^\p{L}\p{N}]*$|(?<!\.)\.{4,}\s*\d+\s*$|^(?:©|\(c\)\s|copyright\s)/iu;

/** Joins the text of a source with its neighbouring text; `from` and `to` are the range of the retrieved chunk. */
export function joinNeighbours({ before = '', text, after = '' }: GroundingSource): { whole: string; from: number; to: number } {
  return { whole: before + text + after, from: before.length, to: before.length + text.length };
}

/** A heading with the path that ends in it. */
interface OpenHeading {
  level: number;
  path: readonly string[];
}

/**
 * The path below a heading: up to the heading if the source's path contains it, else below the heading above it. Without one, it continues the path
 * of `before` (the last heading so far, else the source) as far as their levels allow.
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

/** Opens a heading, closes the open ones that it is not below, and returns the path below it. */
function openHeading(heading: { title: string; level: number }, open: OpenHeading[], base: readonly string[]): readonly string[] {
  const before = open.at(-1);
  while (open.length > 0 && open.at(-1)!.level >= heading.level) open.pop();
  const path = pathBelow(heading, { base, above: open.at(-1), before });
  open.push({ level: heading.level, path });
  return path;
}

/** Splits a list into items or a table into rows, with the first line of each. */
function splitParts(text: string, isFirst: (line: string) => boolean): { text: string; line: number }[] {
  const parts: { text: string; line: number }[] = [];
  for (const [at, line] of text.split('\n').entries()) {
    if (parts.length === 0 || isFirst(line)) parts.push({ text: line, line: at });
    else parts.at(-1)!.text += `\n${line}`;
  }
  return parts;
}

/** A text that becomes a block, and what is known about it. */
interface WrittenBlock extends Pick<QuoteBlock, 'kind' | 'path' | 'section' | 'term'> {
  text: string;
  /** Its first line, from 0. */
  line: number;
  /** The table header of a row. */
  header?: string;
}

/**
 * Reads a source with its neighbours, and yields its blocks in order, one by one: those of a long text take seconds. Headings become part of their
 * paths.
 */
export function* readQuoteBlocks(source: GroundingSource, index: number): Generator<QuoteBlock, void> {
  const { whole, from, to } = joinNeighbours(source);
  const [firstRetrieved, lastRetrieved] = [lineAt(whole, from), lineAt(whole, to - 1)];
  let at = 0;
  let previousSection: number | undefined;
  for (const { kind, text: written, line, path, section, term, header = '' } of writtenBlocks(whole, source.title.split(TITLE_SEPARATOR))) {
    const text = closeFence(written.trimEnd());
    const plain = plainText(text);
    if (NO_CONTENT.test(plain)) continue;
    const last = line + newlinesIn(written.trimEnd());
    yield {
      source: index,
      at,
      kind,
      text,
      plain,
      lines: [line, last],
      words: countWords(plain),
      path,
      term,
      header,
      section,
      isFirst: at === 0 ? from === 0 : previousSection !== section,
      isRetrieved: line <= lastRetrieved && last >= firstRetrieved,
      own: new Set(terms(withoutMarks(text))),
      context: new Set(terms([...path, term, header].join(' '))),
    };
    at++;
    previousSection = section;
  }
}

/** Yields the texts of blocks below the path `base`, in order. */
function* writtenBlocks(whole: string, base: readonly string[]): Generator<WrittenBlock, void> {
  const open: OpenHeading[] = [];
  let [path, section, term]: [readonly string[], number, string] = [base, 0, ''];
  for (const { kind, text, line, level, title } of readWholeBlocks(whole)) {
    const place = { path, section, term };
    if (kind === 'heading') {
      [path, section, term] = [openHeading({ title, level }, open, base), section + 1, ''];
    } else if (kind === 'list')
      for (const item of splitParts(text, (written) => ITEM.test(written)))
        yield { ...place, kind: 'item', text: item.text, line: line + item.line };
    else if (kind === 'table') {
      const [first, second, ...rows] = splitParts(text, () => true);
      const header = plainText(`${first!.text}\n${second?.text ?? ''}`);
      for (const row of rows) yield { ...place, kind: 'row', text: row.text, line: line + row.line, header };
    } else if (kind === 'paragraph' && isTerm(text)) {
      term = text;
      yield { ...place, term, kind: 'term', text, line };
    } else if (kind === 'paragraph' || kind === 'fence') yield { ...place, kind: kind === 'fence' ? 'code' : 'paragraph', text, line };
  }
}
