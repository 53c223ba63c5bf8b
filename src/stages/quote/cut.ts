import { terms } from '../../base/terms.ts';
import { countWords, withClosedFence } from './blocks.ts';
import { sentencesOf } from './sentences.ts';

/** Says that something is left out. It counts as a word. */
const MORE = '…';

/** How many words of the question a text holds. */
export const held = (text: string, wanted: ReadonlySet<string>): number => new Set(terms(text)).intersection(wanted).size;

/** The first words of a text that has no place to be cut in. */
export function cutWords(text: string, room: number): string {
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
export function cutProse(text: string, wanted: ReadonlySet<string>, room: number): string | undefined {
  const sentences = sentencesOf(text);
  const within = withinRoom(sentences, { wanted, room });
  if (!within) return undefined;
  const [first, last] = within;
  const said = sentences.slice(first, last + 1).join(' ');
  return `${first > 0 ? `${MORE} ` : ''}${said}${last + 1 < sentences.length ? ` ${MORE}` : ''}`;
}

/** The lines of code that fit, from the first on, and a line that says that there are more; undefined where none fits. */
export function cutCode(text: string, room: number): string | undefined {
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
export function cutItem(text: string, wanted: ReadonlySet<string>, room: number): string | undefined {
  const [lead, ...parts] = partsOfItem(text);
  const indent = /^\s*/.exec(parts[0] ?? '')![0];
  const left = room - countWords(lead!);
  const within = withinRoom(parts, { wanted, room: left });
  if (left < 0 || !within) return left < 0 ? undefined : `${lead}\n${indent}${MORE}`;
  const [first, last] = within;
  const kept = parts.slice(first, last + 1);
  return [lead, ...(first > 0 ? [indent + MORE] : []), ...kept, ...(last + 1 < parts.length ? [indent + MORE] : [])].join('\n');
}

/** As many whole cells of a row as fit, and one that says that there are more; undefined where none fits. */
export function cutRow(row: string, room: number): string | undefined {
  const cells = row.split(/(?<!\\)\|/);
  const kept: string[] = [];
  for (const cell of cells) {
    if (countWords([...kept, cell, ` ${MORE} |`].join('|')) > room) break;
    kept.push(cell);
  }
  return kept.length > 1 ? `${kept.join('|')}| ${MORE} |` : undefined;
}
