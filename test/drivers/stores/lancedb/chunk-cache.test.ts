import { describe, expect, it } from 'vitest';
import { ChunkCache, RecentChunks } from '../../../../src/drivers/stores/lancedb/chunk-cache.ts';

const chunk = (id: string, text = 'a passage') => ({ id, text, source: 'a', metadata: {} });

describe('recent chunks', () => {
  it('keep within their bytes, and let go of the one that was not asked for longest', () => {
    const chunks = new RecentChunks(4000);
    for (const id of ['1', '2', '3']) chunks.add(chunk(id, 'x'.repeat(300)));
    expect(chunks.get('1')).toMatchObject({ id: '1' });
    chunks.add(chunk('4', 'x'.repeat(300)));
    expect(['1', '2', '3', '4'].filter((id) => chunks.get(id))).toEqual(['1', '3', '4']);
    expect(chunks.bytes).toBeLessThanOrEqual(4000);
  });

  it('count a chunk that is added again once', () => {
    const chunks = new RecentChunks();
    chunks.add(chunk('1'));
    const { bytes } = chunks;
    chunks.add(chunk('1'));
    expect(chunks.bytes).toBe(bytes);
  });

  it('keep nothing that is larger than all their bytes', () => {
    const chunks = new RecentChunks(1000);
    chunks.add(chunk('1', 'x'.repeat(2000)));
    expect([chunks.get('1'), chunks.bytes]).toEqual([undefined, 0]);
  });
});

describe('a cache of chunks', () => {
  it('forgets the chunks of one version when another is asked for', () => {
    const cache = new ChunkCache();
    cache.at('table 1').add(chunk('1'));
    expect(cache.at('table 1').get('1')).toBeDefined();
    expect(cache.at('table 2').get('1')).toBeUndefined();
    expect(cache.at('table 1').get('1')).toBeUndefined();
  });
});
