import { type ChildProcess, spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import { onMessage, type Request, sendMessage } from './parse-messages.ts';

/** Why a process ended. */
export interface Death {
  code: number | null;
  signal: NodeJS.Signals | null;
  /** The beginning of its standard error; for a process that did not start, the reason. */
  stderr: string;
}

/** Environment variables that are passed on: those about locations and locale. A parser needs no keys. */
const PASSED =
  /^(?:TZ|LANG|LC_\w+|TMPDIR|TEMP|TMP|SystemRoot|NODE_OPTIONS|NODE_ICU_DATA|NODE_(?:DISABLE_)?COMPILE_CACHE|LD_LIBRARY_PATH)$/i;
/** Stack size in KiB, as for a worker thread, because documents are nested. The main thread of Windows has less. */
const STACK_KILOBYTES = process.platform === 'win32' ? undefined : 3800;
const MOST_STDERR = 8192;

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
  /** Absent if the system had no descriptor left: then no process was started. */
  readonly #channel: Socket | undefined;
  readonly #closed: Promise<Death>;
  #receive: ((answer: Answer) => void) | undefined;
  /** Why the channel broke, in case the process does not say. */
  #broken: Error | undefined;

  /** `script`: path of the module that it runs. */
  constructor(script: string, { heap, resident }: MemoryLimits) {
    const flags = [`--max-old-space-size=${heap}`, ...(STACK_KILOBYTES ? [`--stack-size=${STACK_KILOBYTES}`] : [])];
    const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => PASSED.test(name)));
    this.#child = spawn(process.execPath, [...flags, script, String(resident * 2 ** 20)], {
      env,
      stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
      windowsHide: true,
    });
    this.#closed = deathOf(this.#child); // first: a process that could not be started reports that as an event
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
      return await Promise.race([answer, this.#closed.then((death) => ({ death: this.#explained(death) }))]);
    } finally {
      signal?.removeEventListener('abort', kill);
      this.#receive = undefined;
      this.#keepParent(false);
    }
  }

  #explained(death: Death): Death {
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

function deathOf(child: ChildProcess): Promise<Death> {
  let stderr = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr = (stderr + text).slice(0, MOST_STDERR)));
  return new Promise((resolve) => {
    child.on('error', (error) => resolve({ code: null, signal: null, stderr: error.message }));
    child.on('close', (code, signal) => resolve({ code, signal, stderr }));
  });
}
