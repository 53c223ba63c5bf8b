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

/** As many whole sentences around the best as fit into `room` words. What is too long to be quoted whole is passed over, as long as another sentence fits; undefined where none does. */
export function cutProse(text: string, wanted: ReadonlySet<string>, room: number): string | undefined {
  const sentences = sentencesOf(text);
  const fits = (at: number, words = 0) => at in sentences && words + countWords(sentences[at]!) <= room;
  const worth = sentences.map((sentence, at) => (fits(at) ? held(sentence, wanted) : -1));
  const best = Math.max(...worth);
  if (best < 0) return undefined;
  let first = worth.indexOf(best);
  let last = first;
  let words = countWords(sentences[first]!);
  for (;;) {
    const next = [last + 1, first - 1].filter((at) => fits(at, words)).toSorted((a, b) => worth[b]! - worth[a]!)[0];
    if (next === undefined) break;
    words += countWords(sentences[next]!);
    if (next < first) first = next;
    else last = next;
  }
  const said = sentences.slice(first, last + 1).join(' ');
  return `${first > 0 ? `${MORE} ` : ''}${said}${last + 1 < sentences.length ? ` ${MORE}` : ''}`;
}

/** As many whole lines as fit, from the first on, and a line that says that there are more; code is closed before it. Undefined where no line fits. */
export function cutLines(text: string, room: number): string | undefined {
  const lines = text.split('\n');
  const isFence = /^\s*(?:`{3,}|~{3,})/.test(lines[0]!);
  const most = isFence ? room - 1 : room;
  let kept = 0;
  for (let words = 0; kept < lines.length; kept++) {
    words += countWords(lines[kept]!);
    if (words > most) break;
  }
  if (kept <= Number(isFence)) return undefined;
  return `${withClosedFence(lines.slice(0, kept).join('\n'))}\n\n${MORE}`;
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
