import pLimit, { type LimitFunction } from 'p-limit';
import { stoppedError } from '../../../core/errors.ts';
import { workerFile } from '../../../core/project.ts';
import { throwIfAborted } from '../../../core/run.ts';
import { WorkerProcess } from '../process/worker-process.ts';
import type { OcrAnswer, OcrRequest, RecognizedPage } from './ocr-messages.ts';
import type { PictureSource } from './page-pictures.ts';

export interface OcrLimits {
  /** Pages recognized at once, each in a process of its own. */
  processes: number;
  /** For one page. */
  seconds: number;
  /** MiB of resident memory of a process. */
  megabytes: number;
}

export interface Scan extends PictureSource {
  languages: readonly string[];
  /** The pages whose text is wanted, from 1. */
  pages: readonly number[];
  signal?: AbortSignal | undefined;
}

interface OcrProcess {
  worker: WorkerProcess<OcrRequest, OcrAnswer>;
  /** The document that it has open. */
  open?: Scan;
}

const SCRIPT = workerFile(import.meta.url, 'ocr-worker');
/** MiB of JavaScript's heap: pixels and the recognizer are outside. */
const HEAP = 512;
/** Pages in a row that fail before the rest of a document is given up. */
const MOST_FAILED = 5;

/** Processes that recognize text. They start with the first page, and stay for the next. */
export class OcrPool {
  readonly #limits: OcrLimits;
  readonly #inTurn: LimitFunction;
  readonly #all = new Set<OcrProcess>();
  #idle: OcrProcess[] = [];
  #isClosed = false;

  constructor(limits: OcrLimits) {
    this.#limits = limits;
    this.#inTurn = pLimit(limits.processes);
  }

  /** The text of pages, by number. A page that takes too long or too much costs its process, and is left out. */
  async recognize(scan: Scan): Promise<Map<number, RecognizedPage>> {
    const found = new Map<number, RecognizedPage>();
    let failed = 0;
    const take = async (page: number) => {
      const read = failed < MOST_FAILED ? await this.#pageOf(scan, page) : undefined;
      failed = read ? 0 : failed + 1;
      if (read) found.set(page, read);
    };
    await Promise.all(scan.pages.map((page) => this.#inTurn(() => take(page))));
    for (const process of this.#idle) if (process.open === scan) delete process.open;
    return found;
  }

  /** Ends all processes, also those that work. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#all].map(({ worker }) => worker.kill()));
  }

  async #pageOf(scan: Scan, page: number): Promise<RecognizedPage | undefined> {
    throwIfAborted(scan.signal);
    if (this.#isClosed) throw stoppedError();
    const process = this.#take(scan);
    if (process.open !== scan) {
      const { bytes, file_type, passwords, folder, languages } = scan;
      const opened = await this.#ask(process, { open: { bytes: new Uint8Array(bytes), file_type, passwords, folder, languages } }, scan);
      if ('opened' in opened) process.open = scan;
    }
    const answer = process.open === scan ? await this.#ask(process, { page }, scan) : undefined;
    if (process.worker.isAlive) this.#idle.push(process);
    else this.#all.delete(process);
    throwIfAborted(scan.signal);
    if (this.#isClosed) throw stoppedError();
    return answer && 'page' in answer ? answer.page : undefined;
  }

  /** A process that has the document open, or else any that lives. */
  #take(scan: Scan): OcrProcess {
    const alive = this.#idle.filter(({ worker }) => worker.isAlive);
    const taken = alive.find(({ open }) => open === scan) ?? alive.at(-1);
    this.#idle = alive.filter((one) => one !== taken);
    if (taken) return taken;
    const made: OcrProcess = { worker: new WorkerProcess(SCRIPT, { heap: HEAP, resident: this.#limits.megabytes }) };
    this.#all.add(made);
    return made;
  }

  /** Asks a process, which is killed when it is late or not wanted any more. */
  #ask({ worker }: OcrProcess, request: OcrRequest, { signal }: Scan) {
    const late = AbortSignal.timeout(this.#limits.seconds * 1000);
    return worker.ask(request, signal ? AbortSignal.any([signal, late]) : late);
  }
}
