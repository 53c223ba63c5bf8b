import { enableCompileCache } from 'node:module';
import { Socket } from 'node:net';
import { Worker } from 'node:worker_threads';

/**
 * Answers the messages of the parent process, one after another, over descriptor 3; the first argument is the limit of resident memory in bytes. `load`
 * gives what answers a message.
 */
export async function serveParent<Message, Answer>(load: () => Promise<(message: Message) => Promise<Answer>>): Promise<void> {
  const channel = new Socket({ fd: 3, readable: true, writable: true });
  // the parent has closed it, or is gone
  channel.on('error', () => {}).on('close', () => process.exit());
  // A terminal sends them to all processes of its group: the parent decides what becomes of a document that is being read.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
  // Libraries print what they think of a file.
  for (const name of ['log', 'info', 'warn', 'error', 'debug'] as const) console[name] = () => {};

  enableCompileCache?.();
  const [{ onMessage, sendMessage }, answer] = await Promise.all([import('./parse-messages.ts'), load()]);
  const tellWatchdog = startWatchdog({ bytes: Number(process.argv[2]) });
  onMessage(channel, (message) => void respond(message as Message));

  async function respond(message: Message): Promise<void> {
    tellWatchdog(true);
    await sendMessage(channel, await answer(message));
    tellWatchdog(false);
  }
}

interface Watched {
  /** Cell 0 is 1 while a document is parsed. */
  busy: Int32Array<SharedArrayBuffer>;
  parent: number;
  /** Of resident memory, at most. */
  bytes: number;
}

/** Kills this process from a thread of its own if it holds too much memory or its parent is gone. Returns how to tell it whether there is work; without any it sleeps. */
function startWatchdog({ bytes }: { bytes: number }): (isBusy: boolean) => void {
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
