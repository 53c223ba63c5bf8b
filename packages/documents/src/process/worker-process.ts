import { type ChildProcess, spawn } from 'node:child_process';
import { enableCompileCache, flushCompileCache } from 'node:module';
import { Socket } from 'node:net';
import { basename } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { deserialize, serialize } from 'node:v8';
import { Worker } from 'node:worker_threads';

/** Bytes of a message that are written at once; the next piece is written when the other process has read them. */
const PIECE_BYTES = 256 * 2 ** 10;
/** Bytes of the length before a message. */
const HEADER_BYTES = 4;

/** Sends a value that `structuredClone` can copy, in bounded pieces. Rejects if the stream breaks. */
export async function sendMessage(stream: Writable, value: unknown): Promise<void> {
  const body = serialize(value);
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt32LE(body.length);
  await write(stream, Buffer.concat([header, body.subarray(0, PIECE_BYTES)]));
  for (let at = PIECE_BYTES; at < body.length; at += PIECE_BYTES) await write(stream, body.subarray(at, at + PIECE_BYTES));
}

const write = (stream: Writable, piece: Uint8Array): Promise<void> =>
  new Promise((resolve, reject) => {
    stream.write(piece, (error) => (error ? reject(error) : resolve()));
  });

/**
 * Calls `take` with each value that the other end sends with `sendMessage`. Byte arrays are views of their message. A message that cannot be read (it may be
 * nested too deeply for the stack of this process) destroys the stream with its error.
 */
export function onMessage(stream: Readable, take: (value: unknown) => void): void {
  let isHeader = true;
  let target = Buffer.alloc(HEADER_BYTES);
  let filled = 0;
  stream.on('data', (piece: Buffer) => {
    for (let at = 0; at < piece.length;) {
      const count = piece.copy(target, filled, at);
      at += count;
      filled += count;
      if (filled < target.length) return;
      const complete = target;
      target = isHeader ? Buffer.allocUnsafeSlow(complete.readUInt32LE()) : Buffer.alloc(HEADER_BYTES);
      filled = 0;
      isHeader = !isHeader;
      if (!isHeader) continue;
      try {
        take(deserialize(complete));
      } catch (error) {
        return void stream.destroy(error as Error);
      }
    }
  });
}

/** Written to standard error by a process that is killed for its processor time, because too much memory leads to the same signal. */
export const CPU_TIME_EXCEEDED = 'out of processor time\n';

/** A message to a process, with the processor time that the work on it may take, in seconds. */
interface Request<Message> {
  message: Message;
  seconds: number | undefined;
}

/** Why a process ended. */
export interface Death {
  code: number | null;
  signal: NodeJS.Signals | null;
  /** The beginning of its standard error, or the reason why it did not start. */
  stderr: string;
}

/** The variables that a process gets. None holds a key: parsers open files of strangers. */
const PASSED =
  /^(?:TZ|LANG|LC_\w+|TMPDIR|TEMP|TMP|SystemRoot|NODE_OPTIONS|NODE_ICU_DATA|NODE_(?:DISABLE_)?COMPILE_CACHE|LD_LIBRARY_PATH)$/i;

const environment = (): Record<string, string | undefined> =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => PASSED.test(name)));

/** Stack size in KiB, as for a worker thread, because documents are nested. The main thread of Windows has less. */
const STACK_KILOBYTES = process.platform === 'win32' ? undefined : 3800;
const MAX_STDERR = 8192;

/** Memory limits of a worker process, in MiB. */
export interface MemoryLimits {
  /** MiB of JavaScript's heap. */
  heap: number;
  /** MiB of resident memory. */
  resident: number;
}

/** A process that answers one message after another. It keeps its parent alive only while it works. */
export class WorkerProcess<Message, Answer> {
  readonly #child: ChildProcess;
  /** Absent if no process was started, because the system had no descriptor left. */
  readonly #channel: Socket | undefined;
  readonly #closed: Promise<Death>;
  #receive: ((answer: Answer) => void) | undefined;
  /** Why the channel broke, in case the process gives no reason. */
  #broken: Error | undefined;

