import { hostname } from 'node:os';

/** The owner of a lock or a job, as written to a file for other processes. */
export interface Owner {
  pid: number;
  host: string;
  /** Differs from that of an earlier process with the same id. */
  process: string;
}

/** This process as an owner. Its id alone may later belong to another process. */
export const THIS_PROCESS: Readonly<Owner> = {
  pid: process.pid,
  host: hostname(),
  process: `${process.pid}-${Date.now().toString(36)}-${Math.random().toString(36).slice(2)}`,
};

/** Milliseconds between two heartbeats of an owner. */
export const HEARTBEAT_INTERVAL = 5_000;
/** Milliseconds without a heartbeat after which an owner on another host, or one that hangs, counts as dead. */
export const DEAD_AFTER = 60_000;

/** Whether an owner has certainly ended: it ran on this host, and its process is gone. */
export function hasEnded(owner: Owner): boolean {
  if (owner.host !== THIS_PROCESS.host) return false;
  return owner.pid === THIS_PROCESS.pid ? owner.process !== THIS_PROCESS.process : !isRunning(owner.pid);
}

/**
 * Watches an owner for heartbeats. The clocks of two machines may differ by hours, so the time of a heartbeat means nothing here: an owner is silent if its
 * heartbeat does not change while this process watches, by the monotonic clock of this process.
 */
export class HeartbeatWatch {
  readonly #maxSilence: number;
  #heartbeat: string | undefined;
  #since = 0;

  /** `maxSilence`: milliseconds without a change after which an owner counts as dead. */
  constructor(maxSilence = DEAD_AFTER) {
    this.#maxSilence = maxSilence;
  }

  /** Whether an owner has ended or is silent. `heartbeat` is what its heartbeats change. */
  isDead(owner: Owner, heartbeat: string): boolean {
    const now = performance.now();
    if (heartbeat !== this.#heartbeat) {
      this.#heartbeat = heartbeat;
      this.#since = now;
    }
    return hasEnded(owner) || now - this.#since > this.#maxSilence;
  }
}

/** Whether an owner without heartbeats may still run: it may have been suspended, or unable to reach the file. */
export const mayStillRun = ({ host, pid }: Owner): boolean => host !== THIS_PROCESS.host || isRunning(pid);

/** Whether this host runs a process with that id. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'; // it runs as another user
  }
}
