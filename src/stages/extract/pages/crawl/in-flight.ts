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

/** How many pages may be under way where so many are wanted, and those that are read and wait have so many characters. */
export const roomFor = (wanted: number, held: number): number => (held > MOST_HELD ? 0 : Math.min(MOST, wanted));

/** Characters that a page holds while it waits. */
export const charactersIn = (read: PageRead): number => ('page' in read ? read.page.parsed.text.length : 0);

type Load = (limits: { max_bytes?: number }) => Promise<PageRead>;

/**
 * Reads pages by a function that fails with `isCutOff` for more bytes than it is told: what turns out to be larger than a page may be beside others is asked for again, one
 * such page at a time, for its bytes must not lie around until then.
 */
export function largeOnesAlone(): (load: Load) => Promise<PageRead> {
  const alone = pLimit(1);
  return async (load) => {
    const read = await load({ max_bytes: MOST_BESIDE });
    return 'failed' in read && read.isCutOff ? await alone(() => load({})) : read;
  };
}

interface OrderedWork<Item, Result> {
  /** The next item; undefined where there is none for now: what is made of the results may bring more. */
  next(): Item | undefined;
  /** Whether there is more to take, asked where nothing is under way and nothing comes next. */
  more?(): Promise<boolean>;
  /** How many may be under way, those included that are finished and wait for their turn. */
  room(): number;
  /** How many are worked on at once. */
  at_once: number;
  work(item: Item): Promise<Result>;
  /** Called where results are not wanted any more while work is under way. */
  onStop(): void;
}

/** Works on several items at once and hands out what came of them in their order, so that the same site is always crawled the same way. Ends where nothing is left. */
export async function* workInOrder<Item, Result>(options: OrderedWork<Item, Result>): AsyncGenerator<Result, void, void> {
  const { next, more, room, at_once, work, onStop } = options;
  const running: { result: Promise<Result>; isDone: boolean }[] = [];
  let wake = (): void => {};
  const begin = (item: Item): void => {
    const job = { result: work(item), isDone: false };
    const end = (): void => {
      job.isDone = true;
      wake();
    };
    job.result.then(end, end);
    running.push(job);
  };
  try {
    for (;;) {
      while (running.filter(({ isDone }) => !isDone).length < at_once && running.length < room()) {
        const item = next();
        if (item === undefined) break;
        begin(item);
      }
      const [first] = running;
      if (first?.isDone) yield await running.shift()!.result;
      else if (first) await new Promise<void>((done) => (wake = done)); // what ends meanwhile may make room
      else if (!(await more?.())) return;
    }
  } finally {
    if (running.length > 0) onStop();
    await Promise.allSettled(running.map(({ result }) => result));
  }
}