  /** `script`: path of the module that it runs; `hint`: its second argument. */
  constructor(script: string, { heap, resident, hint = '' }: MemoryLimits & { hint?: string }) {
    const flags = [`--max-old-space-size=${heap}`, ...(STACK_KILOBYTES ? [`--stack-size=${STACK_KILOBYTES}`] : [])];
    this.#child = spawn(process.execPath, [...flags, script, String(resident * 2 ** 20), hint], {
      env: environment(),
      stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
      windowsHide: true,
    });
    this.#closed = waitForDeath(this.#child); // registered first: a failed start is reported as an event
    this.#channel = streamsOf(this.#child)[3];
    this.#channel?.on('error', (error) => (this.#broken = error)); // the process ends because of it, or has ended
    if (this.#channel) onMessage(this.#channel, (message) => this.#receive?.(message as Answer));
    this.#keepParent(false);
  }

  /**
   * Sends a message and waits for its answer, which may take `seconds` of processor time. Returns a Death if the process ends before, as it does
   * when `signal` is aborted.
   */
  async ask(message: Message, { signal, seconds }: { signal?: AbortSignal; seconds?: number } = {}): Promise<Answer | { death: Death }> {
    const kill = () => void this.kill();
    signal?.addEventListener('abort', kill, { once: true });
    this.#keepParent(true);
    try {
      const answer = new Promise<Answer>((resolve) => (this.#receive = resolve));
      const request: Request<Message> = { message, seconds };
      if (this.#channel) sendMessage(this.#channel, request).catch(() => {});
      return await Promise.race([answer, this.#closed.then((death) => ({ death: this.#withCause(death) }))]);
    } finally {
      signal?.removeEventListener('abort', kill);
      this.#receive = undefined;
      this.#keepParent(false);
    }
  }

  #withCause(death: Death): Death {
    return { ...death, stderr: death.stderr || String(this.#broken ?? '') };
  }

  get isAlive(): boolean {
    return this.#child.pid !== undefined && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Kills it. Resolves when it has ended. */
  async kill(): Promise<void> {
    this.#keepParent(true);
    this.#child.kill('SIGKILL');
    await this.#closed;
  }

  #keepParent(isKept: boolean): void {
    const method = isKept ? 'ref' : 'unref';
    this.#child[method]();
    for (const stream of streamsOf(this.#child)) stream?.[method]();
  }
}

/** The pipes to a process. They are missing, despite the types, if it could not be started for lack of descriptors. */
const streamsOf = ({ stdio }: { stdio?: ChildProcess['stdio'] }): (Socket | undefined)[] =>
  (stdio ?? []).map((stream) => (stream as Socket | null) ?? undefined);

function waitForDeath(child: ChildProcess): Promise<Death> {
  let stderr = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr = (stderr + text).slice(0, MAX_STDERR)));
  return new Promise((resolve) => {
    child.on('error', (error) => resolve({ code: null, signal: null, stderr: error.message }));
    child.on('close', (code, signal) => resolve({ code, signal, stderr }));
  });
}

/**
 * Answers the messages of the parent process one after another, over descriptor 3; the first argument is the limit of resident memory in bytes. `load`
 * returns the function that answers a message.
 */
export async function serveParent<Message, Answer>(load: () => Promise<(message: Message) => Promise<Answer>>): Promise<void> {
  const channel = new Socket({ fd: 3, readable: true, writable: true });
  // closed by the parent, or by its end
  channel.on('error', () => {}).on('close', () => process.exit());
  // a terminal sends signals to all processes of its group: the parent decides how to react
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
  // libraries print warnings about a file
  for (const name of ['log', 'info', 'warn', 'error', 'debug'] as const) console[name] = () => {};

  enableCompileCache?.();
  const answer = await load();
  const setBudget = startWatchdog({ bytes: Number(process.argv[2]), late: CPU_TIME_EXCEEDED });
  onMessage(channel, (request) => void respond(request as Request<Message>));

  async function respond({ message, seconds }: Request<Message>): Promise<void> {
    setBudget({ seconds });
    const result = await answer(message);
    flushCompileCache?.(); // now, because the parent ends this process with SIGKILL
    await sendMessage(channel, result);
    setBudget();
  }
}

interface WatchdogData {
  /** Cell 0 is 1 while a document is parsed. Cell 1 holds the limit for the processor time of this process in milliseconds, or 0. */
  cells: Int32Array<SharedArrayBuffer>;
  parent: number;
  /** Maximum bytes of resident memory. */
  bytes: number;
  /** Written before the process is killed for its processor time. */
  late: string;
}

/**
 * Starts a thread that kills this process if it takes too much memory or processor time, or its parent is gone. Returns a function that sets the limit for the
 * next work; without work the thread sleeps.
 */
function startWatchdog(limits: Pick<WatchdogData, 'bytes' | 'late'>): (work?: { seconds: number | undefined }) => void {
  const cells = new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT));
  const workerData: WatchdogData = { cells, parent: process.ppid, ...limits };
  const thread = new Worker(`(${runWatchdog})(require('node:worker_threads').workerData)`, {
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

/** The body of the thread. The thread gets only the source of this function, so that it must not refer to anything outside. */
function runWatchdog({ cells, parent, bytes, late }: WatchdogData): void {
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

/**
 * Finds the module of a worker: the TypeScript source, given from the folder of this package's sources, where those run, else the file of its name next to the
 * bundle that holds this function.
 */
export const workerModule = (source: string): string =>
  fileURLToPath(
    import.meta.url.endsWith('.ts')
      ? new URL(`../${source}`, import.meta.url)
      : new URL(`./${basename(source, '.ts')}.js`, import.meta.url),
  );
