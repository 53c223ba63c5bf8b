import { stoppedError } from '../../base/errors.ts';
import type { ParseTask } from './parse.ts';
import type { ParseOutcome } from './parse-tasks.ts';
import { WorkerProcess, type Death, type MemoryLimits } from './worker-process.ts';

/** A process that still holds so many bytes after a document makes room for a new one: what is left would count against the next document. */
const MOST_KEPT = 384 * 2 ** 20;

/** Processes that parse documents. One is started when there is work and none is idle; who asks bounds how many work at once. */
export interface ParsePool {
  /** Parses documents together in one process, which is killed with the signal. */
  run(tasks: readonly ParseTask[], signal: AbortSignal): Promise<ParseOutcome[] | { death: Death }>;
  /** Ends all processes, also those that work. */
  close(): Promise<void>;
}

/** A pool without a process. Throws a KbError `aborted` when it is used after it was closed. */
export function createParsePool(limits: MemoryLimits): ParsePool {
  const idle: WorkerProcess[] = [];
  const all = new Set<WorkerProcess>();
  let isClosed = false;
  const start = () => {
    const process = new WorkerProcess(limits);
    all.add(process);
    return process;
  };
  const end = async (process: WorkerProcess) => {
    all.delete(process);
    await process.kill();
  };
  return {
    async run(tasks, signal) {
      if (isClosed) throw stoppedError();
      const process = takeAlive(idle) ?? start();
      const kill = () => void process.kill();
      signal.addEventListener('abort', kill, { once: true });
      const answer = await process.parse(tasks);
      signal.removeEventListener('abort', kill);
      if (isClosed) throw stoppedError();
      if ('death' in answer || signal.aborted || answer.resident > MOST_KEPT) void end(process);
      else idle.push(process);
      return 'death' in answer ? answer : answer.outcomes;
    },
    async close() {
      isClosed = true;
      await Promise.all([...all].map(end));
    },
  };
}

/** The process that worked last: those that are not needed stay asleep. */
function takeAlive(idle: WorkerProcess[]): WorkerProcess | undefined {
  for (let process = idle.pop(); process; process = idle.pop()) if (process.isAlive) return process;
  return undefined;
}
