import { renameSync, rmSync } from 'node:fs';
import { yieldToEventLoop } from '../../../core/concurrency.ts';
import { hash } from '../../../core/ids.ts';
import { redactUrl } from '../../../core/secrets.ts';
import {
  FILE_FORMAT,
  KnownPages,
  MemoryLine,
  PageLine,
  keepHeader,
  LineFile,
  type LinePosition,
  MAX_LINE_LENGTH,
  type RememberedPage,
} from './page-memory-file.ts';

/** Memory of the pages of a collection between runs: unchanged pages are not parsed again, and a killed crawl is resumed. */
export interface PageMemory {
  /** Recalls the page at this address (as requested). `isFresh`: the current crawl read it before it was interrupted. */
  recall(url: string): (RememberedPage & { isFresh: boolean }) | undefined;
  /** The source under which the page at this address was stored last, even if `recall` does not return the page. */
  storedUnder(url: string): string | undefined;
  /** Remembers a page. It is written at once, so that it survives the end of the process. */
  remember(url: string, page: RememberedPage): Promise<void>;
  /** Forgets a page that is gone. */
  forget(url: string): Promise<void>;
  /** Begins a crawl, or resumes one that was killed less than two hours ago. Returns when that began, if it has read pages. */
  begin(crawl: string): Promise<Date | undefined>;
  end(crawl: string): Promise<void>;
}

/** Milliseconds within which an interrupted crawl is resumed; later, the pages that it read may have changed. */
const MAX_INTERRUPTION = 2 * 60 * 60 * 1_000;
/** The file is compacted if it is this many times larger than its valid lines: at the end of a run, and during one. */
const COMPACT_RATIO_AT_END = 1.5;
const COMPACT_RATIO_DURING_RUN = 4;
/** Bytes up to which a file is not compacted during a run. */
const MAX_UNCOMPACTED_BYTES = 4 << 20;

/** How a page memory is opened. */
export interface PageMemoryOptions {
  /** Path of the file, whose folder exists. */
  file: string;
  /** Key of the settings that affect how a page is read; a page that was read with other settings is not recalled. */
  settings: string;
  /** `use`; `read`: nothing is written; `write`: nothing is recalled. */
  mode: 'use' | 'read' | 'write';
  /** Whether the document is stored as this run would store the remembered page; else the page is read again. */
  isStored(page: RememberedPage & { source: string }): boolean;
  /** Whether anything of the source is stored. Other sources that this run did not meet are forgotten at its end. */
  isKnown(source: string): boolean;
  /** Called once with the reason if nothing more can be written. The run goes on. */
  onProblem(reason: string): void;
}

/** Opens the page memory in a file, which is started anew if it is damaged or of another version. Throws the system error if it cannot be opened. */
export async function openPageMemory(options: PageMemoryOptions): Promise<FilePageMemory> {
  const { file, mode } = options;
  const lines = new LineFile(file, mode === 'read' ? 'r' : 'a+');
  const pages = await readPages(lines);
  const memory = new FilePageMemory(lines, pages ?? new KnownPages(), options);
  if (mode !== 'read') lines.cut(pages ? lines.size : 0);
  if (!pages || lines.size === 0) memory.write({ pages: FILE_FORMAT });
  memory.write({ o: Date.now() });
  return memory;
}

/** Reads the file; undefined if it is damaged or of another version. */
async function readPages(file: LineFile): Promise<KnownPages | undefined> {
  const pages = new KnownPages();
  try {
    for await (const { text, place } of file.lines()) {
      const line = MemoryLine.parse(JSON.parse(text));
      if ('pages' in line !== (place.offset === 0)) return undefined;
      pages.addLine(line, place);
    }
    return pages;
  } catch {
    return undefined;
  }
}

/** A page memory with an open file. */
export class FilePageMemory implements PageMemory {
  #file: LineFile;
  #pages: KnownPages;
  readonly #options: PageMemoryOptions;
  readonly #opened = Date.now();
  #isWriting: boolean;
  /** Why the file could not be compacted; it is not tried again. */
  #failure: Error | undefined;
  #compacting: Promise<void> | undefined;

  constructor(file: LineFile, pages: KnownPages, options: PageMemoryOptions) {
    this.#file = file;
    this.#pages = pages;
    this.#options = options;
    this.#isWriting = options.mode !== 'read';
  }

