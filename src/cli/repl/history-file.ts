import { randomBytes } from 'node:crypto';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, resolve } from 'node:path';
import { lockSync } from 'proper-lockfile';

/** Milliseconds between two attempts. */
const LOOK_EVERY = 10;

/** Milliseconds after which a lock counts as abandoned; work under it takes a few. The minimum of proper-lockfile. */
const LEFT_BEHIND = 2000;

/** Maximum milliseconds to wait for a lock; the wait blocks the process. */
const LONGEST = 2500;

/** Runs `work` while holding an exclusive lock on `file`. Throws what `work` throws, and an Error if there is no getting the lock. */
export function withFileLock(file: string, work: () => void): void {
  const release = locked(file);
  try {
    work();
  } finally {
    release();
  }
}

function locked(file: string): () => void {
  const begun = performance.now();
  for (;;) {
    try {
      return lockSync(file, { realpath: false, stale: LEFT_BEHIND });
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code !== 'ELOCKED') throw cause;
      if (performance.now() - begun > LONGEST) throw new Error(`${file}.lock is held by another program`, { cause });
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOOK_EVERY);
    }
  }
}

const isAbsent = (cause: unknown): boolean => (cause as NodeJS.ErrnoException).code === 'ENOENT';

/** Whether a path is a character device, such as /dev/null. */
export function isDevice(path: string): boolean {
  try {
    return statSync(path).isCharacterDevice();
  } catch {
    return false; // reading it reports the problem
  }
}

/**
 * Reads a file; empty if there is none. Throws if it cannot be read, or is a pipe or device: reading that may never end, and writing would
 * replace it.
 */
export function textIn(file: string): string {
  try {
    const found = statSync(file);
    if (!found.isFile() && !found.isDirectory()) throw new Error('it is a pipe or a device');
    return readFileSync(file, 'utf8');
  } catch (cause) {
    if (isAbsent(cause)) return '';
    throw cause;
  }
}

/** Replaces a file atomically, by renaming a draft with a random name. */
export function replaceFile(file: string, text: string): void {
  const target = targetOf(file);
  const draft = `${target}.${randomBytes(8).toString('hex')}.new`;
  try {
    writeFileSync(draft, text, { mode: 0o600, flag: 'wx' });
    renameSync(draft, target);
  } catch (cause) {
    removed(draft);
    throw cause;
  }
}

/** Resolves a link, even to a file that does not exist yet, so that the link stays one. */
export function targetOf(file: string): string {
  try {
    return realpathSync(file);
  } catch (cause) {
    if (!isAbsent(cause)) throw cause;
    const isLink = lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink();
    return isLink ? targetOf(resolve(realpathSync(dirname(file)), readlinkSync(file))) : file;
  }
}

/**
 * Creates a folder and those above it, for this user only. The recursive `mkdir` of Node never ends if the parent refuses with «no such
 * file», as in /proc.
 */
export function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'EEXIST') return;
    if (code !== 'ENOENT' || existsSync(dirname(folder))) throw cause;
    makeFolder(dirname(folder));
    makeFolder(folder);
  }
}

function removed(draft: string): void {
  try {
    rmSync(draft, { force: true });
  } catch {
    return; // a draft that cannot be removed was not written
  }
}
