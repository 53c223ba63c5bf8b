export interface InOrder<Item, Result> {
  /** The next item; undefined where there is none for now: what is made of the results may bring more. */
  next(): Item | undefined;
  /** How many may be under way, those included that are finished and wait for their turn. */
  room(): number;
  work(item: Item): Promise<Result>;
  /** Called where results are not wanted any more while work is under way. */
  onStop(): void;
}

/** Works on several items at once and hands out what came of them in their order, so that the same site is always crawled the same way. Ends where nothing is left. */
export async function* inOrder<Item, Result>({ next, room, work, onStop }: InOrder<Item, Result>): AsyncGenerator<Result, void, void> {
  const running: Promise<Result>[] = [];
  try {
    for (;;) {
      while (running.length < room()) {
        const item = next();
        if (item === undefined) break;
        const job = work(item);
        job.catch(() => {}); // it is awaited later; until then its failure is not unhandled
        running.push(job);
      }
      const first = running.shift();
      if (!first) return;
      yield await first;
    }
  } finally {
    if (running.length > 0) onStop();
    await Promise.allSettled(running);
  }
}
