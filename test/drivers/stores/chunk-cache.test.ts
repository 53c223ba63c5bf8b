import { describe, expect, it } from 'vitest';
import { ChunkCache } from '../../../src/drivers/stores/chunk-cache.ts';

const chunk = (id: string, text = 'a passage') => ({ id, text, source: 'a', metadata: {} });

describe('a cache of chunks', () => {
  it('keeps within its bytes, whatever collections they are of, and lets go of the one that was not asked for longest', () => {
    const chunks = new ChunkCache(5200);
    const passage = 'x'.repeat(300);
    for (const id of ['1', '2', '3']) chunks.add(`manuals 7 ${id}`, chunk(id, passage));
    expect(chunks.get('manuals 7 1')).toMatchObject({ id: '1' });
    chunks.add('notes 1 4', chunk('4', passage));
    expect(['1', '2', '3'].filter((id) => chunks.get(`manuals 7 ${id}`))).toEqual(['1', '3']);
    expect(chunks.get('notes 1 4')).toBeDefined();
    expect(chunks.bytes).toBeLessThanOrEqual(5200);
  });

  it('counts what is found out of a text when it is ranked', () => {
    const bytes = (text: string) => {
      const chunks = new ChunkCache();
      chunks.add('manuals 7 1', chunk('1', text));
      return chunks.bytes;
    };
    expect(bytes('x'.repeat(1_000)) - bytes('')).toBe(4_000);
  });

  it('counts a chunk that is added again once', () => {
    const chunks = new ChunkCache();
    chunks.add('manuals 7 1', chunk('1'));
    const { bytes } = chunks;
    chunks.add('manuals 7 1', chunk('1'));
    expect(chunks.bytes).toBe(bytes);
  });

  it('keeps nothing that is larger than all its bytes', () => {
    const chunks = new ChunkCache(1000);
    chunks.add('manuals 7 1', chunk('1', 'x'.repeat(2000)));
    expect([chunks.get('manuals 7 1'), chunks.bytes]).toEqual([undefined, 0]);
  });

  it('tells the versions of a table apart', () => {
    const chunks = new ChunkCache();
    chunks.add('manuals 7 1', chunk('1'));
    expect(chunks.get('manuals 8 1')).toBeUndefined();
  });
});
