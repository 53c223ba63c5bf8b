import { mkdir, readdir, readFile, rename, stat, unlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DEAD_AFTER, isAlive, mayStillRun, HEARTBEAT_INTERVAL, THIS_PROCESS, type Owner } from '../../core/process-owner.ts';
import { waitFor } from '../../core/run.ts';
import { KbError } from '../../core/errors.ts';

// A writer names itself in a file (process and host), and touches it every few seconds as a sign of life. To take or leave that file, a process holds a
// lock of proper-lockfile for a moment, so that of two processes that see the same dead owner only one replaces it.

interface LockOwner extends Owner {
  /** Differs between the locks of one process. */
  lock: string;
}

/** Name of the folder with the locks of a store. */
export const LOCK_FOLDER = '.locks';

/** Milliseconds between two checks whether the lock is free. */
const LOOK_EVERY = 100;
/** Milliseconds after which a process that was taking the lock counts as dead. */
const STALE_GUARD = 4_000;

/** How to wait for a lock. */
export interface LockOptions {
  signal?: AbortSignal | undefined;
  /** Called once, if another holds the lock. */
  onWait?: (() => void) | undefined;
}

/** A lock that this process holds. */
export interface WriterLock {
  /**
   * Whether it was taken from an owner that gives no signs of life but may wake up: writes that the owner has begun must not take effect.
   */
  readonly overtook: boolean;
  release(): Promise<void>;
  /** Throws a KbError (`conflict`) if another process has taken it, because this one stood still for too long (suspended, for instance). */
  assertHeld(): Promise<void>;
}

/**
 * Waits for the lock `name` in `folder` (created if missing), and takes it over from a process that was killed on this host. Throws a
 * KbError (`aborted`) on the signal.
 */
export async function lockForWriting(folder: string, name: string, { signal, onWait }: LockOptions = {}): Promise<WriterLock> {
  await mkdir(folder, { recursive: true });
  const file = join(folder, name);
  const owner: LockOwner = { ...THIS_PROCESS, lock: Math.random().toString(36).slice(2) };
  let taken = await take(file, owner);
  if (!taken) onWait?.();
  for (; !taken; taken = await take(file, owner)) await waitFor(LOOK_EVERY, signal);
  const isOurs = async () => (await ownerOf(file))?.lock === owner.lock;
  const giveSign = async () => {
    if (await isOurs()) await utimes(file, new Date(), new Date()); // touching the lock of another process would keep it alive after its death
  };
  const signs = setInterval(() => void giveSign().catch(() => {}), HEARTBEAT_INTERVAL).unref();
  return {
    overtook: taken.overtook,
    release: async () => {
      clearInterval(signs);
      const removeFile = async () => {
        if (await isOurs()) await unlink(file);
      };
      await guarded(file, removeFile).catch(() => {}); // if the folder is gone or full, the lock is taken over after the end of this process
    },
    assertHeld: async () => {
      if (!(await isOurs())) throw lockLostError(name);
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
async function take(file: string, owner: LockOwner): Promise<Pick<WriterLock, 'overtook'> | undefined> {
  if (await isHeld(file)) return undefined;
  return await guarded(file, async () => {
    if (await isHeld(file)) return undefined; // another process was quicker
    const before = await ownerOf(file);
    await writeFile(`${file}.new`, JSON.stringify(owner));
    await rename(`${file}.new`, file); // whole or not at all
    return { overtook: before !== undefined && mayStillRun(before) };
  });
}

async function guarded<T>(file: string, work: () => Promise<T>): Promise<T> {
  const { lock } = await import('proper-lockfile');
  const retries = { retries: 1_000, factor: 1, minTimeout: 10, maxTimeout: 30, randomize: true };
  const onCompromised = () => {}; // the default throws out of a timer; the work here is short, and checked under the lock
  const release = await lock(file, { realpath: false, stale: STALE_GUARD, retries, onCompromised });
  try {
    return await work();
  } finally {
    await release();
  }
}

/** Lists the locks in the folder that dead processes of this host, or silent ones, have left. */
export async function abandonedLocks(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  const abandoned: string[] = [];
  for (const name of names.filter((one) => !/\.(?:lock|new)$/.test(one))) if (!(await isHeld(join(folder, name)))) abandoned.push(name);
  return abandoned;
}

async function ownerOf(file: string): Promise<LockOwner | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as LockOwner;
  } catch {
    return undefined; // missing, or the machine went down while it was written
  }
}

async function isHeld(file: string): Promise<boolean> {
  const owner = await ownerOf(file);
  if (!owner) return false;
  const sign = await stat(file).catch(() => undefined);
  return sign !== undefined && isAlive(owner, sign.mtimeMs);
}
