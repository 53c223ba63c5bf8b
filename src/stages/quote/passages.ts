import { terms } from '../../text/terms.ts';
import { countWords, type QuoteBlock, closeFence } from './quote-blocks.ts';
import { sentencesOf } from '../../text/sentences.ts';

/** The ellipsis that marks omitted text. It counts as a word. */
const ELLIPSIS = '…';

/** Words reserved for an ellipsis at both ends. */
const ELLIPSIS_WORDS = 2;

/** Counts the question terms in a text. */
const countTerms = (text: string, wanted: ReadonlySet<string>): number => new Set(terms(text)).intersection(wanted).size;

/** Cuts a text after `room` words, regardless of sentences and cells. */
function cutWords(text: string, room: number): string {
  const [kept = ''] = new RegExp(String.raw`^\s*\S+(?:\s+\S+){0,${Math.max(0, Math.floor(room) - 1)}}`).exec(text) ?? [];
  return `${kept} ${ELLIPSIS}`;
}

/** Finds the range of parts (indices, inclusive) around the best that fits into `room` words; undefined if no part fits. */
function fitParts(parts: readonly string[], { wanted, room }: { wanted: ReadonlySet<string>; room: number }): [number, number] | undefined {
  const fits = (at: number, words = 0) => at in parts && words + countWords(parts[at]!) <= room;
  const matches = parts.map((part, at) => (fits(at) ? countTerms(part, wanted) : -1));
  const best = Math.max(...matches);
  if (parts.length === 0 || best < 0) return undefined;
  let first = matches.indexOf(best);
  let last = first;
  let words = countWords(parts[first]!);
  for (;;) {
    const next = [last + 1, first - 1].filter((at) => fits(at, words)).toSorted((a, b) => matches[b]! - matches[a]!)[0];
    if (next === undefined) return [first, last];
    words += countWords(parts[next]!);
    if (next < first) first = next;
    else last = next;
  }
}

/** Cuts prose to the whole sentences around the best that fit into `room` words; undefined if none fits. */
function cutProse(text: string, wanted: ReadonlySet<string>, room: number): string | undefined {
  const sentences = sentencesOf(text);
  const within = fitParts(sentences, { wanted, room });
  if (!within) return undefined;
  const [first, last] = within;
  const kept = sentences.slice(first, last + 1).join(' ');
  return `${first > 0 ? `${ELLIPSIS} ` : ''}${kept}${last + 1 < sentences.length ? ` ${ELLIPSIS}` : ''}`;
}

/** Cuts a code block to the first lines that fit, followed by an ellipsis; undefined if none fits. */
function cutCode(text: string, room: number): string | undefined {
  const lines = text.split('\n');
  let kept = 0;
  for (let words = 0; kept < lines.length; kept++) {
    words += countWords(lines[kept]!);
    if (words > room - 1) break;
  }
  return kept > 1 ? `${closeFence(lines.slice(0, kept).join('\n'))}\n\n${ELLIPSIS}` : undefined;
}

/** Splits a list item into its own text and each nested item, paragraph and code block. */
function splitItem(text: string): string[] {
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

/** Cuts a list item to its own text and the nested parts around the best that fit, with ellipses for the others; undefined if its own text does not fit. */
function cutItem(text: string, wanted: ReadonlySet<string>, room: number): string | undefined {
  const [lead, ...parts] = splitItem(text);
  const indent = /^\s*/.exec(parts[0] ?? '')![0];
  const left = room - countWords(lead!);
  const within = fitParts(parts, { wanted, room: left });
  if (left < 0 || !within) return left < 0 ? undefined : `${lead}\n${indent}${ELLIPSIS}`;
  const [first, last] = within;
  const kept = parts.slice(first, last + 1);
  return [lead, ...(first > 0 ? [indent + ELLIPSIS] : []), ...kept, ...(last + 1 < parts.length ? [indent + ELLIPSIS] : [])].join('\n');
}

/** Cuts a table row to the first cells that fit, followed by an ellipsis cell if some are omitted; undefined if none fits. */
function cutRow(row: string, room: number): string | undefined {
  const cells = row.split(/(?<!\\)\|/);
  const kept: string[] = [];
  for (const cell of cells) {
    if (countWords([...kept, cell, ` ${ELLIPSIS} |`].join('|')) > room) break;
    kept.push(cell);
  }
  if (kept.length === cells.length) return row;
  return kept.length > 1 ? `${kept.join('|')}| ${ELLIPSIS} |` : undefined;
}

/** A quotation from one source: adjacent blocks, or a part of a block that is too long. */
export interface QuotedPassage {
  blocks: readonly QuoteBlock[];
  /** Markdown without links; "…" marks omissions. */
  text: string;
  /** Whether a sentence, line or cell is truncated, or a row lacks its table header, because no whole part was short enough. */
  isBroken: boolean;
  /** Whether the block that the last one introduces is truncated. */
  isOpen?: boolean;
}

/** The end of a sentence, link or code. A paragraph without it continues in the next block. */
const ENDS = /[\p{P}\p{S}]\s*$/u;

/** Whether a block only introduces the next: the term of a definition, a line that ends with a colon, a sentence that continues in code. */
function introducesNext(all: readonly QuoteBlock[], at: number): boolean {
  const [block, next] = [all[at], all[at + 1]];
  if (!block) return false;
  if (block.kind === 'term' || /:\**\s*$/.test(block.text)) return true;
  return block.kind === 'paragraph' && next?.kind === 'code' && next.section === block.section && !ENDS.test(block.plain);
}

/** Whether a block is the first item of a list whose other items are omitted. */
const isLoneItem = (all: readonly QuoteBlock[], at: number): boolean =>
  all[at]!.kind === 'item' && all[at - 1]!.kind !== 'item' && all[at + 1]?.kind === 'item';

const LIST_NUMBER = /^\s{0,3}(\d{1,3})[.)]\s/;

