import type { Event } from '../schema/events.ts';
import type { ChatResult } from '../schema/answers.ts';
import type { Source } from '../schema/items.ts';
import { printable, type Screen } from './screen.ts';
import { placeText } from './show-hits.ts';
import { failureLine } from './show-ingest.ts';

/** What follows an answer: how far it can be trusted, what it cites, and what went wrong. */
export function showSources(result: ChatResult, screen: Screen): void {
  const { color } = screen;
  const cited = result.sources.filter((source) => source.cited);
  if (result.answer_confidence.level === 'low') screen.print(color.yellow('\nLow confidence: the collection holds little about this.'));
  if (cited.length > 0) screen.print('');
  for (const source of cited) screen.print(sourceLine(source, screen));
  for (const error of result.errors) screen.warn(`${result.answer ? 'Note' : 'Error'}: ${failureLine(error)}`);
}

/** `[1] Operator Manual — manual.md · Maintenance › Filter, lines 20–24`. */
export function sourceLine({ citation, title, metadata, location }: Source, { color }: Pick<Screen, 'color'>): string {
  const place = [String(metadata.source), placeText(location)].filter(Boolean).join(' · ');
  return `${color.bold(`[${citation}]`)} ${printable(title)} — ${color.cyan(printable(place))}`;
}

/** Whether a script should take the answer for a failure: there is none, or errors took its place. */
export const hasNoAnswer = ({ answer, answer_confidence }: ChatResult): boolean => answer === '' || answer_confidence.reason === 'errors';

/** Shows a chat as it goes: the answer piece by piece, then what it cites. */
export function answerPrinter(screen: Screen) {
  let written = '';
  return {
    onEvent({ type, data }: Event): void {
      if (screen.json || type !== 'token') return;
      const text = printable(String(data.text));
      written += text;
      screen.write(text);
    },
    result(result: ChatResult): void {
      if (written) screen.write(written.endsWith('\n') ? '' : '\n');
      else if (result.answer) screen.print(printable(result.answer));
      showSources(result, screen);
    },
    hasFailed: hasNoAnswer,
  };
}
