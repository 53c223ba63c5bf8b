import { fenceMark } from './block-kinds.ts';
import type { Block } from './block.ts';

/** What a chunk that begins or ends inside a table or fence needs around it to be read as one. */
interface Frame {
  /** Stands before what goes on: the header rows, or the opening line of the fence. */
  opening: string;
  /** Stands after what breaks off: nothing, or the closing line of the fence. */
  closing: string;
}

/** The frame of a table or fence; undefined for other blocks, and where the frame would take more than half of a chunk. */
export function frameOf(text: string, block: Block, longest: number): Frame | undefined {
  if (block.kind !== 'table' && block.kind !== 'fence') return undefined;
  if (block.body - block.start > longest / 2) return undefined;
  const opening = `${text.slice(block.start, block.body).trimEnd()}\n`;
  if (block.kind === 'table') return { opening, closing: '' };
  const indent = indentAt(text, block.start);
  return { opening: indent + opening, closing: `\n${indent}${fenceMark(text, block.start)}` };
}

/** The white space before `offset` in its line: a fence inside a list is indented like its code. */
function indentAt(text: string, offset: number): string {
  let start = offset;
  while (text[start - 1] === ' ' || text[start - 1] === '\t') start -= 1;
  return text.slice(start, offset);
}
