import { expect, it } from 'vitest';
import { printDocuments } from '../../../src/cli/printers/document-printer.ts';
import { paper } from '../../support/screen.ts';

it('shows counts as numbers, at the right', () => {
  const screen = paper();
  const document = { id: '1', source: 'a.md', title: 'A', source_kind: 'path', file_type: 'md', content_hash: '', metadata: {} };
  const sources = [{ ...document, chunks: 1, characters: 12_345, ingested_at: '2026-01-02T03:04:05Z' }];
  printDocuments({ sources, total: 1, cursor: null }, screen);
  expect(screen.out[1]).toBe('a.md    A      path       1      12,345  2026-01-02 03:04');
});

it.each([
  [80, '…/the/shop/handbook/returns.md  Returns and how…  path       3  2026-01-02 03:04'],
  [60, '…s/of/the/shop/handbook/returns.md  Returns and how…       3'],
  [24, '…hop/handbook/returns.md'],
])('keeps the end of a long source, and leaves out what does not fit in %i columns', (columns, line) => {
  const screen = Object.assign(paper(), { columns });
  const document = { id: '1', source_kind: 'path', file_type: 'md', content_hash: '', metadata: {} };
  const of = { ...document, source: '/srv/files/of/the/shop/handbook/returns.md', title: 'Returns and how we take them back' };
  printDocuments(
    { sources: [{ ...of, chunks: 3, characters: 12_345, ingested_at: '2026-01-02T03:04:05Z' }], total: 1, cursor: null },
    screen,
  );
  expect(screen.out[1]).toBe(line);
});
