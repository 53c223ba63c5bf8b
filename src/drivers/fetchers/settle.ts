import { setTimeout as pause } from 'node:timers/promises';
import type { Network } from '../../schema/config.ts';
import type { Snapshot } from './snapshot.ts';
import type { Traffic } from './traffic.ts';

/** Milliseconds between two looks, from the first on. */
const LOOKS = [20, 40, 80, 100];
/** Milliseconds without a change after which a page is taken to be done: where its scripts asked for something or wrote, where they did not, and where there is almost no text. */
const QUIET = { busy: 300, plain: 60, empty: 1500 };
/** Characters below which a page holds almost no text. */
const ALMOST_NONE = 200;
/** Milliseconds that a page may go on changing. */
const LONGEST = 5000;
/** Milliseconds after which a request is a slow one, whose page is waited for as long as nothing else happens on it. */
const SLOW = 1000;
/** Milliseconds that a page gets to show, or to ask for more, once what it waited for is there. */
const AFTER = 1500;
/** Milliseconds that are waited in all; half of `network.timeout` where that is less. */
const PATIENCE = 15_000;

interface Settling {
  snapshot: Snapshot;
  traffic: Traffic;
  network: Pick<Network, 'timeout'>;
}

/** Waits until a page shows what it is going to show: nothing is under way any more and nothing has changed for a while, or it never rests. */
export async function settle({ snapshot, traffic, network }: Settling, signal: AbortSignal): Promise<void> {
  const began = Date.now();
  const latest = began + Math.min(PATIENCE, network.timeout * 500);
  let until = Math.min(began + LONGEST, latest);
  let changed = began;
  let moved = began;
  let size = -1;
  let isGrowing = false;
  for (let look = 0; Date.now() < until; look++) {
    const now = await snapshot.size().catch(() => -1); // a navigation took the page away
    if (now !== size) moved = Date.now();
    if (now !== size || traffic.pending() > 0) {
      if (size !== -1) isGrowing = true;
      size = now;
      changed = Date.now();
    }
    const rest = Date.now() - changed;
    const enough = traffic.isBusy() || isGrowing ? QUIET.busy : QUIET.plain;
    if (rest >= enough && (rest >= QUIET.empty || (await snapshot.text().catch(() => 0)) >= ALMOST_NONE)) return;
    if (traffic.longest() >= SLOW && Date.now() - moved >= SLOW) until = Math.min(Math.max(until, Date.now() + AFTER), latest);
    await pause(LOOKS[look] ?? LOOKS.at(-1), undefined, { signal });
  }
}