/** Whether a block is an item of a numbered list. */
export const isListStep = ({ kind, text }: QuoteBlock): boolean => kind === 'item' && LIST_NUMBER.test(text);

/** Finds the index of the first item of the numbered list that a block belongs to; its own index if there is none or that item is missing. */
function firstStep(all: readonly QuoteBlock[], { at, section }: QuoteBlock): number {
  let first = at;
  const step = () => Number(LIST_NUMBER.exec(all[first]!.text)?.[1]);
  while (step() > 1 && all[first - 1]?.section === section) first--;
  return step() === 1 ? first : at;
}

/** The bonus of a block that is introduced by the one before it; higher than any ranking score. */
const INTRODUCED = 9;

/**
 * Extends a block within its section and definition, up to `room` words: by the steps before it, by its introduction, then greedily by the better
 * neighbour. The last block that is introduced is added even if it is too long.
 */
export function growPassage(
  all: readonly QuoteBlock[],
  seed: QuoteBlock,
  { room: most, gainOf }: { room: number; gainOf: (block: QuoteBlock) => number },
): readonly QuoteBlock[] {
  const room = most - ELLIPSIS_WORDS;
  let [first, last] = [seed.at, seed.at];
  const headers = new Set(['', seed.header]);
  const cost = ({ words: own, header }: QuoteBlock) => own + (headers.has(header) ? 0 : countWords(header));
  let words = Math.min(seed.words + countWords(seed.header), room);
  const fits = (block: QuoteBlock | undefined) => block?.section === seed.section && words + cost(block) <= room;
  const steps = all.slice(firstStep(all, seed), seed.at).reduce((sum, step) => sum + step.words, 0);
  if (words + steps <= room) [first, words] = [firstStep(all, seed), words + steps];
  while (introducesNext(all, first - 1) && fits(all[first - 1])) words += all[--first]!.words;
  for (;;) {
    const [before, after] = [all[first - 1], all[last + 1]];
    const gains = [
      { at: first - 1, gain: fits(before) && all[first]!.kind !== 'term' ? gainOf(before!) : -Infinity },
      {
        at: last + 1,
        gain: fits(after) && after!.kind !== 'term' ? gainOf(after!) + (introducesNext(all, last) ? INTRODUCED : 0) : -Infinity,
      },
    ];
    const { at, gain } = gains[1]!.gain >= gains[0]!.gain ? gains[1]! : gains[0]!;
    if (gain === -Infinity) break;
    words += cost(all[at]!);
    headers.add(all[at]!.header);
    if (at < first) first = at;
    else last = at;
  }
  if (last > seed.at && isLoneItem(all, last)) last--;
  while (last > seed.at && introducesNext(all, last)) last--;
  while (words <= room && introducesNext(all, last) && all[last + 1]?.section === seed.section) words += cost(all[++last]!);
  return all.slice(first, last + 1);
}

/** Joins blocks to Markdown: table rows under their header, list items without blank lines between them. */
function passageText(blocks: readonly QuoteBlock[]): string {
  return blocks.reduce((text, block, i) => {
    const before = blocks[i - 1];
    const header = block.header !== '' && before?.header !== block.header ? `${block.header}\n` : '';
    const isSame = before?.kind === block.kind && (block.kind === 'row' ? header === '' : block.kind === 'item');
    return `${text}${i === 0 ? '' : isSame ? '\n' : '\n\n'}${header}${block.plain}`;
  }, '');
}

