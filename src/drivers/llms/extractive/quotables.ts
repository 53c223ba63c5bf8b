import { HEADING, isRule, ITEM, type Block } from './blocks.ts';
import { codeOf } from './identifiers.ts';
import { plainText } from './plain-text.ts';
import { sentencesOf } from './sentences.ts';

/** What of a block is quoted by itself. */
export interface Quotable {
  kind: 'sentence' | 'row' | 'item' | 'code';
  /** As it is quoted: no Markdown but code, no markup; brackets around numbers are escaped. */
  text: string;
  /** The lines of the source that it stands in, from 0, ends inclusive. */
  lines: readonly [first: number, last: number];
  /** The code that a row or an item is about, in small letters: what its first cell is, or what stands before its colon. */
  code?: string | undefined;
  /** Of a row what its cells say, and what their columns are called: a word of a column is one of every row. */
  cells?: string;
  labels?: string;
  /** The number of an item that has one, as it is written: one step of several. */
  step?: string | undefined;
}

const cellsOf = (row: string): string[] =>
  row
    .trim()
    .replace(/^\||\|$/g, '')
    .split(/(?<!\\)\|/)
    .map((cell) => plainText(cell));

/** The rows of a table, each cell with what its column is called: a row by itself does not say what its cells are. */
function rowsOf({ lines, places }: Block): Quotable[] {
  const rule = lines.findIndex(isRule);
  const header = rule > 0 ? cellsOf(lines[rule - 1]!) : [];
  return [...lines.keys()]
    .filter((i) => i > rule && !isRule(lines[i]!))
    .map((i) => {
      const own = cellsOf(lines[i]!);
      const labels = own.map((cell, at) => (cell ? (header[at] ?? '') : '')).join('; ');
      const cells = own.map((cell, at) => (cell && header[at] ? `${header[at]}: ${cell}` : cell)).filter((cell) => cell !== '');
      const text = cells.join('; ').replace(/(?<=[.!?…]);(?= )/g, '');
      return { kind: 'row', text, lines: [places[i]!, places[i]!], code: codeOf(own[0] ?? ''), cells: own.join('\n'), labels };
    });
}

const STEP = /^\s*(\d{1,3}[.)])\s/;

/** What stands before the colon or the dash of an item. */
const HEAD = /^(.{1,40}?)\s*(?::|\s[–—-])\s/u;

/** Longest block of code, and longest item of a list, that is quoted whole, in characters. */
const LONGEST_WHOLE = 600;

/** The items of a list, with the lines that belong to them; a long one by its sentences. */
function itemsOf({ lines, places }: Block): Quotable[] {
  const items: { text: string; lines: [number, number]; step: string | undefined }[] = [];
  for (const [i, line] of lines.entries()) {
    const last = items.at(-1);
    if (ITEM.test(line) || !last) items.push({ text: line.replace(ITEM, ''), lines: [places[i]!, places[i]!], step: STEP.exec(line)?.[1] });
    else Object.assign(last, { text: `${last.text} ${line.trim()}`, lines: [last.lines[0], places[i]!] });
  }
  return items.flatMap(({ text: written, lines: where, step }) => {
    const text = plainText(written);
    const texts = text.length <= LONGEST_WHOLE ? [text] : sentencesOf(text);
    return texts.map((part): Quotable => ({ kind: 'item', text: part, lines: where, code: codeOf(HEAD.exec(part)?.[1] ?? ''), step }));
  });
}

/** The sentences of a paragraph, each with the lines that it runs over; all of them where that can't be told. */
function sentencesIn({ lines, places }: Block): Quotable[] {
  const plain = lines.map((line) => plainText(line));
  let length = 0;
  const starts = plain.map((line) => (length += line.length + 1) - line.length - 1);
  const joined = plain.join(' ');
  const lineAt = (offset: number) => places[starts.findLastIndex((start) => start <= offset)]!;
  let from = 0;
  return sentencesOf(plainText(lines.join(' '))).map((text) => {
    const at = joined.indexOf(text, from);
    if (at < 0) return { kind: 'sentence', text, lines: [places[0]!, places.at(-1)!] };
    from = at + text.length;
    return { kind: 'sentence', text, lines: [lineAt(at), lineAt(from - 1)] };
  });
}

/** What can be quoted of a block, in reading order; of a heading nothing. */
export function quotables(block: Block): Quotable[] {
  const { kind, lines, places } = block;
  if (kind === 'heading') return [];
  if (kind === 'table') return rowsOf(block);
  if (kind === 'list') return itemsOf(block);
  if (kind === 'paragraph') return sentencesIn(block);
  const text = lines.join('\n');
  return text.length <= LONGEST_WHOLE ? [{ kind: 'code', text, lines: [places[0]!, places.at(-1)!] }] : [];
}

/** The words of a heading. */
export const headingOf = ({ lines }: Block): string => plainText(lines[0]!.replace(HEADING, ''));
