import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmdirSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { HeartbeatWatch, type Owner, THIS_PROCESS } from './process-owner.ts';

// A lock for work of a few milliseconds. A process that wants it puts a file of a unique name into the folder FILE.lock, and holds it if that is the only file
// there: of two that do so at once, at least one sees the file of the other, and withdraws. Because a name is never used again, the file of a dead process can
// be removed without removing that of a process that has taken the lock meanwhile. Files are removed by name, and the folder only while it is empty.

/** Milliseconds after which a process that holds the lock counts as dead, if it runs on another host or hangs. */
const DEAD_AFTER = 4_000;

/** Bounds of the milliseconds between two attempts. They are random, so that two processes do not withdraw from each other again and again. */
const RETRY_INTERVAL = { least: 10, most: 30 };

const retryInterval = (): number => RETRY_INTERVAL.least + Math.random() * (RETRY_INTERVAL.most - RETRY_INTERVAL.least);

/** Runs `work` while holding the lock of `file`. Waits as long as living processes hold it. Throws the errors of the file system. */
export async function withBriefLock<T>(file: string, work: () => Promise<T>): Promise<T> {
  const attempt = lockAttempts(file);
  let release = attempt();
  for (; !release; release = attempt()) await wait(retryInterval());
  try {
    return await work();
  } finally {
    release();
  }
}

/** Like `withBriefLock`, but blocks this process, for at most `maxWait` milliseconds. Throws an Error if the lock stays taken. */
export function withBriefLockSync<T>(file: string, maxWait: number, work: () => T): T {
  const attempt = lockAttempts(file);
  const startedAt = performance.now();
  let release = attempt();
  for (; !release; release = attempt()) {
    if (performance.now() - startedAt > maxWait) throw new Error(`${file}.lock is held by another program`);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, retryInterval());
  }
  try {
    return work();
  } finally {
    release();
  }
}

/** Makes a function that tries once to take the lock of `file`; it returns the function that releases the lock, or undefined if another process holds it. */
function lockAttempts(file: string): () => (() => void) | undefined {
  const folder = `${file}.lock`;
  const watches = new Map<string, HeartbeatWatch>();
  /** Whether a living process has a file in the folder. Files of dead ones are removed. */
  const isTaken = (ownFile?: string): boolean => {
    const names = list(folder).filter((name) => name !== ownFile);
    for (const name of watches.keys()) if (!names.includes(name)) watches.delete(name);
    return names.filter((name) => !removeIfDead(join(folder, name), watchOf(name, watches))).length > 0;
  };
  return () => {
    if (isTaken()) return undefined;
    const ownFile = randomUUID();
    const release = () => {
      ignoring(['ENOENT', 'EPERM', 'EBUSY'], () => unlinkSync(join(folder, ownFile)));
      ignoring(['ENOENT', 'ENOTEMPTY', 'EEXIST', 'EPERM', 'EBUSY'], () => rmdirSync(folder)); // others have a file in it, or have removed it
    };
    try {
      ignoring(['EEXIST'], () => mkdirSync(folder));
      const write = () => writeFileSync(join(folder, ownFile), JSON.stringify(THIS_PROCESS), { flag: 'wx' });
      if (!ignoring(['ENOENT'], write)) return undefined; // the folder was removed meanwhile
      if (!isTaken(ownFile)) return release;
    } catch (error) {
      release();
      throw error;
    }
    release();
    return undefined;
  };
}

function watchOf(name: string, watches: Map<string, HeartbeatWatch>): HeartbeatWatch {
  const watch = watches.get(name) ?? new HeartbeatWatch(DEAD_AFTER);
  watches.set(name, watch);
  return watch;
}

/** Removes the file of a process that has ended, or is silent; returns whether the file is gone. */
function removeIfDead(path: string, watch: HeartbeatWatch): boolean {
  let owner: Owner = NOBODY;
  if (!ignoring(['ENOENT'], () => (owner = readOwner(path)))) return true;
  if (!watch.isDead(owner, '')) return false;
  ignoring(['ENOENT'], () => unlinkSync(path));
  return true;
}

/** Owner of a file that is not completely written yet: it is not on this host, so that it is watched. */
const NOBODY: Owner = { pid: 0, host: '', process: '' };

function readOwner(path: string): Owner {
  const text = readFileSync(path, 'utf8');
  try {
    return JSON.parse(text) as Owner;
  } catch {
    return NOBODY;
  }
}

/** Lists a folder; nothing if it does not exist. */
function list(folder: string): string[] {
  let names: string[] = [];
  ignoring(['ENOENT'], () => (names = readdirSync(folder)));
  return names;
}

/** Runs `work`; returns false if it throws an error of the file system with one of these codes. */
function ignoring(codes: readonly string[], work: () => unknown): boolean {
  try {
    work();
    return true;
  } catch (error) {
    if (codes.includes((error as NodeJS.ErrnoException).code ?? '')) return false;
    throw error;
  }
}