/** Whether two adjacent blocks are rows of one table or items of one list. */
const isInSameList = (block: QuoteBlock, other: QuoteBlock | undefined): boolean =>
  (block.kind === 'row' || block.kind === 'item') &&
  other?.kind === block.kind &&
  other.header === block.header &&
  other.section === block.section;

/** Marks omitted rows and items before and after the blocks by an ellipsis in a row or on a line of its own. */
function markOmissions(text: string, blocks: readonly QuoteBlock[], all: readonly QuoteBlock[]): string {
  const [first, last] = [blocks[0], blocks.at(-1)];
  if (!first || !last) return text;
  const header = first.header === '' ? '' : `${first.header}\n`;
  const begun = first.kind === 'row' ? `${header}|${ELLIPSIS}|\n${text.slice(header.length)}` : `${ELLIPSIS}\n\n${text}`;
  const opened = isInSameList(first, all[first.at - 1]) ? begun : text;
  return isInSameList(last, all[last.at + 1]) ? `${opened}${last.kind === 'row' ? `\n|${ELLIPSIS}|` : `\n\n${ELLIPSIS}`}` : opened;
}

/** A list item with nested items, code or several paragraphs, which is cut between lines. */
const HAS_NESTED_LINES = /\n[^\S\n]*(?:[-*+]|\d+[.)]|```|~~~|\n)/;

/** Truncates a block to `room` words at a sentence, cell or line boundary; undefined if no whole part fits. */
function cutBlock(block: QuoteBlock, { room, wanted }: { room: number; wanted: ReadonlySet<string> }): string | undefined {
  const { kind, plain, header } = block;
  const beside = room - ELLIPSIS_WORDS - countWords(header);
  if (kind === 'row') {
    const isBelow = beside >= room / 2;
    const row = countWords(plain) <= beside ? plain : cutRow(plain, isBelow ? beside : room - ELLIPSIS_WORDS);
    return row && (isBelow ? `${header}\n${row}` : row);
  }
  if (kind === 'code') return cutCode(plain, room - ELLIPSIS_WORDS);
  if (kind === 'item' && HAS_NESTED_LINES.test(plain)) return cutItem(plain, wanted, room - ELLIPSIS_WORDS);
  return cutProse(plain, wanted, room - ELLIPSIS_WORDS);
}

/** Renders blocks as a quotation of at most `room` words; `all` are the blocks of the source. Truncated and omitted text is marked. */
export function renderPassage(
  blocks: readonly QuoteBlock[],
  { all, room, wanted }: { all: readonly QuoteBlock[]; room: number; wanted: ReadonlySet<string> },
): QuotedPassage {
  const [block, ...more] = blocks;
  const text = markOmissions(passageText(blocks), blocks, all);
  const isWhole = !block || countWords(text) <= room;
  if (isWhole) return { blocks, text, isBroken: false };
  if (more.length > 0) {
    const lead = blocks.slice(0, -1);
    const leadText = passageText(lead);
    const cut = cutBlock(more.at(-1)!, { room: room - countWords(leadText), wanted });
    return { blocks: cut === undefined ? lead : blocks, text: [leadText, cut ?? []].flat().join('\n\n'), isBroken: false, isOpen: true };
  }
  const cut = cutBlock(block, { room, wanted });
  const isBroken = cut === undefined || !cut.startsWith(block.header);
  return { blocks, text: cut ?? cutWords(block.plain.replace(/^[^\S\n]*(?:```|~~~).*$/gm, ''), room - ELLIPSIS_WORDS), isBroken };
}

/** Finds the sentence, item, row or line of a quotation with most question terms; the first of equals. */
export function bestSentence({ blocks, text }: QuotedPassage, wanted: ReadonlySet<string>): string {
  const parts = blocks.length === 1 ? [{ ...blocks[0]!, plain: text }] : blocks;
  const isProse = (kind: QuoteBlock['kind'], part: string) => (kind === 'paragraph' || kind === 'item') && !/^\s*(?:```|~~~)/.test(part);
  const candidates = parts
    .filter(({ kind }) => kind !== 'term')
    .flatMap(({ kind, plain: part }) =>
      (kind === 'item' ? splitItem(part) : [part]).flatMap((own) => (isProse(kind, own) ? sentencesOf(own) : [own.trim()])),
    );
  const matches = candidates.map((part) => countTerms(part, wanted));
  return candidates[matches.indexOf(Math.max(...matches))] ?? text;
}
