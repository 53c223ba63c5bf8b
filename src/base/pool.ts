/** Maps with at most `limit` at once; results come in the order of the input. Reads no further ahead than `limit`: back-pressure reaches the source. */
export async function* mapOrdered<In, Out>(
  items: AsyncIterable<In> | Iterable<In>,
  limit: number,
  work: (item: In) => Promise<Out>,
): AsyncGenerator<Out, void, void> {
  const running: Promise<Out>[] = [];
  try {
    for await (const item of items) {
      const job = work(item);
      job.catch(() => {}); // it is awaited later; until then its failure is not unhandled
      running.push(job);
      if (running.length >= limit) yield await running.shift()!;
    }
    while (running.length > 0) yield await running.shift()!;
  } finally {
    await Promise.allSettled(running);
  }
}

/** Maps with at most `limit` at once; results come as they finish. */
export async function* mapAsFinished<In, Out>(
  items: AsyncIterable<In> | Iterable<In>,
  limit: number,
  work: (item: In) => Promise<Out>,
): AsyncGenerator<Out, void, void> {
  const running = new Map<number, Promise<{ key: number; value: Out }>>();
  let next = 0;
  const first = async () => {
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

/** Lets the source work ahead: at most `size` items wait for the reader. Starts at the first `next`. */
export async function* ahead<Item>(items: AsyncIterable<Item>, size: number): AsyncGenerator<Item, void, void> {
  const source = items[Symbol.asyncIterator]();
  const waiting: Promise<IteratorResult<Item>>[] = [];
  let ended = false;
  let last: Promise<unknown> = Promise.resolve();
  const pull = () => {
    const step = last.then(() => (ended ? { done: true as const, value: undefined } : source.next()));
    last = step.then(
      (result) => {
        if (result.done) ended = true;
      },
      () => {
        ended = true;
      },
    );
    step.catch(() => {});
    waiting.push(step);
  };
  try {
    for (;;) {
      while (waiting.length < size) pull();
      const step = await waiting.shift()!;
      if (step.done) return;
      yield step.value;
    }
  } finally {
    ended = true;
    await last.catch(() => {});
    await source.return?.();
  }
}

/** Groups items until their weights reach `size`. The last group may be smaller; a group has at least one item. */
export async function* grouped<Item>(
  items: AsyncIterable<Item>,
  size: number,
  weight: (item: Item) => number = () => 1,
): AsyncGenerator<Item[], void, void> {
  let group: Item[] = [];
  let total = 0;
  for await (const item of items) {
    group.push(item);
    total += weight(item);
    if (total >= size) {
      yield group;
      group = [];
      total = 0;
    }
  }
  if (group.length > 0) yield group;
}
