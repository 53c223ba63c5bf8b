import { extname } from 'node:path';
import type { ParseAnswer, ParseTask } from '../parser.ts';
import { workerModule, WorkerProcess } from './worker-process.ts';

/** A process that parses documents. */
export type ParseProcess = WorkerProcess<readonly ParseTask[], ParseAnswer>;

/** Maximum MiB of JavaScript's heap for a document if the caller sets none. */
export const DEFAULT_MEGABYTES = 1024;
/** MiB besides the heap: for Node itself, the bytes of the document and its unpacked parts. */
const OUTSIDE_HEAP = 512;

const start = (megabytes: number, name = ''): ParseProcess =>
  new WorkerProcess(workerModule('process/parse-worker.ts'), {
    heap: megabytes,
    resident: megabytes + OUTSIDE_HEAP,
    hint: extname(name).toLowerCase(),
  });

let prepared: { process: ParseProcess; megabytes: number } | undefined;

/**
 * Starts a process for a reader that will be created in a moment with the same limit, while the program loads what else it needs. It loads the library for files
 * with the extension of `name`. The process ends with this one if no reader takes it.
 */
export function prepareReader(name: string, megabytes: number = DEFAULT_MEGABYTES): void {
  prepared ??= { process: start(megabytes, name), megabytes };
}

/** Takes the prepared process, if it has this limit; else starts one. */
export function startProcess(megabytes: number): ParseProcess {
  const process = prepared?.megabytes === megabytes ? prepared.process : undefined;
  if (!process) return start(megabytes);
  prepared = undefined;
  return process.isAlive ? process : start(megabytes);
}
