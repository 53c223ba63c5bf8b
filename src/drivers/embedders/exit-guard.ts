// Cells of the shared memory: whether the guard is closed, and the number of runs.
const CLOSED = 0;
const RUNNING = 1;

/** Maximum milliseconds that `close` waits: many times what one passage takes. */
const MAX_WAIT = 5000;

/**
 * Keeps worker threads from being ended while they are in native code: then onnxruntime-node crashes the process («terminate called after throwing an
 * instance of 'Napi::Error'»). Workers make every run under the guard; the main thread closes it and waits until no run is left. It uses shared memory,
 * because the `exit` event of a process leaves no time for messages.
 */
export class ExitGuard {
  /** Passed to a worker, which makes its guard from it. */
  readonly memory: SharedArrayBuffer;
  readonly #cells: Int32Array<SharedArrayBuffer>;

  constructor(memory: SharedArrayBuffer = new SharedArrayBuffer(8)) {
    this.memory = memory;
    this.#cells = new Int32Array(memory);
  }

  get isClosed(): boolean {
    return Atomics.load(this.#cells, CLOSED) === 1;
  }

  /** Runs work that the guard counts; throws if it is closed. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    Atomics.add(this.#cells, RUNNING, 1);
    try {
      if (this.isClosed) throw new Error('The guard is shut, because the process is ending.');
      return await work();
    } finally {
      Atomics.sub(this.#cells, RUNNING, 1);
      Atomics.notify(this.#cells, RUNNING);
    }
  }

  /** Admits no more work, and waits until the running work is done: as long as one passage takes. */
  close(): void {
    Atomics.store(this.#cells, CLOSED, 1);
    const end = performance.now() + MAX_WAIT;
    for (
      let running = Atomics.load(this.#cells, RUNNING);
      running > 0 && performance.now() < end;
      running = Atomics.load(this.#cells, RUNNING)
    ) {
      Atomics.wait(this.#cells, RUNNING, running, end - performance.now());
    }
  }
}
