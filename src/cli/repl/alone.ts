import { closeSync, openSync, rmSync, statSync } from 'node:fs';

/** Milliseconds between two looks, and after which a lock was left behind by a program that died: what is done under it takes a few. */
const LOOK_EVERY = 10;
const LEFT_BEHIND = 2000;

/** Does what no other program may do to this file at the same time; it waits for the one that does. Throws what `work` throws, and where no lock can be made beside the file. */
export function alone(file: string, work: () => void): void {
  const lock = `${file}.lock`;
  while (!taken(lock)) {
    if (ageOf(lock) > LEFT_BEHIND) rmSync(lock, { force: true });
    else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOOK_EVERY);
  }
  try {
    work();
  } finally {
    rmSync(lock, { force: true });
  }
}

function taken(lock: string): boolean {
  try {
    closeSync(openSync(lock, 'wx', 0o600));
    return true;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw cause;
  }
}

const ageOf = (lock: string): number => {
  const found = statSync(lock, { throwIfNoEntry: false });
  return found ? Date.now() - found.mtimeMs : 0;
};
