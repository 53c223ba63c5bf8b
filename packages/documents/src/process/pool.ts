import { closedError } from '../errors.ts';

interface PooledProcess {
  readonly isAlive: boolean;
  kill(): Promise<void>;
}

/** Processes that are reused. One is started when there is work and none is idle; the caller bounds how many work at once. */
export class ProcessPool<Process extends PooledProcess> {
  readonly #start: () => Process;
  readonly #all = new Set<Process>();
  #idle: Process[] = [];
  #isClosed = false;

  constructor(start: () => Process) {
    this.#start = start;
  }

  /** Takes a preferred idle process, else the one that was used last, so that the others stay idle. Throws a DocumentError if the pool was closed. */
  take(isPreferred: (process: Process) => boolean = () => false): Process {
    this.throwIfClosed();
    this.#idle = this.#idle.filter(({ isAlive }) => isAlive);
    const [idle] = this.#idle.splice(this.#idle.findLastIndex(isPreferred), 1); // -1 is the last
    const process = idle ?? this.#start();
    this.#all.add(process);
    return process;
  }

  /** Gives a process back for other work, or ends it. */
  giveBack(process: Process, isReusable = process.isAlive): void {
    if (isReusable) this.#idle.push(process);
    else {
      this.#all.delete(process);
      void process.kill();
    }
  }

  throwIfClosed(): void {
    if (this.#isClosed) throw closedError();
  }

  /** Ends all processes, also those that work. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all(Array.from(this.#all, (process) => process.kill()));
  }
}