  recall(url: string): (RememberedPage & { isFresh: boolean }) | undefined {
    const known = this.#options.mode === 'write' ? undefined : this.#pages.find(redactUrl(url));
    const line = this.#lineOf(known);
    if (!known || line?.k !== this.#options.settings) return undefined;
    const page = this.#pages.pageOf(line);
    const { source } = page;
    if (source !== undefined && !this.#options.isStored({ ...page, source })) return undefined;
    return { ...page, isFresh: this.#pages.crawls.values().some(({ isRunning, since }) => isRunning && known.time >= since) };
  }

  storedUnder(url: string): string | undefined {
    const line = this.#lineOf(this.#pages.find(redactUrl(url)));
    return line && this.#pages.pageOf(line).source;
  }

  async remember(url: string, page: RememberedPage): Promise<void> {
    await this.#whenCompacted();
    if (!this.#isWriting) return;
    const { links } = page;
    // a link may lead elsewhere without its credentials, which are not stored: such a page is read every time
    if (!links.every((link) => this.#pages.has(link) || redactUrl(link) === link)) return this.forget(url);
    const kept = { ...page, etag: keepHeader(page.etag), last_modified: keepHeader(page.last_modified) };
    const line = this.#pages.lineOf(redactUrl(url), kept, { time: Date.now(), settings: this.#options.settings });
    if (JSON.stringify(line).length * 3 > MAX_LINE_LENGTH) return this.forget(url);
    this.write(this.#isAsBefore(line, this.#pages.find(redactUrl(url))?.place) ? { u: line.p, t: line.t } : line);
    if (this.#file.size > MAX_UNCOMPACTED_BYTES && this.#file.size > COMPACT_RATIO_DURING_RUN * this.#pages.liveBytes)
      await this.#compact();
  }

  async forget(url: string): Promise<void> {
    await this.#whenCompacted();
    const known = this.#pages.find(redactUrl(url));
    if (known) this.write({ x: known.number });
  }

  async begin(crawl: string): Promise<Date | undefined> {
    await this.#whenCompacted();
    const [key, now] = [crawlKey(crawl), Date.now()];
    const open = this.#pages.crawls.get(key);
    const isResumed = open !== undefined && Math.abs(now - open.last) < MAX_INTERRUPTION;
    const since = isResumed ? open.since : now;
    this.write({ b: key, s: since, t: now });
    return isResumed && this.#options.mode !== 'write' && this.#pages.hasSeen(since) ? new Date(since) : undefined;
  }

  async end(crawl: string): Promise<void> {
    await this.#whenCompacted();
    this.write({ z: crawlKey(crawl) });
  }

  async close(): Promise<void> {
    await this.#whenCompacted();
    if (this.#isWriting && this.#file.size > COMPACT_RATIO_AT_END * this.#pages.liveBytes) await this.#compact();
    this.#isWriting = false;
    this.#file.close();
  }

  /** Appends a line. After a failure nothing more is written. */
  write(line: MemoryLine): void {
    try {
      this.#pages.addLine(line, this.#isWriting ? this.#file.append(JSON.stringify(line)) : NOWHERE);
    } catch (cause) {
      this.#isWriting = false;
      this.#options.onProblem(memoryErrorReason(cause));
    }
  }

  async #whenCompacted(): Promise<void> {
    while (this.#compacting) await this.#compacting;
  }

  #lineAt(place: LinePosition): PageLine | undefined {
    try {
      return PageLine.parse(JSON.parse(this.#file.at(place)));
    } catch {
      return undefined; // another process has changed the file
    }
  }

  /** Reads the line of a page; undefined if the file has changed meanwhile. */
  #lineOf(known: { place: LinePosition; number: number } | undefined): PageLine | undefined {
    const line = known && this.#lineAt(known.place);
    return line?.p === known?.number ? line : undefined;
  }

  #isAsBefore(line: PageLine, before: LinePosition | undefined): boolean {
    const known = before && this.#lineAt(before);
    const content = (one: PageLine) => JSON.stringify({ ...one, a: undefined, t: 0 });
    return known !== undefined && line.a === undefined && content(known) === content(line);
  }

  /** Rewrites the file without replaced lines and pages that are not stored. Throws a system error if the file cannot be rewritten. */
  async compact(): Promise<void> {
    await this.#whenCompacted();
    await this.#compact();
    if (this.#failure) throw this.#failure;
  }

  async #compact(): Promise<void> {
    if (this.#failure) return;
    const draft = `${this.#options.file}.new`;
    this.#compacting = this.#rewriteTo(draft)
      .then(([file, pages]) => {
        renameSync(draft, this.#options.file);
        this.#file.close();
        [this.#file, this.#pages] = [file, pages];
      })
      .catch((cause: Error) => {
        this.#failure = cause; // the large file stays valid
        rmSync(draft, { force: true });
      })
      .finally(() => (this.#compacting = undefined));
    await this.#compacting;
  }

  /** Writes the valid lines to a new file. */
  async #rewriteTo(path: string): Promise<[LineFile, KnownPages]> {
    const [file, pages] = [new LineFile(path, 'w+'), new KnownPages()];
    const add = (line: MemoryLine) => pages.addLine(line, file.append(JSON.stringify(line)));
    const yieldIfBusy = yieldToEventLoop(undefined);
    add({ pages: FILE_FORMAT });
    for (const [address, { place, time }] of this.#pages.all()) {
      const line = this.#lineAt(place);
      const page = line && this.#pages.pageOf(line);
      const { source } = page ?? {};
      if (page && (time >= this.#opened || (source !== undefined && this.#options.isKnown(source))))
        add(pages.lineOf(address, page, { time, settings: line.k }));
      await yieldIfBusy();
    }
    const now = Date.now();
    const { stopped = [], running = [] } = Object.groupBy(this.#pages.crawls, ([, { isRunning }]) => (isRunning ? 'running' : 'stopped'));
    for (const [b, { since, last }] of stopped) if (now - last < MAX_INTERRUPTION) [{ b, s: since, t: last }, { o: now }].forEach(add);
    add({ o: now });
    for (const [b, { since }] of running) add({ b, s: since, t: now });
    return [file, pages];
  }
}

/** The position of a line that is not written to a file. */
const NOWHERE: LinePosition = { offset: 0, length: 0 };

/** Key of a crawl: a hash, because its description may contain credentials. */
const crawlKey = (crawl: string): string => hash(crawl).slice(0, 16);

/** The reason of a system error: its code, which names no path. */
export const memoryErrorReason = (cause: unknown): string => (cause as NodeJS.ErrnoException).code ?? (cause as Error).message;
