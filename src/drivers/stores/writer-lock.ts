import { readdir, readFile, rename, stat, unlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createFolder } from '../../core/create-folder.ts';
import { DEAD_AFTER, isAlive, mayStillRun, HEARTBEAT_INTERVAL, THIS_PROCESS, type Owner } from '../../core/process-owner.ts';
import { waitFor } from '../../core/run.ts';
import { KbError } from '../../core/errors.ts';

// A writer writes its process and host into a file, and touches the file every few seconds as a heartbeat. To create, replace or remove the file, a process
// briefly holds a guard (proper-lockfile): if two processes find the same dead owner, only one of them replaces it.

interface LockOwner extends Owner {
  /** Differs between the locks of one process. */
  lock: string;
}

/** Name of the folder with the locks of a store. */
export const LOCK_FOLDER = '.locks';

/** Milliseconds between two checks whether the lock is free. */
const CHECK_INTERVAL = 100;
/** Milliseconds after which a process that holds the guard counts as dead. */
const GUARD_STALE_AFTER = 4_000;

/** How to wait for a lock. */
export interface LockOptions {
  signal?: AbortSignal | undefined;
  /** Called once, if another holds the lock. */
  onWait?: (() => void) | undefined;
}

/** A lock that this process holds. */
export interface WriterLock {
  /**
   * Whether it was taken from an owner that is silent but may wake up: the writes that this owner has begun must be fenced off.
   */
  readonly needsFencing: boolean;
  release(): Promise<void>;
  /** Throws a KbError (`conflict`) if another process has taken it over, because this one was suspended for too long. */
  assertHeld(): Promise<void>;
}

/**
 * Waits for the lock `name` in `folder` (created if missing), and takes it over from a process that was killed on this host. Throws a
 * KbError (`aborted`) on the signal.
 */
export async function lockForWriting(folder: string, name: string, { signal, onWait }: LockOptions = {}): Promise<WriterLock> {
  await createFolder(folder);
  const file = join(folder, name);
  const owner: LockOwner = { ...THIS_PROCESS, lock: Math.random().toString(36).slice(2) };
  let taken = await tryTake(file, owner);
  if (!taken) onWait?.();
  for (; !taken; taken = await tryTake(file, owner)) await waitFor(CHECK_INTERVAL, signal);
  const isHeldByUs = async () => (await readOwner(file))?.lock === owner.lock;
  const sendHeartbeat = async () => {
    if (await isHeldByUs()) await utimes(file, new Date(), new Date()); // a heartbeat in the lock of another process would hide that process's death
  };
  const heartbeat = setInterval(() => void sendHeartbeat().catch(() => {}), HEARTBEAT_INTERVAL).unref();
  return {
    needsFencing: taken.needsFencing,
    release: async () => {
      clearInterval(heartbeat);
      const removeFile = async () => {
        if (await isHeldByUs()) await unlink(file);
      };
      await withGuard(file, removeFile).catch(() => {}); // if the folder is gone or full, the next writer takes the lock over from this dead process
    },
    assertHeld: async () => {
      if (!(await isHeldByUs())) throw lockLostError(name);
    },
  };
}

/** Makes the error of a writer whose lock another process has taken. */
export const lockLostError = (name: string): KbError =>
  new KbError(
    'conflict',
    `Another run has taken over «${name}», because this one stood still for more than ${DEAD_AFTER / 1000} seconds.`,
    {
      hint: 'Run it again: it goes on from what is stored.',
      isRetryable: true,
    },
  );

/** Takes the lock unless a living process holds it; undefined if one does. */
async function tryTake(file: string, owner: LockOwner): Promise<Pick<WriterLock, 'needsFencing'> | undefined> {
  if (await isHeld(file)) return undefined;
  return await withGuard(file, async () => {
    if (await isHeld(file)) return undefined; // another process has just taken it
    const previous = await readOwner(file);
    await writeFile(`${file}.new`, JSON.stringify(owner));
    await rename(`${file}.new`, file); // atomic: a reader never sees half of it
    return { needsFencing: previous !== undefined && mayStillRun(previous) };
  });
}

async function withGuard<T>(file: string, work: () => Promise<T>): Promise<T> {
  const { lock } = await import('proper-lockfile');
  const retries = { retries: 1_000, factor: 1, minTimeout: 10, maxTimeout: 30, randomize: true };
  const onCompromised = () => {}; // the default throws out of a timer; the guarded work is short, and checks the owner again
  const release = await lock(file, { realpath: false, stale: GUARD_STALE_AFTER, retries, onCompromised });
  try {
    return await work();
  } finally {
    await release();
  }
}

/** Lists the locks in the folder that are held by dead processes of this host or by silent ones of others. */
export async function listAbandonedLocks(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  const abandoned: string[] = [];
  for (const name of names.filter((one) => !/\.(?:lock|new)$/.test(one))) if (!(await isHeld(join(folder, name)))) abandoned.push(name);
  return abandoned;
}

async function readOwner(file: string): Promise<LockOwner | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as LockOwner;
  } catch {
    return undefined; // missing, or the machine went down while it was written
  }
}

async function isHeld(file: string): Promise<boolean> {
  const owner = await readOwner(file);
  if (!owner) return false;
  const lastHeartbeat = await stat(file).catch(() => undefined);
  return lastHeartbeat !== undefined && isAlive(owner, lastHeartbeat.mtimeMs);
}
