import pLimit, { type LimitFunction } from 'p-limit';
import { ProcessPool } from '../process/pool.ts';
import { workerModule, WorkerProcess } from '../process/worker-process.ts';
import type { OcrAnswer, OcrRequest } from './ocr-worker.ts';
import type { PictureSource } from './page-pictures.ts';
import type { RecognizedPage } from './recognize.ts';

interface OcrLimits {
  /** Pages recognized at once, each in a process of its own. */
  processes: number;
  /** Maximum seconds for one page. */
  seconds: number;
  /** MiB of resident memory of a process. */
  megabytes: number;
}

/** A document with the pages to recognize. */
export interface Scan extends PictureSource {
  languages: readonly string[];
  /** Numbers of the pages, from 1. */
  pages: readonly number[];
  signal?: AbortSignal | undefined;
  /** Called when a page is begun. */
  onStart?: ((page: number) => void) | undefined;
}

type OcrProcess = WorkerProcess<OcrRequest, OcrAnswer>;

const SCRIPT = workerModule('ocr/ocr-worker.ts');
/** JavaScript heap in MiB; pixels and the recognizer are outside of it. */
const HEAP = 512;
/** Consecutive failed pages after which the rest of a document is given up. */
const MAX_FAILED = 5;

/** Recognizes pages in processes, which start with the first page and are reused. */
export class OcrPool {
  readonly #limits: OcrLimits;
  readonly #inTurn: LimitFunction;
  readonly #pool: ProcessPool<OcrProcess>;
  /** The documents that processes have open, which are not kept for that. */
  readonly #open = new WeakMap<OcrProcess, WeakRef<Scan>>();

  constructor(limits: OcrLimits) {
    this.#limits = limits;
    this.#inTurn = pLimit(limits.processes);
    this.#pool = new ProcessPool(() => new WorkerProcess(SCRIPT, { heap: HEAP, resident: limits.megabytes }));
  }

  /**
   * Recognizes pages; returns their texts by page number. A process that exceeds the time or memory limit is killed, and its page is
   * missing.
   */
  async recognize(scan: Scan): Promise<Map<number, RecognizedPage>> {
    const found = new Map<number, RecognizedPage>();
    let failed = 0;
    const recognizeNext = async (page: number) => {
      const read = failed < MAX_FAILED ? await this.#recognizePage(scan, page) : undefined;
      failed = read ? 0 : failed + 1;
      if (read) found.set(page, read);
    };
    await Promise.all(scan.pages.map((page) => this.#inTurn(() => recognizeNext(page))));
    return found;
  }

  /** Ends all processes, also busy ones. */
  close(): Promise<void> {
    return this.#pool.close();
  }

  async #recognizePage(scan: Scan, page: number): Promise<RecognizedPage | undefined> {
    scan.signal?.throwIfAborted();
    this.#pool.throwIfClosed();
    scan.onStart?.(page);
    const process = this.#pool.take((idle) => this.#hasOpen(idle, scan));
    if (!this.#hasOpen(process, scan)) {
      const { bytes, file_type, passwords, folder, languages } = scan;
      const open = { bytes: new Uint8Array(bytes), file_type, passwords, folder, languages };
      if ('opened' in (await this.#request(process, { open }, scan))) this.#open.set(process, new WeakRef(scan));
    }
    const answer = this.#hasOpen(process, scan) ? await this.#request(process, { page }, scan) : undefined;
    this.#pool.giveBack(process);
    scan.signal?.throwIfAborted();
    this.#pool.throwIfClosed();
    return answer && 'page' in answer ? answer.page : undefined;
  }

  #hasOpen(process: OcrProcess, scan: Scan): boolean {
    return this.#open.get(process)?.deref() === scan;
  }

  /** Sends a request to a process, which is killed when it is late or the run is aborted. */
  #request(process: OcrProcess, request: OcrRequest, { signal }: Scan) {
    const late = AbortSignal.timeout(this.#limits.seconds * 1000);
    return process.ask(request, { signal: signal ? AbortSignal.any([signal, late]) : late });
  }
}
