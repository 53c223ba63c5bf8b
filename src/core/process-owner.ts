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

/** Whether an owner is alive, by its last heartbeat (milliseconds since 1970). A killed one on this host counts as dead at once. */
export function isAlive(owner: Owner, lastHeartbeat: number): boolean {
  if (Date.now() - lastHeartbeat > DEAD_AFTER) return false;
  if (owner.host !== THIS_PROCESS.host) return true;
  return owner.pid === THIS_PROCESS.pid ? owner.process === THIS_PROCESS.process : isRunning(owner.pid);
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
