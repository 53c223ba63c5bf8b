import { terms } from '../../base/terms.ts';
import { countWords, type QuoteBlock } from './blocks.ts';
import { sentencesOf } from './sentences.ts';

/** What is quoted from one source: blocks that follow each other, or a part of one that is too long. */
export interface QuotedPassage {
  blocks: readonly QuoteBlock[];
  /** Markdown. */
  text: string;
  /** Whether something of its last block is left out. */
  isCut: boolean;
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
  let words = Math.min(seed.words + countWords(seed.header), room);
  const fits = (block: QuoteBlock | undefined) => block?.section === seed.section && words + block.words <= room;
  while (leadsIn(all[first - 1]) && fits(all[first - 1])) words += all[--first]!.words;
  for (;;) {
    const [before, after] = [all[first - 1], all[last + 1]];
    const gains = [
      { at: first - 1, gain: fits(before) && all[first]!.kind !== 'term' ? worth(before!) : -Infinity },
      { at: last + 1, gain: fits(after) && after!.kind !== 'term' ? worth(after!) + (leadsIn(all[last]) ? INTRODUCED : 0) : -Infinity },
    ];
    const { at, gain } = gains[1]!.gain >= gains[0]!.gain ? gains[1]! : gains[0]!;
    if (gain === -Infinity) break;
    words += all[at]!.words;
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
    return `${text}${i === 0 ? '' : isSame ? '\n' : '\n\n'}${header}${block.text}`;
  }, '');
}

/** The words of the question that a text holds, weighed. */
const held = (text: string, wanted: ReadonlySet<string>): number => new Set(terms(text)).intersection(wanted).size;

/** As many whole sentences around the best as fit into `room` words; one at least. */
function cutProse(text: string, wanted: ReadonlySet<string>, room: number): string {
  const sentences = sentencesOf(text);
  const worth = sentences.map((sentence) => held(sentence, wanted));
  let first = worth.indexOf(Math.max(...worth));
  let last = first;
  let words = countWords(sentences[first]!);
  for (;;) {
    const fitting = [last + 1, first - 1].filter((at) => at in sentences && words + countWords(sentences[at]!) <= room);
    const next = fitting.toSorted((a, b) => worth[b]! - worth[a]!)[0];
    if (next === undefined) break;
    words += countWords(sentences[next]!);
    if (next < first) first = next;
    else last = next;
  }
  const said = sentences.slice(first, last + 1).join(' ');
  return `${first > 0 ? '… ' : ''}${said}${last + 1 < sentences.length ? ' …' : ''}`;
}

/** As many whole lines as fit, from the first on; of code with the lines of its fence. */
function cutLines(text: string, room: number): string {
  const fence = /^\s*(`{3,}|~{3,})/.exec(text)?.[1];
  const kept: string[] = [];
  let words = 0;
  for (const line of text.split('\n')) {
    words += countWords(line);
    if (words > room && kept.length > (fence ? 1 : 0)) break;
    kept.push(line);
  }
  return fence && kept.at(-1)?.trim() !== fence ? `${kept.join('\n')}\n${fence}` : kept.join('\n');
}

/** Blocks as a passage of at most `room` words: a paragraph is cut between sentences, a row, an item or code between lines. */
export function passageOf(blocks: readonly QuoteBlock[], { room, wanted }: { room: number; wanted: ReadonlySet<string> }): QuotedPassage {
  const [block, ...more] = blocks;
  const left = room - countWords(block?.header ?? '');
  if (!block || more.length > 0 || block.words <= left) return { blocks, text: textOf(blocks), isCut: false };
  const isProse = block.kind === 'paragraph' || (block.kind === 'item' && !/\n[^\S\n]*(?:[-*+]|\d+[.)]|```)/.test(block.text));
  const text = isProse ? cutProse(block.text, wanted, left) : textOf([{ ...block, text: cutLines(block.text, left) }]);
  return { blocks, text, isCut: !isProse };
}

/** The sentence, item, row or line of a passage that holds most of the words that are asked for; the first of equals. */
export function bestSentence({ blocks, text }: QuotedPassage, wanted: ReadonlySet<string>): string {
  const parts = blocks.length === 1 ? [{ ...blocks[0]!, text }] : blocks;
  const said = parts.flatMap(({ kind, text: part }) =>
    kind === 'paragraph' || kind === 'item' ? sentencesOf(part) : kind === 'term' ? [] : [part],
  );
  const worth = said.map((part) => held(part, wanted));
  return said[worth.indexOf(Math.max(...worth))] ?? text;
}
