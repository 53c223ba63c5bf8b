const SHUT = 0;
const INSIDE = 1;

/** Maximum milliseconds that `shut` waits: many times what one passage takes. */
const PATIENCE = 5000;

/**
 * Keeps worker threads from being ended while they are in native code: then onnxruntime-node crashes the process («terminate called after throwing an
 * instance of 'Napi::Error'»). Workers pass the gate for every run; the main thread shuts it, and waits until all have left. It uses shared memory, because
 * the `exit` event of a process leaves no time for messages.
 */
export class Gate {
  /** Passed to a worker, which makes its gate from it. */
  readonly memory: SharedArrayBuffer;
  readonly #cells: Int32Array<SharedArrayBuffer>;

  constructor(memory: SharedArrayBuffer = new SharedArrayBuffer(8)) {
    this.memory = memory;
    this.#cells = new Int32Array(memory);
  }

  get isShut(): boolean {
    return Atomics.load(this.#cells, SHUT) === 1;
  }

  /** Runs work inside the gate; throws if it is shut. */
  async through<T>(work: () => Promise<T>): Promise<T> {
    Atomics.add(this.#cells, INSIDE, 1);
    try {
      if (this.isShut) throw new Error('The gate is shut.');
      return await work();
    } finally {
      Atomics.sub(this.#cells, INSIDE, 1);
      Atomics.notify(this.#cells, INSIDE);
    }
  }

  /** Admits no more work, and waits until the work inside is done: as long as one passage takes. */
  shut(): void {
    Atomics.store(this.#cells, SHUT, 1);
    const end = performance.now() + PATIENCE;
    for (
      let inside = Atomics.load(this.#cells, INSIDE);
      inside > 0 && performance.now() < end;
      inside = Atomics.load(this.#cells, INSIDE)
    ) {
      Atomics.wait(this.#cells, INSIDE, inside, end - performance.now());
    }
  }
}
