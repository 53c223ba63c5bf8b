import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  prefetch,
  batchItems,
  keepUnlessFailed,
  mapAsFinished,
  mapOrdered,
  withHeartbeat,
  batchCalls,
} from '../../src/core/concurrency.ts';

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

const gate = () => {
  let open!: () => void;
  const opened = new Promise<void>((done) => (open = done));
  return { opened, open };
};

describe('mapOrdered', () => {
  it('keeps the order whatever takes longer, and limits the concurrency', async () => {
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

  it('reads no further ahead than the limit', async () => {
    const seen: number[] = [];
    const mapped = mapOrdered(count(100, seen), 4, async (n) => n);
    await mapped.next();
    expect(seen.length).toBeLessThanOrEqual(4);
    await mapped.return();
  });

  it('throws the error of the work after the running work has ended', async () => {
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

describe('mapOrdered with a slow source', () => {
  it('yields what is done without waiting for more input', async () => {
    const { opened, open } = gate();
    const slow = async function* () {
      yield* [1, 2];
      await opened;
      yield 3;
    };
    const mapped = mapOrdered(slow(), 8, async (n) => n * 10);
    expect([(await mapped.next()).value, (await mapped.next()).value]).toEqual([10, 20]);
    open();
    expect(await all(mapped)).toEqual([30]);
  });

  it('throws the error of the source, and an earlier error of the work first', async () => {
    const broken = async function* () {
      yield 1;
      await wait(5);
      throw new Error('the source broke');
    };
    await expect(all(mapOrdered(broken(), 4, async (n) => n))).rejects.toThrow('the source broke');
    const failing = async () => Promise.reject(new Error('one is bad'));
    await expect(all(mapOrdered(broken(), 4, failing))).rejects.toThrow('one is bad');
  });

  it('closes the source when its reader stops', async () => {
    let closed = false;
    const source = async function* () {
      try {
        for (let i = 0; ; i++) yield i;
      } finally {
        closed = true;
      }
    };
    for await (const item of mapOrdered(source(), 3, async (n) => n)) if (item === 2) break;
    expect(closed).toBe(true);
  });
});

describe('mapAsFinished', () => {
  it('yields results as they finish', async () => {
    const results = await all(mapAsFinished([30, 1, 15], 3, async (ms) => (await wait(ms), ms)));
    expect(results).toEqual([1, 15, 30]);
  });
});

describe('prefetch', () => {
  it('starts before it is read, and works no further ahead than its size', async () => {
    const seen: number[] = [];
    const items = prefetch(count(100, seen), 5);
    await wait(5);
    expect(seen).toEqual([0, 1, 2, 3, 4]);
    expect((await items.next()).value).toBe(0);
    await items.return();
  });

  it('yields everything in order, then the error of the source', async () => {
    expect(await all(prefetch(count(7), 3))).toEqual([0, 1, 2, 3, 4, 5, 6]);
    const failing = async function* () {
      yield 1;
      throw new Error('the source broke');
    };
    const read: number[] = [];
    await expect(async () => {
      for await (const item of prefetch(failing(), 4)) read.push(item);
    }).rejects.toThrow('the source broke');
    expect(read).toEqual([1]);
  });

  it('closes the source when its reader stops', async () => {
    let closed = false;
    const source = async function* () {
      try {
        for (let i = 0; ; i++) yield i;
      } finally {
        closed = true;
      }
    };
    for await (const item of prefetch(source(), 3)) if (item === 2) break;
    expect(closed).toBe(true);
  });
});

describe('batchItems', () => {
  it('completes a batch when its weight is reached', async () => {
    expect(await all(batchItems(count(7), 3))).toEqual([[0, 1, 2], [3, 4, 5], [6]]);
    expect(await all(batchItems(count(5), 4, { weight: (n) => n }))).toEqual([[0, 1, 2, 3], [4]]);
  });
});

describe('batchItems with maxWait', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('completes a batch that has waited long enough, and yields no empty one', async () => {
    const slow = async function* () {
      yield* [1, 2];
      await new Promise((done) => setTimeout(done, 60));
      yield* [3, 4, 5];
    };
    const groups = async (patience: number) => {
      const gathered = all(batchItems(slow(), 3, { maxWait: patience }));
      await vi.advanceTimersByTimeAsync(100);
      return gathered;
    };
    expect(await groups(10)).toEqual([
      [1, 2],
      [3, 4, 5],
    ]);
    expect(await groups(10_000)).toEqual([
      [1, 2, 3],
      [4, 5],
    ]);
  });
});

describe('withHeartbeat', () => {
  it('yields undefined while nothing arrives', async () => {
    const { opened, open } = gate();
    const slow = async function* () {
      await opened;
      yield 'late';
    };
    const items = withHeartbeat(slow(), 10);
    expect([(await items.next()).value, (await items.next()).value]).toEqual([undefined, undefined]);
    open();
    expect((await all(items)).filter((item) => item !== undefined)).toEqual(['late']);
  });
});

it('keepUnlessFailed opens again after a failure, and otherwise once', async () => {
  let opened = 0;
  const get = keepUnlessFailed(async () => {
    if (++opened < 3) throw new Error(`failure ${opened}`);
    return opened;
  });
  expect(await Promise.allSettled([get(), get()])).toMatchObject([
    { reason: { message: 'failure 1' } },
    { reason: { message: 'failure 1' } },
  ]);
  await expect(get()).rejects.toThrow('failure 2');
  expect(await Promise.all([get(), get(), get()])).toEqual([3, 3, 3]);
});

it('batchCalls combines the calls of one turn, and returns each its own result', async () => {
  const batches: number[][] = [];
  const double = batchCalls(3, async (items: number[]) => {
    batches.push(items);
    return items.map((item) => item * 2);
  });
  expect(await Promise.all([1, 2, 3, 4, 5].map((item) => double(item)))).toEqual([2, 4, 6, 8, 10]);
  expect(batches).toEqual([
    [1, 2, 3],
    [4, 5],
  ]);
  expect(await double(6)).toBe(12);
});

it('a failed batch fails for all of its calls, and for no others', async () => {
  const pass = batchCalls(2, async (items: number[]) => {
    if (items.includes(2)) throw new Error('two is bad');
    return items;
  });
  const results = await Promise.allSettled([1, 2, 3].map((item) => pass(item)));
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled']);
});

describe('work on items that never waits', () => {
  const workFor = (milliseconds: number) => {
    for (const end = performance.now() + milliseconds; performance.now() < end;);
  };
  const work = async (item: number) => {
    workFor(2);
    return item;
  };
  /** Turns of the event loop while the items are read. */
  async function turnsDuring(items: AsyncIterable<unknown>): Promise<number> {
    let turns = 0;
    let isOver = false;
    const next = () => {
      turns++;
      if (!isOver) setImmediate(next);
    };
    setImmediate(next);
    await all(items);
    isOver = true;
    return turns;
  }

  it.each([
    ['mapOrdered', () => mapOrdered(count(50), 4, work)],
    ['mapAsFinished', () => mapAsFinished(count(50), 4, work)],
  ])('lets the event loop turn in %s', async (_, items) => {
    expect(await turnsDuring(items())).toBeGreaterThanOrEqual(5); // 100 ms of work
  });
});
