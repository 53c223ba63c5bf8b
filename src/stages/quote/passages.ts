import { countWords, type QuoteBlock } from './blocks.ts';
import { cutCode, cutItem, cutProse, cutRow, cutWords, held } from './cut.ts';
import { sentencesOf } from './sentences.ts';

/** What is quoted from one source: blocks that follow each other, or a part of one that is too long. */
export interface QuotedPassage {
  blocks: readonly QuoteBlock[];
  /** Markdown without links. Where something is left out, it says «…». */
  text: string;
  /** Whether a sentence, a line or a cell is broken off: nothing whole was short enough. */
  isBroken: boolean;
}

/** Whether a block only introduces what follows it: the term of a definition, a line that ends with a colon. */
const leadsIn = (block: QuoteBlock | undefined): boolean => block !== undefined && (block.kind === 'term' || /:\**\s*$/.test(block.text));

/** How likely a block is to help: set by the ranking. */
export type Worth = (block: QuoteBlock) => number;

/** What a block that the one before it introduces has ahead of any other. */
const INTRODUCED = 9;

/**
 * The blocks around one of a source, in `room` words: what introduces it, then the better of its neighbours, one after the other, within its section
 * and its definition.
 */
export function grow(all: readonly QuoteBlock[], seed: QuoteBlock, { room, worth }: { room: number; worth: Worth }): readonly QuoteBlock[] {
  let [first, last] = [seed.at, seed.at];
  const headers = new Set(['', seed.header]);
  const cost = ({ words: own, header }: QuoteBlock) => own + (headers.has(header) ? 0 : countWords(header));
  let words = Math.min(seed.words + countWords(seed.header), room);
  const fits = (block: QuoteBlock | undefined) => block?.section === seed.section && words + cost(block) <= room;
  while (leadsIn(all[first - 1]) && fits(all[first - 1])) words += all[--first]!.words;
  for (;;) {
    const [before, after] = [all[first - 1], all[last + 1]];
    const gains = [
      { at: first - 1, gain: fits(before) && all[first]!.kind !== 'term' ? worth(before!) : -Infinity },
      { at: last + 1, gain: fits(after) && after!.kind !== 'term' ? worth(after!) + (leadsIn(all[last]) ? INTRODUCED : 0) : -Infinity },
    ];
    const { at, gain } = gains[1]!.gain >= gains[0]!.gain ? gains[1]! : gains[0]!;
    if (gain === -Infinity) break;
    words += cost(all[at]!);
    headers.add(all[at]!.header);
    if (at < first) first = at;
    else last = at;
  }
  while (last > seed.at && leadsIn(all[last])) last--;
  return all.slice(first, last + 1);
}

/** The text of blocks as they stood: the rows of a table below its header, items of a list together. */
export function textOf(blocks: readonly QuoteBlock[]): string {
  return blocks.reduce((text, block, i) => {
    const before = blocks[i - 1];
    const header = block.header !== '' && before?.header !== block.header ? `${block.header}\n` : '';
    const isSame = before?.kind === block.kind && (block.kind === 'row' ? header === '' : block.kind === 'item');
    return `${text}${i === 0 ? '' : isSame ? '\n' : '\n\n'}${header}${block.plain}`;
  }, '');
}

/** A list, code or several paragraphs within an item: cut between its lines. */
const HAS_LINES = /\n[^\S\n]*(?:[-*+]|\d+[.)]|```|~~~|\n)/;

/** Words that say that something is left out before and behind. */
const MARKS = 2;

/** One block in `room` words: a paragraph is cut between sentences, a row between cells, what has lines between them. Undefined where nothing whole fits. */
function cutBlock(block: QuoteBlock, { room, wanted }: { room: number; wanted: ReadonlySet<string> }): string | undefined {
  const { kind, plain, header } = block;
  const beside = room - MARKS - countWords(header);
  if (kind === 'row') {
    const isBelow = beside >= room / 2;
    const row = countWords(plain) <= beside ? plain : cutRow(plain, isBelow ? beside : room - MARKS);
    return row && (isBelow ? `${header}\n${row}` : row);
  }
  if (kind === 'code') return cutCode(plain, room - MARKS);
  if (kind === 'item' && HAS_LINES.test(plain)) return cutItem(plain, wanted, room - MARKS);
  return cutProse(plain, wanted, room - MARKS);
}

/** Blocks as a passage of at most `room` words; one that is longer is cut, and says so. */
export function passageOf(blocks: readonly QuoteBlock[], { room, wanted }: { room: number; wanted: ReadonlySet<string> }): QuotedPassage {
  const [block, ...more] = blocks;
  const isWhole = !block || more.length > 0 || block.words + countWords(block.header) <= room;
  if (isWhole) return { blocks, text: textOf(blocks), isBroken: false };
  const cut = cutBlock(block, { room, wanted });
  return { blocks, text: cut ?? cutWords(block.plain.replace(/^[^\S\n]*(?:```|~~~).*$/gm, ''), room - MARKS), isBroken: cut === undefined };
}

/** The sentence, item, row or line of a passage that holds most of the words that are asked for; the first of equals. */
export function bestSentence({ blocks, text }: QuotedPassage, wanted: ReadonlySet<string>): string {
  const parts = blocks.length === 1 ? [{ ...blocks[0]!, plain: text }] : blocks;
  const said = parts.flatMap(({ kind, plain: part }) =>
    kind === 'paragraph' || kind === 'item' ? sentencesOf(part) : kind === 'term' ? [] : [part],
  );
  const worth = said.map((part) => held(part, wanted));
  return said[worth.indexOf(Math.max(...worth))] ?? text;
}
