import { setImmediate as nextTurn } from 'node:timers/promises';

/** Counts the turns of the event loop until the work is done. */
export async function turnsDuring(work: Promise<unknown>): Promise<number> {
  let isDone = false;
  void work.finally(() => (isDone = true)).catch(() => {});
  let turns = 0;
  for (; !isDone; turns++) await nextTurn();
  return turns;
}
