import type { Block } from './block.ts';
import { findCut, type Sizes, type Window } from './cuts.ts';
import { frameOf } from './frames.ts';
import type { Group } from './groups.ts';
import { overlapStart, type Before } from './overlap.ts';
import { skipSpace, trimEnd } from './whitespace.ts';

/** A chunk by its offsets. Its text is `opening`, the document from `from` to `end`, `closing`. */
export interface Piece {
  /** Where the text begins that is repeated from the chunk before; `start` where none is. */
  from: number;
  /** Where the chunk's own text begins and ends. */
  start: number;
  end: number;
  /** What a table or fence that goes on needs before it, and one that breaks off after it. */
  opening: string;
  closing: string;
}

export interface PackSizes extends Sizes {
  /** Characters repeated from the chunk before, at most. */
  overlap: number;
}

interface Packing {
  group: Group;
  sizes: PackSizes;
  /** What the chunk before holds of the same section; undefined where there is none. */
  before: Before | undefined;
}

/** Cuts a group into pieces of at most `longest` characters (see `findCut` for what may be longer), each of its own text at least `shortest` long. */
export function pack(text: string, blocks: readonly Block[], { group, sizes, before }: Packing): Piece[] {
  const pieces: Piece[] = [];
  let previous = before;
  let index = group.first;
  for (let start = skipSpace(text, group.start, group.end); ;) {
    const rest = group.end - start;
    const opening = frameAt(text, { block: blocks[index]!, offset: start, sizes })?.opening ?? '';
    // the last chunk repeats less rather than be followed by a scrap
    const limit = rest <= sizes.longest ? Math.min(sizes.overlap, sizes.longest - rest) : sizes.overlap;
    const from = opening === '' && previous ? overlapStart(text, previous, { start, limit }) : start;
    const room = sizes.longest - opening.length - (start - from);
    const piece: Piece = { from, start, end: group.end, opening, closing: '' };
    pieces.push(piece);
    if (rest <= room) return pieces;
    const window = windowOf(text, { start, end: group.end, room, shortest: sizes.shortest });
    const cut = findCut(text, blocks, { index, window, sizes });
    // what was kept whole beyond the bound needs the room of what is repeated
    if (cut > window.to) piece.from = start;
    if (cut >= group.end) return pieces;
    while (blocks[index]!.end < cut) index += 1;
    const block = blocks[index]!;
    piece.end = trimEnd(text, start, cut);
    if (cut < block.end) piece.closing = frameAt(text, { block, offset: cut, sizes })?.closing ?? '';
    previous = { block, start, end: piece.end };
    start = nextStart(text, { block, cut, end: group.end });
    while (blocks[index]!.end <= start) index += 1;
  }
}

/** Where a chunk with so much room may end, if it and what is left are to be long enough without the white space between them. White space that fills a chunk is cut all the same. */
function windowOf(text: string, { start, end, room, shortest }: { start: number; end: number; room: number; shortest: number }): Window {
  const farthest = start + room;
  const from = Math.min(farthest, skipSpace(text, start + shortest - 1, farthest) + 1);
  const to = trimEnd(text, start, end - shortest + 1) - 1;
  return { start, from, to: Math.max(from, Math.min(farthest, to)), end };
}

/** The frame of the table or fence that `offset` lies in; undefined outside its rows or code. */
function frameAt(text: string, { block, offset, sizes }: { block: Block; offset: number; sizes: Sizes }) {
  return offset >= block.body && offset > block.start ? frameOf(text, block, sizes.longest) : undefined;
}

/** Where the chunk after a cut begins: at its first character, but in code with the indentation of its line. */
function nextStart(text: string, { block, cut, end }: { block: Block; cut: number; end: number }): number {
  const start = skipSpace(text, cut, end);
  if (block.kind !== 'fence' || start >= block.end) return start;
  const newline = text.slice(cut, start).lastIndexOf('\n');
  return newline < 0 ? start : cut + newline + 1;
}
