import { codeFence, escapeStart, escapeTags, heading as writeHeading, linkTarget, oneLine } from '../markdown/write.ts';
import { layOut, writeTable } from '../table.ts';

/** A block of Markdown. Items that follow each other are one list, lines of code one fence. */
export interface Block {
  kind: 'paragraph' | 'heading' | 'item' | 'table' | 'quote' | 'code';
  text: string;
  /** Depth of an item, from 0. */
  depth?: number;
}

/** A piece of text with one format. */
export interface Run {
  /** Plain text, or Markdown if `isMarkdown`. */
  text: string;
  isMarkdown?: boolean | undefined;
  isBold?: boolean | undefined;
  isItalic?: boolean | undefined;
  isStruck?: boolean | undefined;
  /** The address of a link. */
  href?: string | undefined;
}

export const paragraph = (text: string): Block => ({ kind: 'paragraph', text });
export const heading = (level: number, text: string): Block => ({ kind: 'heading', text: writeHeading(level, text) });

/** Writes a comment as a quotation. */
export const comment = (author: string | undefined, text: string): Block => ({
  kind: 'quote',
  text: `> Comment${author ? ` (${oneLine(author)})` : ''}: ${text}`,
});

/** Labels that Markdown has for items. */
const MARKER = /^\d{1,9}[.)]$/;

/** Writes an item with its label and the space behind that, or a bullet if it has none. A label that Markdown does not have is part of the text. */
export function item(text: string, { depth = 0, label = '' }: { depth?: number; label?: string | undefined } = {}): Block {
  const marked = MARKER.test(label.trim()) ? `${label.trim()} ${escapeLines(text)}` : `- ${escapeLines(label + text)}`;
  return { kind: 'item', depth, text: marked };
}

/** Escapes the starts of lines of Markdown. */
export const escapeLines = (text: string): string => text.split('\n').map(escapeStart).join('\n');

/** Joins runs to Markdown; a line break in them is one of the text. */
export function writeRuns(runs: readonly Run[]): string {
  const joined: Run[] = [];
  for (const run of runs) {
    const last = joined.at(-1);
    const isSame = last && (['isMarkdown', 'isBold', 'isItalic', 'isStruck', 'href'] as const).every((key) => last[key] === run[key]);
    if (isSame) last.text += run.text;
    else if (run.text !== '') joined.push({ ...run });
  }
  const links: { href: string | undefined; text: string }[] = [];
  for (const run of joined) {
    const last = links.at(-1);
    if (last && last.href === run.href) last.text += emphasize(run);
    else links.push({ href: run.href, text: emphasize(run) });
  }
  return trimLines(links.map(({ href, text }) => (href === undefined ? text : surround(text, '[', `](${linkTarget(href)})`))).join(''));
}

function emphasize({ text, isMarkdown, isBold, isItalic, isStruck }: Run): string {
  const marks = `${isStruck ? '~~' : ''}${isBold ? '**' : ''}${isItalic ? '*' : ''}`;
  const words = isMarkdown ? text : escapeTags(text);
  return marks === '' || !/[\p{L}\p{N}]/u.test(text) || text.includes('\n')
    ? words
    : surround(words, marks, [...marks].toReversed().join(''));
}

/** Puts marks around words, not around the white space beside them. */
function surround(text: string, open: string, close: string): string {
  const words = text.trim();
  if (words === '') return text;
  const start = text.indexOf(words);
  return `${text.slice(0, start)}${open}${words}${close}${text.slice(start + words.length)}`;
}

/** Collapses white space in each line; two spaces at the end of a line make Markdown break it. */
const trimLines = (text: string): string => text.split('\n').map(oneLine).filter(Boolean).join('  \n');

/** The footnotes and endnotes of a document, which are a list behind its text. */
export class Notes {
  readonly #texts: string[] = [];

  /** Adds a note; returns its mark in the text, empty for a note without text. */
  add(text: string): string {
    return text === '' ? '' : `[${this.#texts.push(text)}]`;
  }

  /** Takes the notes so far. */
  take(): Block[] {
    return this.#texts.splice(0).map((text, index) => item(text, { label: `${index + 1}. ` }));
  }
}

/** What a header or footer holds. */
interface Margin {
  blocks: readonly Block[];
  hasPageNumber: boolean;
}

/** Lists the blocks of headers or footers, each text once (`written` holds those before), without the numbers of pages. */
export const marginBlocks = (margins: readonly Margin[], written: Set<string>): Block[] =>
  margins
    .flatMap(({ blocks, hasPageNumber }) => blocks.filter(({ text }) => !hasPageNumber || /\p{L}/u.test(text)))
    .filter(({ text }) => !written.has(text) && written.add(text));

/** A cell with its content. */
export interface BlockCell {
  blocks: readonly Block[];
  columns?: number;
  rows?: number;
}

/**
 * Writes a table, and the comments in it below. Cells of a table that only arranges its content are written one after another: it holds tables or
 * headings, or has one column.
 */
export function table(rows: readonly (readonly BlockCell[])[], headers?: number): Block[] {
  const all = rows.flat().flatMap(({ blocks }) => blocks);
  const isLayout = all.some(({ kind }) => kind === 'table' || kind === 'heading') || !rows.some((cells) => cells.length > 1);
  if (isLayout) return all;
  const grid = layOut(rows.map((cells) => cells.map(({ blocks, ...cell }) => ({ ...cell, text: cellText(blocks) }))));
  const text = writeTable(grid, headers || undefined);
  return [...(text === '' ? [] : [{ kind: 'table' as const, text }]), ...all.filter(({ kind }) => kind === 'quote')];
}

const cellText = (blocks: readonly Block[]): string => oneLine(writeBlocks(blocks.filter(({ kind }) => kind !== 'quote')));

/** Joins blocks to a Markdown text. */
export function writeBlocks(blocks: readonly Block[]): string {
  const indents: number[] = [];
  let text = '';
  for (let index = 0; index < blocks.length; index++) {
    const block = blocks[index]!;
    const isContinued = block.kind === 'item' && blocks[index - 1]?.kind === 'item';
    if (!isContinued) indents.length = 0;
    text += index === 0 ? '' : isContinued ? '\n' : '\n\n';
    if (block.kind !== 'code') text += block.kind === 'item' ? writeItem(block, indents) : block.text;
    else {
      const from = index;
      while (blocks[index + 1]?.kind === 'code') index += 1;
      const lines = blocks.slice(from, index + 1).map((line) => line.text);
      text += codeFence(lines.join('\n'), '');
    }
  }
  return text;
}

/** Indents an item by the markers of the items that it stands under. */
function writeItem({ depth = 0, text }: Block, indents: number[]): string {
  indents.length = Math.min(indents.length, depth);
  const indent = indents.reduce((sum, width) => sum + width, 0);
  indents.push(text.indexOf(' ') + 1);
  return `${' '.repeat(indent)}${text.replaceAll('\n', `\n${' '.repeat(indent + indents.at(-1)!)}`)}`;
}
