import { chunkId } from '../../base/ids.ts';
import type { Chunking } from '../../schema/config.ts';
import type { Chunk, Document } from '../../schema/items.ts';
import { passageKindOf } from '../page-kind.ts';
import type { Block } from './block.ts';
import { readBlocks } from './blocks.ts';
import { embedPath, embedText } from './embed-text.ts';
import { joinShort, type Group } from './groups.ts';
import { locator, markAt } from './locations.ts';
import type { Before } from './overlap.ts';
import { pack, type PackSizes, type Piece } from './pack.ts';
import { placeWords } from './place-words.ts';
import { toSections } from './sections.ts';

/**
 * Cuts a document into chunks, in the order of its text; every character other than white space is in one of them. None for a document without text.
 *
 * Text is cut by structure: at headings, else between blocks, sentences, words. `chunk_size` bounds `text`; a row or fence that is a little
 * too long for what is before it makes a chunk longer, by less than `min_chunk_length` and the header that a table repeats. Takes time in proportion to the text.
 */
export function chunkDocument(document: Document, chunking: Chunking): Chunk[] {
  const blocks = readBlocks(document.text);
  const sizes = sizesOf(chunking);
  const groups = joinShort(toSections(blocks, pageStarts(document, blocks)), sizes);
  const locate = locator(document, blocks);
  const place = placeWords(document.source);
  const chunks: Chunk[] = [];
  let before: { group: Group; piece: Piece } | undefined;
  for (const group of groups) {
    const path = embedPath({ place, title: document.title, headings: group.host.headings });
    const pieces = pack(document.text, blocks, { group, sizes, before: goesOn(blocks, group, before) });
    for (const [ordinal, piece] of pieces.entries()) {
      const text = textOf(document.text, piece, piece.from);
      const page_kind = document.metadata.page_kind ?? passageKindOf(text, group.host.headings);
      chunks.push({
        id: chunkId(document.id, group.host.key, ordinal),
        text,
        embed_text: embedText(path, textOf(document.text, piece, embedStart(blocks, group, piece))),
        source: document.source,
        metadata: { ...document.metadata, ...(page_kind ? { page_kind } : {}), title: document.title, location: locate(piece, group) },
      });
    }
    before = { group, piece: pieces.at(-1)! };
  }
  return chunks;
}

/** No chunk can be both: a piece is short below half of a chunk at most, and at most half of a chunk is repeated. */
function sizesOf({ chunk_size, chunk_overlap, min_chunk_length }: Chunking): PackSizes {
  const half = chunk_size >> 1;
  return { longest: chunk_size, shortest: Math.max(1, Math.min(min_chunk_length, half)), overlap: Math.min(chunk_overlap, half) };
}

/** Whether a block begins a page or sheet: not where it goes on in lower case with the sentence of the page before. */
function pageStarts({ text, marks = [] }: Document, blocks: readonly Block[]): (index: number) => boolean {
  if (!marks.some((mark) => mark.page !== undefined || mark.sheet !== undefined)) return () => false;
  return (index) => {
    const [before, here] = [markAt(marks, blocks[index - 1]!.start), markAt(marks, blocks[index]!.start)];
    if (before?.page === here?.page && before?.sheet === here?.sheet) return false;
    return !/^\s*\p{Ll}/u.test(text.slice(blocks[index]!.start, blocks[index]!.start + 20));
  };
}

/** The end of the chunk before a group, where both stand under the same headings: a page that goes on. */
function goesOn(blocks: readonly Block[], group: Group, before: { group: Group; piece: Piece } | undefined): Before | undefined {
  if (!before || blocks[group.first]!.kind === 'heading') return undefined;
  const same = before.group.host.headings.join('\0') === group.host.headings.join('\0');
  return same ? { block: blocks[before.group.last - 1]!, start: before.piece.start, end: before.piece.end } : undefined;
}

function textOf(text: string, { opening, closing, end }: Piece, from: number): string {
  const passage = opening + text.slice(from, end) + closing;
  return passage.includes('\r') ? passage.replaceAll('\r\n', '\n') : passage;
}

/** Where a chunk begins for the embedder: after the heading lines at its top that are in the path anyway. */
function embedStart(blocks: readonly Block[], { first, last, host }: Group, { from, start, end }: Piece): number {
  let after = from;
  for (let index = first; index < last; index++) {
    const block = blocks[index]!;
    const isTop = block.kind === 'heading' && block.start >= start && block.end <= end;
    if (!isTop || !host.headings.includes(block.title)) break;
    after = block.end;
  }
  return after;
}
