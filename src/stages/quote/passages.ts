import { terms } from '../../text/terms.ts';
import { countWords, type QuoteBlock, withClosedFence } from './quote-blocks.ts';
import { sentencesOf } from './quote-sentences.ts';

/** Says that something is left out. It counts as a word. */
const MORE = '…';

/** How many words of the question a text holds. */
const held = (text: string, wanted: ReadonlySet<string>): number => new Set(terms(text)).intersection(wanted).size;

/** The first words of a text that has no place to be cut in. */
function cutWords(text: string, room: number): string {
  const [kept = ''] = new RegExp(String.raw`^\s*\S+(?:\s+\S+){0,${Math.max(0, Math.floor(room) - 1)}}`).exec(text) ?? [];
  return `${kept} ${MORE}`;
}

/** The indices of the parts around the best that fit into `room` words together, ends inclusive; undefined where none fits. */
function withinRoom(
  parts: readonly string[],
  { wanted, room }: { wanted: ReadonlySet<string>; room: number },
): [number, number] | undefined {
  const fits = (at: number, words = 0) => at in parts && words + countWords(parts[at]!) <= room;
  const worth = parts.map((part, at) => (fits(at) ? held(part, wanted) : -1));
  const best = Math.max(...worth);
  if (parts.length === 0 || best < 0) return undefined;
  let first = worth.indexOf(best);
  let last = first;
  let words = countWords(parts[first]!);
  for (;;) {
    const next = [last + 1, first - 1].filter((at) => fits(at, words)).toSorted((a, b) => worth[b]! - worth[a]!)[0];
    if (next === undefined) return [first, last];
    words += countWords(parts[next]!);
    if (next < first) first = next;
    else last = next;
  }
}

/** As many whole sentences around the best as fit into `room` words. What is too long to be quoted whole is passed over; undefined where nothing else is. */
function cutProse(text: string, wanted: ReadonlySet<string>, room: number): string | undefined {
  const sentences = sentencesOf(text);
  const within = withinRoom(sentences, { wanted, room });
  if (!within) return undefined;
  const [first, last] = within;
  const said = sentences.slice(first, last + 1).join(' ');
  return `${first > 0 ? `${MORE} ` : ''}${said}${last + 1 < sentences.length ? ` ${MORE}` : ''}`;
}

/** The lines of code that fit, from the first on, and a line that says that there are more; undefined where none fits. */
function cutCode(text: string, room: number): string | undefined {
  const lines = text.split('\n');
  let kept = 0;
  for (let words = 0; kept < lines.length; kept++) {
    words += countWords(lines[kept]!);
    if (words > room - 1) break;
  }
  return kept > 1 ? `${withClosedFence(lines.slice(0, kept).join('\n'))}\n\n${MORE}` : undefined;
}

/** What an item says, and each item, paragraph and block of code below it. */
function partsOfItem(text: string): string[] {
  const parts: string[] = [];
  let fence = '';
  let isApart = true;
  for (const line of text.split('\n')) {
    const marks = /^\s*(`{3,}|~{3,})/.exec(line)?.[1] ?? '';
    const begins = fence === '' && (isApart || marks !== '' || /^\s+(?:[-*+]|\d+[.)])\s/.test(line));
    if (fence === '') fence = marks;
    else if (marks.startsWith(fence)) fence = '';
    isApart = fence === '' && (marks !== '' || line.trim() === '');
    if (begins && line.trim() !== '') parts.push(line);
    else parts.push(`${parts.pop() ?? ''}\n${line}`);
  }
  return parts.map((part) => part.trimEnd());
}

/** What an item says with those of its parts that fit around the best, and lines that say where others are left out; undefined where it does not fit itself. */
function cutItem(text: string, wanted: ReadonlySet<string>, room: number): string | undefined {
  const [lead, ...parts] = partsOfItem(text);
  const indent = /^\s*/.exec(parts[0] ?? '')![0];
  const left = room - countWords(lead!);
  const within = withinRoom(parts, { wanted, room: left });
  if (left < 0 || !within) return left < 0 ? undefined : `${lead}\n${indent}${MORE}`;
  const [first, last] = within;
  const kept = parts.slice(first, last + 1);
  return [lead, ...(first > 0 ? [indent + MORE] : []), ...kept, ...(last + 1 < parts.length ? [indent + MORE] : [])].join('\n');
}

/** As many whole cells of a row as fit, and where that is not all of them one that says that there are more; undefined where none fits. */
function cutRow(row: string, room: number): string | undefined {
  const cells = row.split(/(?<!\\)\|/);
  const kept: string[] = [];
  for (const cell of cells) {
    if (countWords([...kept, cell, ` ${MORE} |`].join('|')) > room) break;
    kept.push(cell);
  }
  if (kept.length === cells.length) return row;
  return kept.length > 1 ? `${kept.join('|')}| ${MORE} |` : undefined;
}

/** What is quoted from one source: blocks that follow each other, or a part of one that is too long. */
export interface QuotedPassage {
  blocks: readonly QuoteBlock[];
  /** Markdown without links. Where something is left out, it says «…». */
  text: string;
  /** Whether a sentence, a line or a cell is broken off, or a row stands without the header of its table: nothing whole was short enough. */
  isBroken: boolean;
}

/** Whether a block only introduces what follows it: the term of a definition, a line that ends with a colon. */
const leadsIn = (block: QuoteBlock | undefined): boolean => block !== undefined && (block.kind === 'term' || /:\**\s*$/.test(block.text));

/** Whether a block is the first item of a list whose others are left out. */
const isAlone = (all: readonly QuoteBlock[], at: number): boolean =>
  all[at]!.kind === 'item' && all[at - 1]!.kind !== 'item' && all[at + 1]?.kind === 'item';

/** How likely a block is to help: set by the ranking. */
type Worth = (block: QuoteBlock) => number;

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
  if (last > seed.at && isAlone(all, last)) last--;
  while (last > seed.at && leadsIn(all[last])) last--;
  return all.slice(first, last + 1);
}

/** The text of blocks as they stood: the rows of a table below its header, items of a list together. */
function passageText(blocks: readonly QuoteBlock[]): string {
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
  if (isWhole) return { blocks, text: passageText(blocks), isBroken: false };
  const cut = cutBlock(block, { room, wanted });
  const isBroken = cut === undefined || !cut.startsWith(block.header);
  return { blocks, text: cut ?? cutWords(block.plain.replace(/^[^\S\n]*(?:```|~~~).*$/gm, ''), room - MARKS), isBroken };
}

/** The sentence, item, row or line of a passage that holds most of the words that are asked for; the first of equals. */
export function bestSentence({ blocks, text }: QuotedPassage, wanted: ReadonlySet<string>): string {
  const parts = blocks.length === 1 ? [{ ...blocks[0]!, plain: text }] : blocks;
  const isProse = (kind: QuoteBlock['kind'], part: string) => (kind === 'paragraph' || kind === 'item') && !/^\s*(?:```|~~~)/.test(part);
  const said = parts
    .filter(({ kind }) => kind !== 'term')
    .flatMap(({ kind, plain: part }) =>
      (kind === 'item' ? partsOfItem(part) : [part]).flatMap((own) => (isProse(kind, own) ? sentencesOf(own) : [own.trim()])),
    );
  const worth = said.map((part) => held(part, wanted));
  return said[worth.indexOf(Math.max(...worth))] ?? text;
}
