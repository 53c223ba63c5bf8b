import pLimit, { type LimitFunction } from 'p-limit';
import { closedError } from '../errors.ts';
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

interface OcrProcess {
  worker: WorkerProcess<OcrRequest, OcrAnswer>;
  /** Its open document. */
  open?: Scan;
}

const SCRIPT = workerModule('ocr/ocr-worker.ts');
/** JavaScript heap in MiB; pixels and the recognizer are outside of it. */
const HEAP = 512;
/** Consecutive failed pages after which the rest of a document is given up. */
const MAX_FAILED = 5;

/** A pool of OCR processes. They start with the first page, and are reused. */
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
    for (const process of this.#idle) if (process.open === scan) delete process.open;
    return found;
  }

  /** Ends all processes, also busy ones. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#all].map(({ worker }) => worker.kill()));
  }

  async #recognizePage(scan: Scan, page: number): Promise<RecognizedPage | undefined> {
    scan.signal?.throwIfAborted();
    if (this.#isClosed) throw closedError();
    scan.onStart?.(page);
    const process = this.#takeProcess(scan);
    if (process.open !== scan) {
      const { bytes, file_type, passwords, folder, languages } = scan;
      const opened = await this.#request(
        process,
        { open: { bytes: new Uint8Array(bytes), file_type, passwords, folder, languages } },
        scan,
      );
      if ('opened' in opened) process.open = scan;
    }
    const answer = process.open === scan ? await this.#request(process, { page }, scan) : undefined;
    if (process.worker.isAlive) this.#idle.push(process);
    else this.#all.delete(process);
    scan.signal?.throwIfAborted();
    if (this.#isClosed) throw closedError();
    return answer && 'page' in answer ? answer.page : undefined;
  }

  /** Takes an idle process, preferably one that has opened the document; starts one if there is none. */
  #takeProcess(scan: Scan): OcrProcess {
    const alive = this.#idle.filter(({ worker }) => worker.isAlive);
    const taken = alive.find(({ open }) => open === scan) ?? alive.at(-1);
    this.#idle = alive.filter((one) => one !== taken);
    if (taken) return taken;
    const started: OcrProcess = { worker: new WorkerProcess(SCRIPT, { heap: HEAP, resident: this.#limits.megabytes }) };
    this.#all.add(started);
    return started;
  }

  /** Sends a request to a process, which is killed when it is late or the run is aborted. */
  #request({ worker }: OcrProcess, request: OcrRequest, { signal }: Scan) {
    const late = AbortSignal.timeout(this.#limits.seconds * 1000);
    return worker.ask(request, { signal: signal ? AbortSignal.any([signal, late]) : late });
  }
}
