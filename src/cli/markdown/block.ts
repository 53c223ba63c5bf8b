import type { ChalkInstance } from 'chalk';
import type { Paint } from './flow.ts';

/** What a line of Markdown is. `rest` is what of a text has been read beyond its mark. */
export type Block =
  | { kind: 'blank' | 'table' | 'rule' }
  | { kind: 'fence'; fence: string }
  | { kind: 'text'; first?: string; hang?: string; paint?: Paint; rest: string };

export interface BlockOptions {
  color: ChalkInstance;
  columns: number;
  /** Whether `head` is the whole line. */
  isOver: boolean;
}

/** Beginnings of a line that may become anything yet. */
const UNDECIDED = /^\s*(?:#{1,6}\s*|[-*+_][\s*_-]*|\d{1,9}(?:[.)]\s*)?|>\s*|`{1,2}|~{1,2}|(?:`{3}|~{3}|\|).*)?$/;
const RULE = /^\s*([-*_])(?:\s*\1){2,}\s*$/;
const FENCE = /^\s*(`{3,}(?!.*`)|~{3,})/;
const HEADING = /^\s{0,3}(#{1,6})\s+(?=\S)/;
const ITEM = /^(\s*)([-*+]|\d{1,9}[.)])\s+(?=\S)/;
const QUOTE = /^\s*>\s*(?=\S|$)/;

/** What the line that begins with `head` is; undefined while that is open. Once `isOver`, it is something. */
export function blockOf(head: string, { color, columns, isOver }: BlockOptions): Block | undefined {
  if (!isOver && UNDECIDED.test(head)) return undefined;
  if (head.trim() === '') return { kind: 'blank' };
  if (/^\s*\|/.test(head)) return { kind: 'table' };
  const [, fence] = FENCE.exec(head) ?? [];
  if (fence) return { kind: 'fence', fence };
  if (RULE.test(head)) return { kind: 'rule' };
  const [title, marks = ''] = HEADING.exec(head) ?? [];
  if (title !== undefined) return heading(head.slice(title.length), marks, color);
  const [item, blanks = '', mark = ''] = ITEM.exec(head) ?? [];
  if (item !== undefined) return listItem(head.slice(item.length), { mark, indent: indentOf(blanks, columns) });
  const [quote] = QUOTE.exec(head) ?? [];
  if (quote !== undefined) return { kind: 'text', first: color.dim('│ '), hang: color.dim('│ '), rest: head.slice(quote.length) };
  const indent = indentOf(/^\s*/.exec(head)![0], columns);
  return { kind: 'text', first: indent, hang: indent, rest: head.trimStart() };
}

/** Without colours its marks say that it is a heading. */
const heading = (rest: string, marks: string, color: ChalkInstance): Block =>
  color.level > 0 ? { kind: 'text', paint: color.bold, rest } : { kind: 'text', first: `${marks} `, rest };

function listItem(rest: string, { mark, indent }: { mark: string; indent: string }): Block {
  const first = `${indent}${/\d/.test(mark) ? mark : '•'} `;
  return { kind: 'text', first, hang: ' '.repeat(first.length), rest };
}

/** Blanks before a line, of which a narrow terminal has room for few. */
const indentOf = (blanks: string, columns: number): string =>
  ' '.repeat(Math.min(blanks.replaceAll('\t', '    ').length, Math.floor(columns / 4)));
