import type { GroundingSource } from '../../../ports/models.ts';
import { plainText } from './plain-text.ts';

/** A block of a source: its lines, and which of the source's they are, from 0. */
export interface Block {
  kind: 'paragraph' | 'table' | 'list' | 'code' | 'heading';
  lines: string[];
  places: number[];
}

const FENCE = /^\s*(?:```|~~~)/;
export const HEADING = /^\s{0,3}#{1,6}\s+/;
export const ITEM = /^\s*(?:[-*+•]|\d{1,3}[.)])\s+/;
/** A row; one that is cut off at its end or its beginning is one, too. */
const TABLE = /^\s*\|.*\S|\|.*\|\s*$/;
export const RULE = /^\s*\|?(?:\s*:?-+:?\s*\|)*\s*:?-+:?\s*\|?\s*$/;
/** The same with two columns at least, which makes a row of the line before it. */
const RULED = /^\s*\|?\s*:?-+:?\s*\|(?:\s*:?-+:?\s*\|)*\s*(?::?-+:?)?\s*$/;
const QUOTE = /^\s*>\s?/;
/** A line of a table of contents: dots to the number of a page. */
const LEADER = /\.{4,}\s*\d+\s*$/;

/** A heading of plain text: nothing but capitals, no figures, no full stop. */
const CAPITALS = /^(?=(?:[^\p{Lu}]*\p{Lu}){4})[^\p{Ll}\p{N}]{4,80}(?<![.!?:;,])$/u;

/** What is a heading though nothing marks it: a line of capitals where no more than half of the lines are, and a title. */
function isHeading({ title, text }: GroundingSource): (line: string) => boolean {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const capitals = lines.filter((line) => CAPITALS.test(line.trim()));
  const titles = new Set(title.toLowerCase().split(' › '));
  return (line) => titles.has(plainText(line).toLowerCase()) || (capitals.length * 2 <= lines.length && CAPITALS.test(line.trim()));
}

function kindOf(line: string): Block['kind'] {
  if (HEADING.test(line)) return 'heading';
  if (TABLE.test(line)) return 'table';
  return ITEM.test(line) ? 'list' : 'paragraph';
}

/** Whether a line goes on with the block before it; `apart`: an empty line lies between them. */
function goesOn(kind: Block['kind'], line: string, { last, apart }: { last: Block['kind']; apart: boolean }): boolean {
  if (last === 'heading' || last === 'code') return false;
  if (kind === 'paragraph' && last === 'list') return !apart || /^\s{2,}/.test(line);
  return kind === last && (!apart || kind === 'list');
}

/** The blocks of a Markdown text. Lenient: whatever is nothing else is a paragraph. */
export function blocksOf(source: GroundingSource): Block[] {
  const blocks: Block[] = [];
  const open = (kind: Block['kind'], line: string, place: number) => blocks.push({ kind, lines: [line], places: [place] });
  const add = (block: Block, line: string, place: number) => {
    block.lines.push(line);
    block.places.push(place);
  };
  const isBare = isHeading(source);
  const lines = source.text.split('\n');
  let fenced = false;
  let apart = true;
  for (const [i, whole] of lines.entries()) {
    const line = fenced ? whole : whole.replace(QUOTE, '');
    const last = blocks.at(-1);
    const fence = FENCE.test(line);
    if (fenced) add(last!, line, i);
    else if (fence) open('code', line, i);
    else if (line.trim() !== '' && !LEADER.test(line)) {
      const isRow = line.includes('|') && ((last?.kind === 'table' && !apart) || RULED.test(lines[i + 1] ?? ''));
      const bare = kindOf(line);
      const kind = isRow ? 'table' : bare === 'paragraph' && isBare(line) ? 'heading' : bare;
      if (last && goesOn(kind, line, { last: last.kind, apart })) add(last, line, i);
      else open(kind, line, i);
    }
    if (fence) fenced = !fenced;
    apart = line.trim() === '';
  }
  return blocks;
}
