import { type Block, readBlocks } from '../../text/markdown/blocks.ts';

/** What has to be brought in order: a quotation, code that is indented or whose closing line is. */
const NEEDS_ORDER = /^[ \t]*>|^[ \t]+(?:```|~~~)/m;

/** The marks of a quotation before what a line says, with those of a heading or of code behind them. */
const QUOTED = /^([ \t]*)(?:>[ \t]?)+(#{1,6}[ \t]+|[ \t]*(?:```|~~~))?/gm;

/** What quoted lines say. A heading in them is none of the text around. */
function unquoted(text: string): string {
  let isCode = false;
  return text.replace(QUOTED, (_marks, indent: string, behind = '') => {
    const isTitle = behind.startsWith('#');
    if (behind !== '' && !isTitle) isCode = !isCode;
    return isTitle && !isCode ? indent : indent + behind;
  });
}

const indentOf = (line: string): number => /^[ \t]*/.exec(line)![0].length;

/** How far a block is indented, in characters. */
const indentAt = (text: string, { start }: Block): number => start - (text.lastIndexOf('\n', start - 1) + 1);

/** The lines of a block without this much of their indentation. */
const outdented = (text: string, indent: number): string => text.replace(new RegExp(`^[ \\t]{0,${indent}}`, 'gm'), '');

/** A block of code without the indentation that all of it has. */
function outdentedCode(text: string): string {
  const below = text.split('\n').slice(1).filter((line) => line.trim() !== ''); // prettier-ignore
  return outdented(text, below.length > 0 ? Math.min(...below.map(indentOf)) : 0);
}

/** Code whose closing line is indented like its opening one: further in, it would be a line of the code. */
function withAlignedEnd(text: string, indent: number): string {
  const end = text.lastIndexOf('\n') + 1;
  const isClosing = end > 0 && /^\s*(?:`{3,}|~{3,})\s*$/.test(text.slice(end));
  return isClosing ? `${text.slice(0, end)}${' '.repeat(indent)}${text.slice(end).trim()}` : text;
}

/** A text of as many lines, in which quotations stand without their marks and blocks of code end as they begin. */
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

/** A block as it reads outside of what it is indented or quoted in, and the line of the text that it begins in, from 0. */
interface ReadBlock extends Pick<Block, 'kind' | 'level' | 'title'> {
  text: string;
  line: number;
}

/** The blocks of a text; what is indented below a list belongs to its last item. */
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

/** The line of a text that holds an offset, from 0. */
export function lineAt(text: string, offset: number): number {
  let line = 0;
  for (let at = text.indexOf('\n'); at >= 0 && at < offset; at = text.indexOf('\n', at + 1)) line++;
  return line;
}
