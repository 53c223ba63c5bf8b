import { describe, expect, it } from 'vitest';
import { QueryCache } from '../../../src/drivers/embedders/local-embedder.ts';

const made: string[] = [];
const make = (query: string) => async () => Float32Array.of(made.push(query));

describe('the query cache', () => {
  it('removes the least recently used query first', async () => {
    const queries = new QueryCache(2);
    made.length = 0;
    for (const query of ['first', 'second', 'first', 'third', 'first', 'second']) await queries.get(query, make(query));
    expect(made).toEqual(['first', 'second', 'third', 'second']);
  });

  it('computes a vector once for concurrent requests', async () => {
    const queries = new QueryCache();
    made.length = 0;
    const vectors = await Promise.all(['first', 'first', 'second'].map((query) => queries.get(query, make(query))));
    expect(vectors[0]).toBe(vectors[1]);
    expect(made).toEqual(['first', 'second']);
  });

  it('does not keep failures', async () => {
    const queries = new QueryCache();
    made.length = 0;
    const failing = () => Promise.reject(new Error('busy'));
    await Promise.all([1, 2].map(() => expect(queries.get('first', failing)).rejects.toThrow('busy')));
    expect(await queries.get('first', make('first'))).toEqual(Float32Array.of(1));
  });
});
