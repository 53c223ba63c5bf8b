import { call, operatorAdvice } from '../../../core/advice/advice.ts';
import { KbError, stoppedError } from '../../../core/errors.ts';
import pLimit, { type LimitFunction } from 'p-limit';
import { workerFile } from '../../../core/project.ts';
import { throwIfAborted } from '../../../core/run.ts';
import type { DocumentReaders, ParsedDocument, ReadingOptions } from '../../../ports/reading.ts';
import { pageRanges } from '../../../text/passage-location.ts';
import { decompress } from '../archives/compressed-files.ts';
import { noTextLayerError } from '../parse-failures.ts';
import type { BaseReader } from '../parser-row.ts';
import { WorkerProcess } from '../process/worker-process.ts';
import { installedLanguages, ocrFolder } from './ocr-packages.ts';
import type { OcrAnswer, OcrRequest } from './ocr-worker.ts';
import type { PictureSource } from './page-pictures.ts';
import type { RecognizedPage } from './recognize.ts';

/** Confidence below which a page is reported: about every fifth of its words is wrong. */
const UNCERTAIN = 0.7;
/** Maximum seconds for a page: a full one that is skewed or upside down takes ten. */
const SECONDS_A_PAGE = 90;
const OCR_MEGABYTES = 1536;

/** Creates readers that also recognize text in pictures, with `processes` for OCR; `reader` parses everything else. */
export function createReaders(reader: BaseReader, { processes }: { processes: number }): DocumentReaders {
  const pool = new OcrPool({ processes, seconds: SECONDS_A_PAGE, megabytes: OCR_MEGABYTES });
  return {
    open: ({ ocr, languages, passwords, html }) => ({
      ...reader,
      revisionOf(file_type) {
        if (html === 'whole' && reader.hasPages(file_type)) return 'html whole';
        return ocr === 'auto' && reader.hasScans(file_type) ? `ocr ${languages ?? ''}` : undefined;
      },
      async read(given, options) {
        const bytes = await decompress(given, options.source);
        const parsed = await reader.read(bytes, { ...options, passwords, html });
        const { pictured_pages, ...document } = parsed;
        if (!pictured_pages) return parsed;
        if (ocr === 'auto') {
          const { file_type = options.file_type } = parsed;
          const scan = await readScan(bytes, { ...options, file_type, pages: pictured_pages, languages, passwords }, { reader, pool });
          return { ...scan, ...(parsed.file_type && { file_type }) };
        }
        if (parsed.text.trim() === '') throw noTextLayerError(options.source, pictured_pages.length);
        return ocr === 'off' ? document : markUnread(document, pictured_pages);
      },
    }),
    close: async () => void (await Promise.all([reader.close(), pool.close()])),
  };
}

interface ScannedDocument extends ReadingOptions {
  /** Its pages without text. */
  pages: readonly number[];
  languages: string | undefined;
  passwords: readonly string[];
}

/** Reads a document with the text of its pictures. Throws a KbError (`setup`) if OCR or a language is not installed. */
async function readScan(
  bytes: Uint8Array,
  scanned: ScannedDocument,
  { reader, pool }: { reader: BaseReader; pool: OcrPool },
): Promise<ParsedDocument> {
  const { pages, languages: requested, onPage, ...options } = scanned;
  const { source, ...file } = options;
  const languages = chooseLanguages(source, requested);
  let count = 0;
  const onStart = (page: number) => onPage?.({ source, page, count: ++count, total: pages.length });
  const found = await pool.recognize({ ...file, bytes, folder: ocrFolder(), languages, pages, onStart });
  const recognized = new Map([...found].map(([page, { lines }]) => [page, lines]));
  const { pictured_pages: unread = [], ...document } = await reader.read(bytes, { ...options, recognized });
  if (unread.length > 0 && document.text.trim() === '')
    throw new KbError('invalid', `${source} has pictures for pages, and their text could not be recognized.`, {
      hint: 'Scan it again with 300 dots per inch, or leave it out.',
    });
  return markUnread({ ...document, metadata: { ...document.metadata, ...ocrMetadata(found) } }, unread);
}

const markUnread = (document: ParsedDocument, pages: readonly number[]): ParsedDocument =>
  pages.length === 0 ? document : { ...document, metadata: { ...document.metadata, pages_without_text: pageRanges(pages) } };

function ocrMetadata(found: ReadonlyMap<number, RecognizedPage>): Record<string, unknown> {
  const pages = [...found].filter(([, { words }]) => words > 0);
  const words = pages.reduce((sum, [, page]) => sum + page.words, 0);
  const confidence = pages.reduce((sum, [, page]) => sum + page.confidence * page.words, 0) / Math.max(1, words);
  const unsure = pages.flatMap(([number, page]) => (page.confidence < UNCERTAIN ? [number] : []));
  return {
    ocr_pages: found.size,
    ocr_confidence: Math.round(confidence * 100) / 100,
    ...(unsure.length > 0 ? { ocr_unsure_pages: pageRanges(unsure) } : {}),
  };
}

/** Chooses the languages for OCR. Throws a KbError (`setup`) that names the command if one is missing. */
function chooseLanguages(source: string, requested: string | undefined): string[] {
  const installed = installedLanguages();
  const languages = requested?.split('+') ?? installed;
  const missing = languages.filter((language) => !installed.includes(language));
  if (languages.length > 0 && missing.length === 0) return languages;
  const what = installed.length === 0 ? 'OCR is not set up' : `OCR has no data for ${missing.join(', ')}`;
  throw new KbError('setup', `${source} has pages without a text layer, and ${what}.`, {
    hint: operatorAdvice`Install it with: ${call('setup_ocr', { languages: missing.join(' ') || 'eng' })}`,
  });
}

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

const SCRIPT = workerFile('drivers/parsers/ocr/ocr-worker');
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
    throwIfAborted(scan.signal);
    if (this.#isClosed) throw stoppedError();
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
    throwIfAborted(scan.signal);
    if (this.#isClosed) throw stoppedError();
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
