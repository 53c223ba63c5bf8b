import pLimit from 'p-limit';
import type { PageRead } from '../page.ts';

/** Pages under way at once, those included that are read and wait for the ones before them. */
const MOST = 64;
/** Pages that are loaded or read at once: eight come over the network, and the others wait for a reader. */
export const READ_AT_ONCE = 16;
/** Characters of pages that are read and wait for the ones before them: beyond that, no more are begun. */
export const MOST_HELD = 50_000_000;
/** Bytes of a page that is read beside others, which is what a web page may have: sixteen of them are a quarter of a gigabyte. */
export const MOST_BESIDE = 16 * 2 ** 20;

/** The pages of a crawl that are being read, or are read and wait for their turn: what they hold stays bounded. */
export class InFlightPages {
  /** How many they are. */
  count = 0;
  /** Characters of those that are read and wait. */
  #held = 0;
  /** Larger documents are read one at a time. */
  readonly #alone = pLimit(1);

  /** How many may be under way, where so many are wanted. */
  room(wanted: number): number {
    return this.#held > MOST_HELD ? 0 : Math.min(MOST, wanted);
  }

  /** Reads a page by `load`, which fails with `isCutOff` for more bytes than it is told: what turns out to be larger is asked for again when it is its turn, for its bytes must not lie around until then. */
  async read(load: (limits: { max_bytes?: number }) => Promise<PageRead>): Promise<PageRead> {
    this.count++;
    const first = await load({ max_bytes: MOST_BESIDE });
    const read = 'failed' in first && first.isCutOff ? await this.#alone(() => load({})) : first;
    this.#held += charactersIn(read);
    return read;
  }

  /** It was its turn. */
  taken(read: PageRead): void {
    this.count--;
    this.#held -= charactersIn(read);
  }
}

const charactersIn = (read: PageRead): number => ('page' in read ? read.page.parsed.text.length : 0);

interface OrderedWork<Item, Result> {
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
export async function* workInOrder<Item, Result>(options: OrderedWork<Item, Result>): AsyncGenerator<Result, void, void> {
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
