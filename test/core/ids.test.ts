import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chunkId, documentId, hash } from '../../src/core/ids.ts';

describe('a hash', () => {
  it('is the same for the same parts, as text or as bytes', () => {
    expect(hash('a', 'é')).toBe(hash(Buffer.from('a'), Buffer.from('é')));
    expect(hash('a')).toMatch(/^[0-9a-f]{64}$/);
  });

  it('differs for lists of parts that join to the same text', () => {
    const parts = fc.array(fc.string(), { maxLength: 4 });
    fc.assert(fc.property(parts, parts, (a, b) => (hash(...a) === hash(...b)) === (JSON.stringify(a) === JSON.stringify(b))));
    expect(new Set([hash('ab', 'c'), hash('a', 'bc'), hash('abc'), hash('1:a'), hash('a', '')]).size).toBe(5);
  });
});

describe('ids', () => {
  // Ids are stored: another way to make them would take every stored document for a new one.
  it('never change between versions', () => {
    expect(documentId('docs/a.md')).toBe('7471da9da0109bce');
    expect(chunkId(documentId('docs/a.md'), ['Care', 'Oil'], 2)).toBe('defe58b9c394a2069b89');
  });

  it('differ by document, headings and ordinal', () => {
    const ids = [
      chunkId('a', [], 0),
      chunkId('b', [], 0),
      chunkId('a', [], 1),
      chunkId('a', ['0'], 0),
      chunkId('a', ['x', 'y'], 0),
      chunkId('a', ['xy'], 0),
    ];
    expect(new Set(ids).size).toBe(ids.length);
  });
});
