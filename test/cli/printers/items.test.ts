import { expect, it } from 'vitest';
import type { CommandContext } from '../../../src/cli/command-context.ts';
import { itemPrinter } from '../../../src/cli/printers/document-printer.ts';
import type { Event } from '../../../src/schema/results.ts';
import { paper } from '../../support/screen.ts';

const event = (type: Event['type'], data: Event['data']): Event => ({ type, stage: 'crawl', message: 'said', data, sequence: 0 });
const error = { source: 'https://a.example/b', source_kind: 'url', stage: 'fetch', error: 'It is gone.', isRetryable: false, attempts: 1 };
const printed = (screen: ReturnType<typeof paper>) => {
  const printer = itemPrinter({ screen, flags: {} } as unknown as CommandContext);
  printer.onEvent(event('item', { id: 'd1' }));
  printer.onEvent(event('page', { url: 'https://a.example/a' }));
  printer.onEvent(event('progress', {}));
  printer.onEvent(event('error', error));
  return printer;
};

it('items are lines of JSON, failures and in the end notices are told beside them', () => {
  const screen = paper();
  printed(screen).result({ notices: ['The crawl was cut off\u001b[2J.'] });
  expect(screen.out).toEqual(['{"id":"d1"}']);
  expect(screen.warnings).toEqual(['Error: https://a.example/b: It is gone.', 'Note: The crawl was cut off.']);
  expect(screen.notes).toEqual([]);
});

it('with --json nothing is printed before the result', () => {
  const screen = paper({ json: true });
  printed(screen);
  expect([screen.out, screen.warnings]).toEqual([[], []]);
});
