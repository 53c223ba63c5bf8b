import { setImmediate as nextTurn } from 'node:timers/promises';
import { throwIfAborted } from './run.ts';

/** Milliseconds of synchronous work between two yields. */
const MAX_BUSY = 10;

/**
 * Makes a function to await at every step of long synchronous work. When the steps have taken 10 ms in one go, it yields to the event loop,
 * so that other requests are answered and this work can be stopped. It throws a KbError (`aborted`) on the signal.
 */
export function yieldToEventLoop(signal: AbortSignal | undefined): () => Promise<void> {
  let began = performance.now();
  return async () => {
    if (performance.now() - began >= MAX_BUSY) {
      await nextTurn();
      began = performance.now();
    }
    throwIfAborted(signal);
  };
}

/** Makes a function that calls `open` once, and shares its result with all callers. After a failure, the next call tries again. */
export function keepUnlessFailed<T>(open: () => Promise<T>): () => Promise<T> {
  let kept: Promise<T> | undefined;
  return () => {
    if (kept) return kept;
    const opening = open();
    kept = opening;
    opening.catch(() => (kept = undefined));
    return opening;
  };
}

/** Makes a function that collects the calls of one turn of the event loop into batches of at most `size`. When a batch fails, all its calls fail. */
export function batchCalls<In, Out>(size: number, work: (items: In[]) => Promise<Out[]>): (item: In) => Promise<Out> {
  let waiting: { item: In; resolve: (result: Out) => void; reject: (error: unknown) => void }[] = [];
  const send = () => {
    const batch = waiting;
    waiting = [];
    if (batch.length === 0) return;
    work(batch.map(({ item }) => item)).then(
      (results) => batch.forEach(({ resolve }, i) => resolve(results[i]!)),
      (error: unknown) => batch.forEach(({ reject }) => reject(error)),
    );
  };
  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (waiting.length === size) send();
      else if (waiting.length === 1) setImmediate(send);
    });
}

/** Maps with at most `limit` at once; results come in the order of the input. Reads no further ahead than `limit`. Yields to the event loop between items. */
export async function* mapOrdered<In, Out>(
  items: AsyncIterable<In> | Iterable<In>,
  limit: number,
  work: (item: In) => Promise<Out>,
): AsyncGenerator<Out, void, void> {
  const source = iterate(items);
  const running: Promise<Out>[] = [];
  const yieldIfBusy = yieldToEventLoop(undefined);
  let upcoming: Promise<IteratorResult<In>> | undefined;
  let hasEnded = false;
  try {
    while (!hasEnded || running.length > 0) {
      if (!hasEnded && running.length < limit) upcoming ??= ignoreRejection(source.next());
      const item = upcoming && (await raceFirst(upcoming, running[0]));
      if (!item) {
        await yieldIfBusy();
        yield await running.shift()!;
        continue;
      }
      upcoming = undefined;
      if (item.done) hasEnded = true;
      else running.push(ignoreRejection(work(item.value)));
    }
  } finally {
    await Promise.allSettled([...running, upcoming]);
    await source.return();
  }
}

function ignoreRejection<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}

const raceFirst = <T>(promise: Promise<T>, other: Promise<unknown> | undefined): Promise<T | undefined> => {
  const settled = other?.then(
    () => undefined,
    () => undefined,
  );
  return settled ? Promise.race([promise, settled]) : promise;
};

/** Maps with at most `limit` at once; results come as they finish. Yields to the event loop between items. */
export async function* mapAsFinished<In, Out>(
  items: AsyncIterable<In> | Iterable<In>,
  limit: number,
  work: (item: In) => Promise<Out>,
): AsyncGenerator<Out, void, void> {
  const running = new Map<number, Promise<{ key: number; value: Out }>>();
  const yieldIfBusy = yieldToEventLoop(undefined);
  let next = 0;
  const first = async () => {
    await yieldIfBusy();
    const { key, value } = await Promise.race(running.values());
    running.delete(key);
    return value;
  };
  try {
    for await (const item of items) {
      const key = next++;
      const job = work(item).then((value) => ({ key, value }));
      job.catch(() => {});
      running.set(key, job);
      if (running.size >= limit) yield await first();
    }
    while (running.size > 0) yield await first();
  } finally {
    await Promise.allSettled(running.values());
  }
}

