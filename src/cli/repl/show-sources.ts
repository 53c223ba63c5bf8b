import { KbError } from '../../base/errors.ts';
import type { Source } from '../../schema/items.ts';
import { folded } from '../markdown/flow.ts';
import { clipped } from '../markdown/width.ts';
import { printable } from '../screen.ts';
import { markdownPrinter, sourceLine } from '../show-answer.ts';
import { say, type Session } from './session.ts';

/** Characters of a passage in a list, where no terminal says how many there is room for. */
const EXCERPT = 200;

/** The passages that an answer was built from, each with its place and its beginning. */
export function showSourceList(sources: readonly Source[], session: Session): void {
  const { color, columns } = session.desk.screen;
  for (const source of sources) {
    say(session, sourceLine(source, { color, columns }, source.cited ? '' : ' (not cited)'));
    const excerpt = clipped(beginningOf(source.text), (columns ?? EXCERPT) * 2 - 8);
    say(session, folded([{ text: excerpt, paint: color.dim }], { first: '    ', hang: '    ', columns }));
  }
  say(session, color.dim(`/sources ${sources[0]!.citation} shows the whole passage.`));
}

/** A passage in one line; its headings stand in its place already. */
function beginningOf(text: string): string {
  const flat = (part: string) => printable(part).replace(/\s+/g, ' ').trim();
  return flat(text.replace(/^#{1,6}\s.*$/gm, '')) || flat(text);
}

/** One of them in full. Throws a KbError where there is none of that number. */
export function showPassage(sources: readonly Source[], citation: number, session: Session): void {
  const source = sources.find((other) => other.citation === citation);
  if (!source)
    throw new KbError('usage', `There is no source ${citation}: the last answer has ${sources.map((other) => other.citation).join(', ')}.`);
  const { screen } = session.desk;
  say(session, sourceLine(source, screen));
  const printer = markdownPrinter({ ...screen, write: screen.json ? screen.note : screen.write });
  printer.push(source.text.trim());
  printer.end();
}
