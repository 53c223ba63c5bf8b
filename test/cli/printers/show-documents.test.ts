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
