import { setTimeout as pause } from 'node:timers/promises';
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

/** Waits until a page shows what it is going to show: nothing is under way any more and nothing has changed for a while, or it never rests. */
export async function settle(snapshot: Snapshot, traffic: Traffic, signal: AbortSignal): Promise<void> {
  const began = Date.now();
  let changed = began;
  let size = -1;
  let isGrowing = false;
  for (let look = 0; Date.now() - began < LONGEST; look++) {
    const now = await snapshot.size().catch(() => -1); // a navigation took the page away
    if (now !== size || traffic.pending() > 0) {
      if (size !== -1) isGrowing = true;
      size = now;
      changed = Date.now();
    }
    const rest = Date.now() - changed;
    const enough = traffic.isBusy() || isGrowing ? QUIET.busy : QUIET.plain;
    if (rest >= enough && (rest >= QUIET.empty || (await snapshot.text().catch(() => 0)) >= ALMOST_NONE)) return;
    await pause(LOOKS[look] ?? LOOKS.at(-1), undefined, { signal });
  }
}
