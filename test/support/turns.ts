import { setImmediate as nextTurn } from 'node:timers/promises';

/** Counts the turns of the event loop until the work is done. */
export async function turnsDuring(work: Promise<unknown>): Promise<number> {
  let isDone = false;
  void work.finally(() => (isDone = true)).catch(() => {});
  let turns = 0;
  for (; !isDone; turns++) await nextTurn();
  return turns;
}

const processorTime = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};

/** Milliseconds of processor time that this thread works in one go while a request is answered: for so long, nobody else is. */
export async function longestStretch(work: () => Promise<unknown>): Promise<number> {
  let [longest, before, isOver] = [0, processorTime(), false];
  const turn = () => {
    const now = processorTime();
    longest = Math.max(longest, now - before);
    before = now;
    if (!isOver) setImmediate(turn);
  };
  turn();
  await work();
  isOver = true;
  turn();
  return longest;
}
