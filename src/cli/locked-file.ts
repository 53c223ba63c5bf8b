import { existsSync, lstatSync, mkdirSync, readFileSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { withBriefLockSync } from '../core/brief-lock.ts';

/** Maximum milliseconds to wait for a lock: more than the time after which its owner counts as dead. The wait blocks the process. */
const MAX_WAIT = 5_000;

/** Runs `work` while holding an exclusive lock on `file`. Throws what `work` throws, and an Error if the lock stays taken. */
export const withFileLock = (file: string, work: () => void): void => withBriefLockSync(file, MAX_WAIT, work);

const isAbsent = (cause: unknown): boolean => (cause as NodeJS.ErrnoException).code === 'ENOENT';

/** Whether a path is a character device, such as /dev/null. */
export function isDevice(path: string): boolean {
  try {
    return statSync(path).isCharacterDevice();
  } catch {
    return false; // reading the file reports the problem
  }
}

/**
 * Reads a file; empty if it does not exist. Throws if it cannot be read, or is a pipe or a device: reading these may never end, and writing
 * would replace them.
 */
export function readTextIfPresent(file: string): string {
  try {
    const found = statSync(file);
    if (!found.isFile() && !found.isDirectory()) throw new Error('it is a pipe or a device');
    return readFileSync(file, 'utf8');
  } catch (cause) {
    if (isAbsent(cause)) return '';
    throw cause;
  }
}

/** Resolves a link, even to a file that does not exist yet, so that replacing the file keeps the link. */
export function resolveLink(file: string): string {
  try {
    return realpathSync(file);
  } catch (cause) {
    if (!isAbsent(cause)) throw cause;
    const isLink = lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink();
    return isLink ? resolveLink(resolve(realpathSync(dirname(file)), readlinkSync(file))) : file;
  }
}

/**
 * Creates a folder and those above it, for this user only. Node's recursive `mkdir` never ends if the parent fails with ENOENT, as in /proc.
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
