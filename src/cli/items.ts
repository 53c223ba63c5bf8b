import type { Event } from '../schema/events.ts';
import type { ErrorItem } from '../schema/results.ts';
import type { Desk } from './command.ts';
import { failureLine } from './show-ingest.ts';

/** Shows a run that hands out items: each as a JSON line as it comes, failures on standard error. With `--json` the result alone is written, at the end. */
export function itemPrinter({ screen }: Desk): { onEvent(event: Event): void } {
  return {
    onEvent({ type, data }) {
      if (screen.json) return;
      if (type === 'item') screen.print(JSON.stringify(data));
      if (type === 'error') screen.warn(`Error: ${failureLine(data as unknown as ErrorItem)}`);
    },
  };
}
