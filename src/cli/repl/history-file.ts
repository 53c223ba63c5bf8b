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

/** Milliseconds between two looks. */
const LOOK_EVERY = 10;

/** Milliseconds in which a lock that stays the same was left behind by a program that died: what is done under it takes a few. By the clock of this program, for a file may bear any time. */
const LEFT_BEHIND = 1000;

/** Milliseconds after which nobody waits any longer, for nothing else happens meanwhile. */
const LONGEST = 2500;

/**
 * Does what no other program may do to this file at the same time; it waits for the one that does. Throws what `work` throws, and an Error where no lock can be made beside the file or
 * others hold it for too long.
 */
export function withFileLock(file: string, work: () => void): void {
  const lock = `${file}.lock`;
  const token = randomBytes(8).toString('hex');
  const begun = performance.now();
  let held = { by: '', since: begun };
  while (!taken(lock, token)) {
    const now = performance.now();
    const by = holderOf(lock);
    if (by !== held.by) held = { by, since: now };
    if (now - begun > LONGEST) throw new Error(`${lock} is held by another program`);
    if (now - held.since > LEFT_BEHIND) remove(lock, by);
    else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOOK_EVERY);
  }
  try {
    work();
  } finally {
    remove(lock, token);
  }
}

function taken(lock: string, token: string): boolean {
  try {
    writeFileSync(lock, token, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw cause;
  }
}

/** What tells one lock from the next: what its program wrote; of a link, which one it is. Throws where a folder stands there, which is nobody's lock. */
function holderOf(lock: string): string {
  try {
    const found = lstatSync(lock);
    if (found.isDirectory()) throw new Error(`${lock} is a folder`);
    return found.isFile() ? readFileSync(lock, 'utf8') || `empty ${found.ino}` : `other ${found.ino}`;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw cause;
  }
}

/** Removes the lock of that holder, and never the one that somebody else has put in its place meanwhile: that is laid aside first, and looked at. */
function remove(lock: string, by: string): void {
  const aside = `${lock}.${randomBytes(8).toString('hex')}`;
  try {
    renameSync(lock, aside);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw cause;
  }
  if (holderOf(aside) === by) rmSync(aside, { force: true });
  else renameSync(aside, lock);
}

const isAbsent = (cause: unknown): boolean => (cause as NodeJS.ErrnoException).code === 'ENOENT';

/** Whether a path is a device that takes everything and keeps nothing, such as /dev/null. */
export function isDevice(path: string): boolean {
  try {
    return statSync(path).isCharacterDevice();
  } catch {
    return false; // what is wrong with it is said when it is read
  }
}

/** What a file holds; nothing where there is none. Throws where it can't be read, and where a pipe or a device stands there: to read that may never end, and what is written would take its place. */
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

/** Writes a file anew, by way of a draft beside it that nobody can have put there before. */
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

/** Where a link leads, even to what is not there yet: the link stays one. */
export function targetOf(file: string): string {
  try {
    return realpathSync(file);
  } catch (cause) {
    if (!isAbsent(cause)) throw cause;
    const isLink = lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink();
    return isLink ? targetOf(resolve(realpathSync(dirname(file)), readlinkSync(file))) : file;
  }
}

/** Makes a folder for this user alone, and those above it. Node's own recursive `mkdir` never ends where the folder above refuses with «no such file», as in /proc. */
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
    return; // where it can't be removed it can't have been written
  }
}
