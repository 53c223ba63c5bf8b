import type { Growing } from './growing-inputs.ts';

/** Lengths in characters at which work is measured, shortest first: what takes exponential time shows early. */
const LENGTHS = [24, 120, 500, 2_000];
const FACTOR = 4;
/** Four times the input takes linear work four times as long, quadratic work sixteen times. */
const MOST = 9;
/** Four times the input never takes quadratic work this many times as long: it is worse, and longer inputs would not end. */
const CERTAIN = 50;
/** How many times as long as the reference work may take per character before its growth is looked at: far below what quadratic work takes. */
const SUSPICIOUS = 60;

/** Microseconds of work at least that a ratio is made of: the clock of the processor time is coarse on Windows. */
const ENOUGH = process.platform === 'win32' ? 50_000 : 10_000;

/** Microseconds of processor time that this thread has used: what else runs on the machine does not count. */
function processorTime(): number {
  const { user, system } = process.threadCpuUsage();
  return user + system;
}

function quickCost(work: (text: string) => unknown, text: string): number {
  const began = performance.now();
  work(text);
  return performance.now() - began;
}

function exactCost(work: (text: string) => unknown, text: string): number {
  const began = processorTime();
  for (let runs = 1; ; runs++) {
    work(text);
    const used = processorTime() - began;
    if (used >= ENOUGH) return used / runs;
  }
}

/** Linear work that backtracks a little at each character: what other work is compared with. */
const reference = (text: string): unknown => text.replace(/[^]{1,3}\u0002/g, '');
const referenceText = 'a'.repeat(LENGTHS.at(-1)!);
let referenceCost: number | undefined;
const costOfReference = (): number =>
  (referenceCost ??= Math.min(...Array.from({ length: 50 }, () => quickCost(reference, referenceText))));

/** Whether the work takes more than linear time on inputs of this kind. */
export function growsFasterThanInput(work: (text: string) => unknown, input: Growing): boolean {
  const isLong = (length: number): boolean => quickCost(work, input(length)) > SUSPICIOUS * costOfReference();
  // compiling it and a pause for the garbage are not its work
  const length = LENGTHS.find((size) => isLong(size) && isLong(size) && isLong(size));
  if (length === undefined) return false;
  const ratioAt = (size: number): number => exactCost(work, input(size)) / exactCost(work, input(size / FACTOR));
  const ratio = ratioAt(length);
  // what is bounded looks quadratic up to its bound, and on a busy machine a short input may take long
  return ratio > CERTAIN || (ratio > MOST && ratioAt(LENGTHS.at(-1)! * FACTOR) > MOST);
}

/** A length in characters on which quadratic work takes some hundred milliseconds, and the milliseconds below which work was not quadratic. */
const LONG = 16_000;
const UNSUSPICIOUS = 25;

/** Whether what reads with many expressions, and takes long for each character, takes more than linear time on inputs of this kind. */
export function readingGrowsFasterThanInput(work: (text: string) => unknown, input: Growing): boolean {
  const text = input(LONG);
  if (Array.from({ length: 3 }).some(() => quickCost(work, text) < UNSUSPICIOUS)) return false;
  const cost = exactCost(work, text);
  return cost / exactCost(work, input(LONG / FACTOR)) > MOST && exactCost(work, input(LONG * FACTOR)) / cost > MOST;
}

/** Measurements of each size, of which the least counts: what the garbage collector and others on the machine do meanwhile is not the work's. */
const ATTEMPTS = 8;
/** How many times as large the measured size is as the one that it is compared with, and how many times as long it may take: quadratic work takes 256 times as long, and what fits the caches of the machine no longer, some times. */
const SPREAD = 16;
const MAX_SHARE_OF_SPREAD = 80;

/** What the work comes to for this size; fails where it takes far more than sixteen times as much processor time as for a sixteenth of the size. */
export async function linearly<Result>(size: number, work: (size: number) => Promise<Result> | Result): Promise<Result> {
  await work(Math.ceil(size / SPREAD)); // what it imports and compiles is not its work
  let [short, long] = [Infinity, Infinity];
  for (let attempt = 1; ; attempt++) {
    short = Math.min(short, (await costOf(() => work(Math.ceil(size / SPREAD)))).cost);
    const { cost, result } = await costOf(() => work(size));
    long = Math.min(long, cost);
    if (long / short <= MAX_SHARE_OF_SPREAD) return result;
    if (attempt === ATTEMPTS) throw new Error(`For sixteen times the size it takes ${(long / short).toFixed(0)} times as long.`);
  }
}

async function costOf<Result>(work: () => Promise<Result> | Result): Promise<{ cost: number; result: Result }> {
  const began = processorTime();
  for (let runs = 1; ; runs++) {
    const result = await work();
    const used = processorTime() - began;
    if (used >= ENOUGH) return { cost: used / runs, result };
  }
}

/** How a regular expression is used: searched for, or for all that it matches. */
export function searching(regex: RegExp): (text: string) => unknown {
  if (regex.global) return (text) => text.replace(regex, '');
  return (text) => {
    regex.lastIndex = 0;
    return regex.exec(text);
  };
}
