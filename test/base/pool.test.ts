import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { ahead, grouped, mapAsFinished, mapOrdered, pulsed } from '../../src/base/pool.ts';

async function* count(to: number, seen: number[] = []): AsyncGenerator<number, void, void> {
  for (let i = 0; i < to; i++) {
    seen.push(i);
    yield i;
  }
}
const all = async <T>(items: AsyncIterable<T>): Promise<T[]> => {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
};

describe('mapOrdered', () => {
  it('keeps the order whatever takes longer, and works at most so many at once', async () => {
    let running = 0;
    let most = 0;
    const results = await all(
      mapOrdered(count(8), 3, async (n) => {
        most = Math.max(most, ++running);
        await wait(n % 2 === 0 ? 8 : 1);
        running--;
        return n;
      }),
    );
    expect(results).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expect(most).toBe(3);
  });

  it('reads no further ahead than it may', async () => {
    const seen: number[] = [];
    const mapped = mapOrdered(count(100, seen), 4, async (n) => n);
    await mapped.next();
    expect(seen.length).toBeLessThanOrEqual(4);
    await mapped.return();
  });

  it('throws what the work throws, after what is running has ended', async () => {
    let ended = 0;
    const work = async (n: number) => {
      await wait(n === 1 ? 1 : 10);
      ended++;
      if (n === 1) throw new Error('one is bad');
      return n;
    };
    await expect(all(mapOrdered(count(3), 3, work))).rejects.toThrow('one is bad');
    expect(ended).toBe(3);
  });
});

describe('mapAsFinished', () => {
  it('gives what is finished first', async () => {
    const results = await all(mapAsFinished([30, 1, 15], 3, async (ms) => (await wait(ms), ms)));
    expect(results).toEqual([1, 15, 30]);
  });
});

describe('ahead', () => {
  it('begins before it is read, and works no further ahead than its size', async () => {
    const seen: number[] = [];
    const items = ahead(count(100, seen), 5);
    await wait(5);
    expect(seen).toEqual([0, 1, 2, 3, 4]);
    expect((await items.next()).value).toBe(0);
    await items.return();
  });

  it('gives everything in order, and the error where the source fails', async () => {
    expect(await all(ahead(count(7), 3))).toEqual([0, 1, 2, 3, 4, 5, 6]);
    const failing = async function* () {
      yield 1;
      throw new Error('the source broke');
    };
    const read: number[] = [];
    await expect(async () => {
      for await (const item of ahead(failing(), 4)) read.push(item);
    }).rejects.toThrow('the source broke');
    expect(read).toEqual([1]);
  });

  it('closes the source when its reader leaves', async () => {
    let closed = false;
    const source = async function* () {
      try {
        for (let i = 0; ; i++) yield i;
      } finally {
        closed = true;
      }
    };
    for await (const item of ahead(source(), 3)) if (item === 2) break;
    expect(closed).toBe(true);
  });
});

describe('grouped', () => {
  it('closes a group when its weight is reached', async () => {
    expect(await all(grouped(count(7), 3))).toEqual([[0, 1, 2], [3, 4, 5], [6]]);
    expect(await all(grouped(count(5), 4, (n) => n))).toEqual([[0, 1, 2, 3], [4]]);
  });
});

describe('pulsed', () => {
  it('speaks while nothing comes', async () => {
    const slow = async function* () {
      await wait(40);
      yield 'late';
    };
    const said = await all(pulsed(slow(), 10));
    expect(said.at(-1)).toBe('late');
    expect(said.filter((item) => item === undefined).length).toBeGreaterThanOrEqual(2);
  });
});
