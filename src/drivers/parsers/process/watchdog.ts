import { Worker } from 'node:worker_threads';

interface Watched {
  /** Cell 0 is 1 while a document is parsed. */
  busy: Int32Array<SharedArrayBuffer>;
  parent: number;
  /** Of resident memory, at most. */
  bytes: number;
}

/** Kills this process from a thread of its own if it holds too much memory or its parent is gone. Returns how to tell it whether there is work; without any it sleeps. */
export function startWatchdog({ bytes }: { bytes: number }): (isBusy: boolean) => void {
  const busy = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const workerData: Watched = { busy, parent: process.ppid, bytes };
  const thread = new Worker(`(${watch})(require('node:worker_threads').workerData)`, {
    eval: true, // its source is text: a module would have to be found and loaded first
    workerData,
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 1 },
  });
  thread.unref();
  return (isBusy) => {
    Atomics.store(busy, 0, isBusy ? 1 : 0);
    Atomics.notify(busy, 0);
  };
}

/** The body of the thread. Its text is all that the thread gets, so that it refers to nothing outside. */
function watch({ busy, parent, bytes }: Watched): void {
  for (;;) {
    Atomics.wait(busy, 0, 0);
    if (process.ppid !== parent || process.memoryUsage.rss() > bytes) process.kill(process.pid, 'SIGKILL');
    Atomics.wait(busy, 0, 1, 50);
  }
}
