import { enableCompileCache } from 'node:module';
import { Socket } from 'node:net';
import { Worker } from 'node:worker_threads';
import type { Request } from './parse-messages.ts';

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
  const [{ OUT_OF_TIME: late, onMessage, sendMessage }, answer] = await Promise.all([import('./parse-messages.ts'), load()]);
  const tellWatchdog = startWatchdog({ bytes: Number(process.argv[2]), late });
  onMessage(channel, (request) => void respond(request as Request<Message>));

  async function respond({ message, seconds }: Request<Message>): Promise<void> {
    tellWatchdog({ seconds });
    await sendMessage(channel, await answer(message));
    tellWatchdog();
  }
}

interface Watched {
  /** Cell 0 is 1 while a document is parsed. Cell 1 holds the milliseconds of processor time that this process may have taken then, or 0. */
  cells: Int32Array<SharedArrayBuffer>;
  parent: number;
  /** Of resident memory, at most. */
  bytes: number;
  /** What it says before it kills a process that took too much processor time. */
  late: string;
}

/**
 * Kills this process from a thread of its own if it holds too much memory, takes too much processor time or its parent is gone. Returns how to tell it what
 * the work may take; without any it sleeps.
 */
function startWatchdog(limits: Pick<Watched, 'bytes' | 'late'>): (work?: { seconds: number | undefined }) => void {
  const cells = new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT));
  const workerData: Watched = { cells, parent: process.ppid, ...limits };
  const thread = new Worker(`(${watch})(require('node:worker_threads').workerData)`, {
    eval: true, // its source is text: a module would have to be found and loaded first
    workerData,
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 1 },
  });
  thread.unref();
  return (work) => {
    const { user, system } = process.cpuUsage();
    Atomics.store(cells, 1, work?.seconds ? Math.ceil((user + system) / 1000 + work.seconds * 1000) : 0);
    Atomics.store(cells, 0, work ? 1 : 0);
    Atomics.notify(cells, 0);
  };
}

/** The body of the thread. Its text is all that the thread gets, so that it refers to nothing outside. */
function watch({ cells, parent, bytes, late }: Watched): void {
  for (;;) {
    Atomics.wait(cells, 0, 0);
    const most = Atomics.load(cells, 1);
    const { user, system } = process.cpuUsage();
    const isLate = most > 0 && (user + system) / 1000 > most;
    if (isLate) process.getBuiltinModule('node:fs').writeSync(2, late);
    if (isLate || process.ppid !== parent || process.memoryUsage.rss() > bytes) process.kill(process.pid, 'SIGKILL');
    Atomics.wait(cells, 0, 1, 50);
  }
}
