// oxlint-disable unicorn/require-post-message-target-origin -- a rule for windows; these are threads
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** Threads of the loop: as many as kb's own embedder has on two cores. */
const THREADS = 2;

/**
 * How long the bundled model takes for these passages, in milliseconds, with nothing around it: two threads with a session each, which take every
 * other passage. Counted from when both have loaded the model.
 */
export async function bareLoop(passages: readonly string[]): Promise<number> {
  process.env['ORT_DISABLE_TELEMETRY'] = '1'; // as kb's own embedder has it
  const workers = Array.from({ length: THREADS }, (_, thread) => {
    const workerData = passages.filter((_passage, index) => index % THREADS === thread);
    return new Worker(new URL('bare-loop-worker.ts', import.meta.url), { workerData });
  });
  try {
    await Promise.all(workers.map((worker) => once(worker, 'message')));
    const began = performance.now();
    const done = Promise.all(workers.map((worker) => once(worker, 'message')));
    for (const worker of workers) worker.postMessage('go');
    await done;
    return performance.now() - began;
  } finally {
    await Promise.all(workers.map((worker) => worker.terminate()));
  }
}