/** Lets the source work ahead of its reader, beginning at once: at most `size` items wait. Read it to its end, or call `return`. */
export function prefetch<Item>(items: AsyncIterable<Item>, size: number): AsyncGenerator<Item, void, void> {
  const source = items[Symbol.asyncIterator]();
  const waiting: Promise<IteratorResult<Item>>[] = [];
  let last: Promise<unknown> = Promise.resolve();
  let ended = false;
  const end: IteratorReturnResult<undefined> = { done: true, value: undefined };
  const pull = () => {
    const step = last.then(() => (ended ? end : source.next()));
    last = step.then(
      (result) => {
        ended ||= result.done === true;
      },
      () => {
        ended = true;
      },
    );
    step.catch(() => {}); // its reader gets the rejection; one without a reader must not be unhandled
    waiting.push(step);
  };
  const next = async (): Promise<IteratorResult<Item, void>> => {
    while (waiting.length < size) pull();
    return waiting.shift()!;
  };
  const stop = async (): Promise<IteratorResult<Item, void>> => {
    ended = true;
    await last;
    await source.return?.();
    return end;
  };
  for (let i = 0; i < size; i++) pull();
  const generator: AsyncGenerator<Item, void, void> = {
    next,
    return: stop,
    throw: async (error) => {
      await stop();
      throw error;
    },
    [Symbol.asyncIterator]: () => generator,
    [Symbol.asyncDispose]: async () => void (await stop()),
  };
  return generator;
}

interface BatchOptions<Item> {
  weight?: (item: Item) => number;
  /** Maximum milliseconds that an item waits for others, approximately. */
  maxWait?: number;
}

/** Yields batches of items, each complete when its weights reach `size` or its first item has waited `maxWait`. No batch is empty; the last may be smaller. */
export async function* batchItems<Item>(
  items: AsyncIterable<Item>,
  size: number,
  { weight = () => 1, maxWait }: BatchOptions<Item> = {},
): AsyncGenerator<Item[], void, void> {
  let batch: Item[] = [];
  let [total, began] = [0, 0];
  for await (const item of maxWait === undefined ? items : withHeartbeat(items, maxWait)) {
    if (item !== undefined) {
      if (batch.length === 0) began = Date.now();
      batch.push(item);
      total += weight(item);
    }
    if (batch.length === 0 || (total < size && Date.now() - began < (maxWait ?? Infinity))) continue;
    yield batch;
    batch = [];
    total = 0;
  }
  if (batch.length > 0) yield batch;
}

/** The items, and `undefined` whenever `milliseconds` pass without one. `return()` waits for the pending item: stop that by its signal. */
export async function* withHeartbeat<Item>(
  items: AsyncIterable<Item> | Iterable<Promise<Item>>,
  milliseconds: number,
): AsyncGenerator<Item | undefined, void, void> {
  const source = iterate(items);
  let pending: Promise<IteratorResult<Item>> | undefined;
  try {
    for (;;) {
      pending ??= source.next();
      let timer: NodeJS.Timeout | undefined;
      const pause = new Promise<undefined>((done) => (timer = setTimeout(done, milliseconds, undefined)));
      const step = await Promise.race([pending, pause]).finally(() => clearTimeout(timer));
      if (step === undefined) {
        yield undefined;
        continue;
      }
      pending = undefined;
      if (step.done) return;
      yield step.value;
    }
  } finally {
    await pending?.catch(() => {});
    await source.return?.();
  }
}

async function* iterate<Item>(items: AsyncIterable<Item> | Iterable<Promise<Item> | Item>): AsyncGenerator<Item, void, void> {
  yield* items;
}
