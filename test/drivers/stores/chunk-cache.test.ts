import { describe, expect, it } from 'vitest';
import { ChunkCache } from '../../../src/drivers/stores/chunk-cache.ts';

const chunk = (id: string, text = 'a passage') => ({ id, text, source: 'a', metadata: {} });

describe('the chunk cache', () => {
  it('stays within its bytes for all collections together, and removes the least recently used chunk first', () => {
    const chunks = new ChunkCache(5200);
    const passage = 'x'.repeat(300);
    for (const id of ['1', '2', '3']) chunks.add(`manuals 7 ${id}`, chunk(id, passage));
    expect(chunks.get('manuals 7 1')).toMatchObject({ id: '1' });
    chunks.add('notes 1 4', chunk('4', passage));
    expect(['1', '2', '3'].filter((id) => chunks.get(`manuals 7 ${id}`))).toEqual(['1', '3']);
    expect(chunks.get('notes 1 4')).toBeDefined();
    expect(chunks.bytes).toBeLessThanOrEqual(5200);
  });

  it('counts the bytes of the terms that ranking adds', () => {
    const bytes = (text: string) => {
      const chunks = new ChunkCache();
      chunks.add('manuals 7 1', chunk('1', text));
      return chunks.bytes;
    };
    expect(bytes('x'.repeat(1_000)) - bytes('')).toBe(4_000);
  });

  it('counts a chunk once that is added twice', () => {
    const chunks = new ChunkCache();
    chunks.add('manuals 7 1', chunk('1'));
    const { bytes } = chunks;
    chunks.add('manuals 7 1', chunk('1'));
    expect(chunks.bytes).toBe(bytes);
  });

  it('does not keep a chunk that is larger than the cache', () => {
    const chunks = new ChunkCache(1000);
    chunks.add('manuals 7 1', chunk('1', 'x'.repeat(2000)));
    expect([chunks.get('manuals 7 1'), chunks.bytes]).toEqual([undefined, 0]);
  });

  it('distinguishes the versions of a table', () => {
    const chunks = new ChunkCache();
    chunks.add('manuals 7 1', chunk('1'));
    expect(chunks.get('manuals 8 1')).toBeUndefined();
  });
});
