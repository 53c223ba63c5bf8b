export interface InOrder<Item, Result> {
  /** The next item; undefined where there is none for now: what is made of the results may bring more. */
  next(): Item | undefined;
  /** How many may be under way, those included that are finished and wait for their turn. */
  room(): number;
  /** How many are worked on at once. */
  at_once: number;
  work(item: Item): Promise<Result>;
  /** Called where results are not wanted any more while work is under way. */
  onStop(): void;
}

interface Job<Result> {
  result: Promise<Result>;
  isDone: boolean;
}

/** Works on several items at once and hands out what came of them in their order, so that the same site is always crawled the same way. Ends where nothing is left. */
export async function* inOrder<Item, Result>(options: InOrder<Item, Result>): AsyncGenerator<Result, void, void> {
  const { next, room, at_once, work, onStop } = options;
  const running: Job<Result>[] = [];
  let open = 0;
  let wake = (): void => {};
  const begin = (item: Item): void => {
    open++;
    const job = { result: work(item), isDone: false };
    const end = (): void => {
      open--;
      job.isDone = true;
      wake();
    };
    job.result.then(end, end);
    running.push(job);
  };
  try {
    for (;;) {
      while (open < at_once && running.length < room()) {
        const item = next();
        if (item === undefined) break;
        begin(item);
      }
      const [first] = running;
      if (!first) return;
      if (first.isDone) yield await running.shift()!.result;
      else await new Promise<void>((done) => (wake = done)); // what ends meanwhile may make room
    }
  } finally {
    if (running.length > 0) onStop();
    await Promise.allSettled(running.map(({ result }) => result));
  }
}
