import { describe, expect, it } from 'vitest';
import { size } from '../../../src/text/count.ts';
import { printCollection, printCollections } from '../../../src/cli/printers/show-collections.ts';
import { paper } from '../../support/screen.ts';

describe('collections', () => {
  const collection = {
    name: 'manuals',
    embedding: { provider: 'local', model: 'm' },
    dimensions: 384,
    chunks: 1,
    sources: 1,
    bytes: 1_234_567,
  };
  it('are shown in one line each, or one with all details', () => {
    const screen = paper();
    printCollections([collection, { ...collection, name: 'x', dimensions: 0, chunks: 2000, sources: 10, bytes: null }], screen);
    expect(screen.out).toEqual([
      'manuals  1 document, 1 chunk, 1.2 MB; local / m, 384 dimensions',
      'x        10 documents, 2,000 chunks; words alone',
    ]);
    const one = paper();
    printCollection(collection, one);
    expect(one.out[0]).toBe('manuals');
    expect(one.out.slice(1).map((line) => line.trim().split(/\s+/)[0])).toEqual(['documents', 'chunks', 'on', 'embedded']);
    const none = paper();
    printCollections([], none);
    expect(none.out).toEqual(['There are no collections yet. Next: kb ingest --docs FOLDER']);
  });

  it.each([
    [0, '0 B'],
    [999, '999 B'],
    [1000, '1.0 kB'],
    [2.5e9, '2.5 GB'],
    [9e15, '9000.0 TB'],
  ])('have a size: %d is %s', (bytes, said) => {
    expect(size(bytes)).toBe(said);
  });
});
