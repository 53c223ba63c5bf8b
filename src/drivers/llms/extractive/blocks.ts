import type { GroundingSource } from '../../../ports/models.ts';
import { plainText } from './plain-text.ts';

/** A block of a source: its lines, and which of the source's they are, from 0. */
export interface Block {
  kind: 'paragraph' | 'table' | 'list' | 'code' | 'heading';
  lines: string[];
  places: number[];
  /** Capitals: of a heading that it may say something itself and is quoted, too; of a paragraph that no ordinary line belongs to it. */
  bare?: 'isSaid' | 'alone';
}

const FENCE = /^\s*(?:```|~~~)/;
export const HEADING = /^\s{0,3}#{1,6}\s+/;
export const ITEM = /^\s*(?:[-*+•]|\d{1,3}[.)])\s+/;
/** Whether a line is a row; one that is cut off at its end or its beginning is one, too. */
function isRowOf(line: string): boolean {
  const row = line.trim();
  return (row.startsWith('|') && row.length > 1) || (row.endsWith('|') && row.indexOf('|') < row.length - 1);
}

const RULE = /^\|?(?::?-+:?\|)*:?-+:?\|?$/;
/** The same with two columns at least, which makes a row of the line before it. */
const RULED = /^\|?:?-+:?\|(?::?-+:?\|)*(?::?-+:?)?$/;
const solid = (line: string): string => line.replace(/\s+/g, '');

/** Whether a line is the rule below the header of a table. */
export const isRule = (line: string): boolean => RULE.test(solid(line));
const QUOTE = /^\s*>\s?/;
/** A line of a table of contents: dots to the number of a page. */
const LEADER = /(?<!\.)\.{4,}\s*\d+\s*$/;

/** A heading of plain text: nothing but capitals, no figures, no full stop. */
const CAPITALS = /^(?=(?:[^\p{Lu}]*\p{Lu}){4})[^\p{Ll}\p{N}]{4,80}(?<![.!?:;,])$/u;

/** Words that make a warning or an order of a line of capitals, in several languages, and the colon of a label: it says something and heads nothing. */
const SAYS =
  /:|n['’]t\b|(?<!\p{L})(?:not?|never|do|don|only|must|keep|always|hot|risk|fire|shock|nicht|nie|niemals|keine?n?|nur|immer|gefahr|heiß|pas|jamais|ne|danger|nunca|peligro|solo|sólo|non|mai|pericolo|não|perigo|niet|nooit|gevaar)(?!\p{L})/iu;

/** Characters of a longer line, which is no heading. */
const LONGEST_HEADING = 500;

/** Words from which a heading of capitals may be a sentence of its own. */
const LONG_HEADING = 4;

/** What a line is though nothing marks it: `isSaid`, a heading that is quoted as well; `alone`, something said that no line of ordinary text goes on with. */
type Bare = 'heading' | 'isSaid' | 'alone' | undefined;

/** Tells of lines what they are: a title is a heading, and so is a line of capitals where no more than half of the lines are. */
function bareIn({ title, text }: GroundingSource): (line: string) => Bare {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const isStyle = lines.filter((line) => CAPITALS.test(line.trim())).length * 2 > lines.length;
  const titles = new Set(title.toLowerCase().split(' › '));
  return (line) => {
    if (line.length <= LONGEST_HEADING && titles.has(plainText(line).toLowerCase())) return 'heading';
    if (isStyle || !CAPITALS.test(line.trim())) return undefined;
    if (SAYS.test(line)) return 'alone';
    return line.trim().split(/\s+/).length >= LONG_HEADING ? 'isSaid' : 'heading';
  };
}

function kindOf(line: string): Block['kind'] {
  if (HEADING.test(line)) return 'heading';
  if (isRowOf(line)) return 'table';
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
  const bareOf = bareIn(source);
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
      const isRow = line.includes('|') && ((last?.kind === 'table' && !apart) || RULED.test(solid(lines[i + 1] ?? '')));
      const marked = kindOf(line);
      const bare = !isRow && marked === 'paragraph' ? bareOf(line) : undefined;
      const isMore = bare !== undefined && bare !== 'heading' && last?.bare === 'alone' && !apart;
      const kind = isRow ? 'table' : (bare === 'heading' || bare === 'isSaid') && !isMore ? 'heading' : marked;
      if (isMore || (last && last.bare !== 'alone' && bare === undefined && goesOn(kind, line, { last: last.kind, apart })))
        add(last!, line, i);
      else blocks.push({ kind, lines: [line], places: [i], ...(bare === 'isSaid' || bare === 'alone' ? { bare } : {}) });
    }
    if (fence) fenced = !fenced;
    apart = line.trim() === '';
  }
  return blocks;
}
