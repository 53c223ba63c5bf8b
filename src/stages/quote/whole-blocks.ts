import { type Block, readBlocks } from '../../text/markdown/blocks.ts';

/** Blockquotes and indented code fences, which the block reader needs normalized. */
const NEEDS_ORDER = /^[ \t]*>|^[ \t]+(?:```|~~~)/m;

/** Blockquote markers at the start of a line, with the heading or fence markers after them. */
const QUOTED = /^([ \t]*)(?:>[ \t]?)+(#{1,6}[ \t]+|[ \t]*(?:```|~~~))?/gm;

/** The text without blockquote markers. A quoted heading becomes a paragraph, since it starts no section of the surrounding text. */
function unquoted(text: string): string {
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
const outdented = (text: string, indent: number): string => text.replace(new RegExp(`^[ \\t]{0,${indent}}`, 'gm'), '');

/** Removes the common indentation of a code block. */
function outdentedCode(text: string): string {
  const below = text.split('\n').slice(1).filter((line) => line.trim() !== ''); // prettier-ignore
  return outdented(text, below.length > 0 ? Math.min(...below.map(indentOf)) : 0);
}

/** Aligns a closing fence with its opening fence; further in, it would count as a line of code. */
function withAlignedEnd(text: string, indent: number): string {
  const end = text.lastIndexOf('\n') + 1;
  const isClosing = end > 0 && /^\s*(?:`{3,}|~{3,})\s*$/.test(text.slice(end));
  return isClosing ? `${text.slice(0, end)}${' '.repeat(indent)}${text.slice(end).trim()}` : text;
}

/** Normalizes Markdown with the same number of lines: no blockquote markers, closing fences aligned with opening ones. */
function withOrderedLines(markdown: string): string {
  if (!NEEDS_ORDER.test(markdown)) return markdown;
  const ordered = (text: string, order: (block: Block) => string): string => {
    let [shown, at] = ['', 0];
    for (const block of readBlocks(text)) {
      shown += text.slice(at, block.start) + order(block);
      at = block.end;
    }
    return shown + text.slice(at);
  };
  const isProse = ({ kind }: Block) => kind === 'paragraph' || kind === 'list';
  const said = ordered(markdown, (block) => {
    const text = markdown.slice(block.start, block.end);
    return isProse(block) ? unquoted(text) : text;
  });
  return ordered(said, (block) => {
    const text = said.slice(block.start, block.end);
    return block.kind === 'fence' ? withAlignedEnd(text, indentAt(said, block)) : text;
  });
}

/** A block without its indentation and blockquote markers, and its first line in the text, from 0. */
interface ReadBlock extends Pick<Block, 'kind' | 'level' | 'title'> {
  text: string;
  line: number;
}

/** The blocks of a text; indented content after a list belongs to its last item. */
export function readWholeBlocks(markdown: string): ReadBlock[] {
  const text = withOrderedLines(markdown);
  const blocks: Block[] = [];
  for (const block of readBlocks(text)) {
    const last = blocks.at(-1);
    const isWithin = last?.kind === 'list' && block.kind !== 'heading' && indentAt(text, block) >= indentAt(text, last) + 2;
    if (isWithin) last.end = block.end;
    else blocks.push(block);
  }
  return blocks.map((block) => {
    const { kind, level, title, start, end } = block;
    const own = outdented(text.slice(start, end), indentAt(text, block));
    return { kind, level, title, text: kind === 'fence' ? outdentedCode(own) : own, line: lineAt(text, start) };
  });
}

/** The line number of an offset, from 0. */
export function lineAt(text: string, offset: number): number {
  let line = 0;
  for (let at = text.indexOf('\n'); at >= 0 && at < offset; at = text.indexOf('\n', at + 1)) line++;
  return line;
}
