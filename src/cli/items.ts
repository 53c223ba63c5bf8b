import type { Event } from '../schema/events.ts';
import type { Document } from '../schema/items.ts';
import type { DocumentsResult, ErrorItem } from '../schema/results.ts';
import type { Desk } from './command.ts';
import { documentWriter } from './document-files.ts';
import { printable } from './screen.ts';
import { failureLine } from './show-ingest.ts';

/** Shows a run that hands out items: each as a JSON line as it comes, failures and, in the end, notices on standard error. With `--json` the result alone is written, at the end. With `--output-dir` documents become files, which are named on standard error; `paths` are what they are read from. */
export function itemPrinter(
  { screen, flags, loaded }: Pick<Desk, 'screen' | 'flags' | 'loaded'>,
  paths?: readonly string[],
): {
  prints: true;
  onEvent(event: Event): void;
  result(result: Pick<DocumentsResult, 'notices'>): void;
} {
  const folder = flags['output-dir'] as string | undefined;
  const write = folder === undefined ? undefined : documentWriter(folder, { home: loaded.home, paths });
  return {
    prints: true,
    onEvent({ type, data }) {
      if (type === 'item' && write) return screen.note(`Wrote ${printable(write(data as Document))}`);
      if (screen.json) return;
      if (type === 'item') screen.printJson(data);
      if (type === 'error') screen.warn(`Error: ${failureLine(data as unknown as ErrorItem)}`);
    },
    result({ notices }) {
      for (const notice of notices) screen.warn(`Note: ${printable(notice)}`);
    },
  };
}
