import { hostname } from 'node:os';

/** A process that owns something, as written to a file for other processes. */
export interface Owner {
  pid: number;
  host: string;
  /** Differs from that of an earlier process with the same number. */
  process: string;
}

/** This process as the owner of a lock: a process id alone may belong to another process later. */
export const THIS_PROCESS: Readonly<Owner> = {
  pid: process.pid,
  host: hostname(),
  process: `${process.pid}-${Date.now().toString(36)}-${Math.random().toString(36).slice(2)}`,
};

/** Milliseconds between two signs of life that an owner gives. */
export const SIGN_OF_LIFE = 5_000;
/** Milliseconds without a sign of life after which an owner on another host, or one that hangs, counts as dead. */
export const DEAD_AFTER = 60_000;

/** Whether an owner lives whose last sign of life was at that time (milliseconds since 1970). A killed one on this host counts as dead at once. */
export function isLiving(owner: Owner, lastSign: number): boolean {
  if (Date.now() - lastSign > DEAD_AFTER) return false;
  if (owner.host !== THIS_PROCESS.host) return true;
  return owner.pid === THIS_PROCESS.pid ? owner.process === THIS_PROCESS.process : isRunning(owner.pid);
}

/** Whether an owner without signs of life may still go on, because it was only suspended or could not reach the file. */
export const mayGoOn = ({ host, pid }: Owner): boolean => host !== THIS_PROCESS.host || isRunning(pid);

/** Whether this host has a process of that number. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'; // it lives, and belongs to another user
  }
}
