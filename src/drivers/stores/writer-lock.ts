import { open, readdir, rename, unlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createFolder } from '../../core/create-folder.ts';
import { withBriefLock } from '../../core/brief-lock.ts';
import {
  DEAD_AFTER,
  hasEnded,
  HeartbeatWatch,
  mayStillRun,
  HEARTBEAT_INTERVAL,
  THIS_PROCESS,
  type Owner,
} from '../../core/process-owner.ts';
import { waitFor } from '../../core/run.ts';
import { KbError } from '../../core/errors.ts';

// A writer writes its process and host into a file, and touches the file every few seconds as a heartbeat. Who waits for the lock watches whether the time of
// the file changes; it is never compared with a clock. To create, replace or remove the file, a process holds a brief lock: if two processes find the same dead
// owner, only one of them replaces it.

interface LockOwner extends Owner {
  /** Differs between the locks of one process. */
  lock: string;
}

/** Name of the folder with the locks of a store. */
export const LOCK_FOLDER = '.locks';

/** Milliseconds between two checks whether the lock is free. */
const CHECK_INTERVAL = 100;

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
  const watch = new HeartbeatWatch();
  let taken = await tryTake(file, owner, watch);
  if (!taken) onWait?.();
  for (; !taken; taken = await tryTake(file, owner, watch)) await waitFor(CHECK_INTERVAL, signal);
  const isHeldByUs = async () => (await readLock(file))?.owner.lock === owner.lock;
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
      await withBriefLock(file, removeFile).catch(() => {}); // if the folder is gone or full, the next writer takes the lock over from this dead process
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
    `Another run has taken over "${name}", because this one stood still for more than ${DEAD_AFTER / 1000} seconds.`,
    {
      hint: 'Run it again: it goes on from what is stored.',
      isRetryable: true,
    },
  );

/** Takes the lock unless a living process holds it; undefined if one does. */
async function tryTake(file: string, owner: LockOwner, watch: HeartbeatWatch): Promise<Pick<WriterLock, 'needsFencing'> | undefined> {
  if (await isHeld(file, watch)) return undefined;
  return await withBriefLock(file, async () => {
    const previous = await readLock(file);
    if (previous && !watch.isDead(previous.owner, previous.heartbeat)) return undefined; // another process has just taken it
    await writeFile(`${file}.new`, JSON.stringify(owner));
    await rename(`${file}.new`, file); // atomic: a reader never sees half of it
    return { needsFencing: previous !== undefined && mayStillRun(previous.owner) };
  });
}

async function isHeld(file: string, watch: HeartbeatWatch): Promise<boolean> {
  const lock = await readLock(file);
  return lock !== undefined && !watch.isDead(lock.owner, lock.heartbeat);
}

/**
 * Lists the locks in the folder that processes of this host have left when they were killed. Whether a process of another host still runs can only be seen by
 * watching it.
 */
export async function listAbandonedLocks(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  const abandoned: string[] = [];
  for (const name of names.filter((entry) => !/\.(?:lock|new)$/.test(entry))) {
    const lock = await readLock(join(folder, name));
    if (lock && hasEnded(lock.owner)) abandoned.push(name);
  }
  return abandoned;
}

/** Reads a lock. It is opened each time, so that a network file system asks its server for the current time of the file. */
async function readLock(file: string): Promise<{ owner: LockOwner; heartbeat: string } | undefined> {
  const handle = await open(file).catch(() => undefined);
  try {
    if (!handle) return undefined;
    const owner = JSON.parse(await handle.readFile('utf8')) as LockOwner;
    return { owner, heartbeat: `${owner.lock} ${(await handle.stat()).mtimeMs}` };
  } catch {
    return undefined; // the machine went down while it was written
  } finally {
    await handle?.close();
  }
}
