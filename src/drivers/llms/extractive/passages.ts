import type { GroundingSource } from '../../../ports.ts';
import { plainText } from './plain-text.ts';
import { sentencesOf } from './sentences.ts';

/** The least that can be quoted by itself: a sentence, a row of a table, an item of a list, a block of code. */
export interface Passage {
  /** Which of the sources, from 0. */
  source: number;
  /** Its place among the passages of its source, from 0. */
  at: number;
  /** Which block of the source it stands in: what is quoted from one block reads on. */
  block: number;
  kind: 'sentence' | 'row' | 'item' | 'code';
  /** As it is quoted: no Markdown but code, no markup, no numbers in brackets. */
  text: string;
  /** The heading above it, and for an item of a list the words that lead in: what is matched, though not quoted. */
  context: string;
  /** The passage that leads in to a list, where there is one: its place in the source. */
  lead?: number | undefined;
}

interface Block {
  kind: 'paragraph' | 'table' | 'list' | 'code' | 'heading';
  lines: string[];
}

const FENCE = /^\s*(?:```|~~~)/;
const HEADING = /^\s{0,3}#{1,6}\s+/;
const ITEM = /^\s*(?:[-*+•]|\d{1,3}[.)])\s+/;
const TABLE = /^\s*\|.*\|\s*$/;
const RULE = /^\s*\|?(?:\s*:?-+:?\s*\|)*\s*:?-+:?\s*\|?\s*$/;
/** A line of a table of contents: dots to the number of a page. */
const LEADER = /\.{4,}\s*\d+\s*$/;

function kindOf(line: string): Block['kind'] {
  if (HEADING.test(line)) return 'heading';
  if (TABLE.test(line)) return 'table';
  return ITEM.test(line) ? 'list' : 'paragraph';
}

/** Whether a line goes on with the block before it; `apart`: an empty line lies between them. */
function goesOn(line: string, { kind: last }: Block, apart: boolean): boolean {
  const kind = kindOf(line);
  if (last === 'heading' || last === 'code') return false;
  if (kind === 'paragraph' && last === 'list') return !apart || /^\s{2,}/.test(line);
  return kind === last && (!apart || kind === 'list');
}

/** The blocks of a Markdown text. Lenient: whatever is nothing else is a paragraph. */
function blocksOf(text: string): Block[] {
  const blocks: Block[] = [];
  let fenced = false;
  let apart = true;
  for (const line of text.split('\n')) {
    const last = blocks.at(-1);
    const fence = FENCE.test(line);
    if (fenced) last!.lines.push(line);
    else if (fence) blocks.push({ kind: 'code', lines: [line] });
    else if (line.trim() !== '' && !LEADER.test(line)) {
      if (last && goesOn(line, last, apart)) last.lines.push(line);
      else blocks.push({ kind: kindOf(line), lines: [line] });
    }
    if (fence) fenced = !fenced;
    apart = line.trim() === '';
  }
  return blocks;
}

const cellsOf = (row: string): string[] =>
  row
    .trim()
    .replace(/^\||\|$/g, '')
    .split(/(?<!\\)\|/)
    .map((cell) => plainText(cell));

/** The rows of a table, each cell with what its column is called: a row by itself does not say what its cells are. */
function rowsOf(lines: readonly string[]): string[] {
  const rule = lines.findIndex((line) => RULE.test(line));
  const header = rule > 0 ? cellsOf(lines[rule - 1]!) : [];
  return lines
    .filter((line, i) => i > rule && !RULE.test(line))
    .map((line) => {
      const cells = cellsOf(line).map((cell, i) => (cell && header[i] ? `${header[i]}: ${cell}` : cell));
      return cells.filter((cell) => cell !== '').join('; ');
    });
}

/** The items of a list, with the lines that belong to them. */
function itemsOf(lines: readonly string[]): string[] {
  const items: string[] = [];
  for (const line of lines) {
    if (ITEM.test(line) || items.length === 0) items.push(line.replace(ITEM, ''));
    else items[items.length - 1] += ` ${line.trim()}`;
  }
  return items.map((item) => plainText(item));
}

/** Longest block of code, and longest item of a list, that is quoted whole, in characters. */
const LONGEST_WHOLE = 600;

function quotable({ kind, lines }: Block): { kind: Passage['kind']; texts: string[] } {
  if (kind === 'table') return { kind: 'row', texts: rowsOf(lines) };
  if (kind === 'code') {
    const code = lines.join('\n');
    return { kind: 'code', texts: code.length <= LONGEST_WHOLE ? [code] : [] };
  }
  if (kind === 'list')
    return { kind: 'item', texts: itemsOf(lines).flatMap((item) => (item.length <= LONGEST_WHOLE ? [item] : sentencesOf(item))) };
  return { kind: 'sentence', texts: sentencesOf(plainText(lines.map((line) => line.replace(/^\s*>\s?/, '')).join(' '))) };
}

/** What nobody asks for: no words, the small print around a text. */
const BOILERPLATE =
  /^[^\p{L}\p{N}]*$|^(?:table of contents|contents|back to top|skip to (?:main )?content|all rights reserved|(?:©|\(c\)|copyright)\s.*|share this|read more|previous|next|advertisement)\W*$/iu;

/** Longest line that heads a list without a mark of it, in characters. */
const LONGEST_HEAD = 80;

/** Whether a passage leads in to a list or a table behind it: with a colon, or as a short line that is no sentence. */
const leadsIn = ({ kind, text }: Passage): boolean =>
  text.endsWith(':') || (kind === 'sentence' && text.length <= LONGEST_HEAD && /[\p{L}\p{N}]$/u.test(text));

/** Everything in a source that can be quoted, in reading order. */
export function passagesOf({ title, text }: GroundingSource, source: number): Passage[] {
  const passages: Passage[] = [];
  let heading = '';
  let before: Passage | undefined;
  for (const [block, found] of blocksOf(text).entries()) {
    if (found.kind === 'heading') {
      heading = plainText(found.lines[0]!.replace(HEADING, ''));
      before = undefined;
      continue;
    }
    const { kind, texts } = quotable(found);
    const lead = kind !== 'sentence' && before && leadsIn(before) ? before : undefined;
    const context = [title, heading, lead?.text ?? ''].filter((part) => part !== '').join(' ');
    for (const quoted of texts.filter((candidate) => !BOILERPLATE.test(candidate))) {
      passages.push({ source, at: passages.length, block, kind, text: quoted, context, ...(lead ? { lead: lead.at } : {}) });
    }
    before = passages.at(-1);
  }
  return passages;
}
