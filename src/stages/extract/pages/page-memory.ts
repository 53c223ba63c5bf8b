import { closeSync, openSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync, writeSync } from 'node:fs';
import { z } from 'zod';
import { yieldToEventLoop } from '../../../core/concurrency.ts';
import { hash } from '../../../core/ids.ts';
import { redactUrl } from '../../../core/secrets.ts';

/** What is remembered of a page besides its addresses. */
const PageState = z.object({
  /** Why it becomes no document in a crawl: it is marked noindex, or has only links. */
  passed_over: z.enum(['noindex', 'links']).optional(),
  status_code: z.int(),
  /** `Candidate.content_hash` of that version. */
  content_hash: z.string(),
  /** Hash of its text without the targets of its links. */
  text_hash: z.string(),
  /** Hash of the bytes from the server, to recognize an unchanged page without parsing it. */
  bytes_hash: z.string().optional(),
  /** Validators of the server, which are sent back (`If-None-Match`, `If-Modified-Since`). */
  etag: z.string().optional(),
  last_modified: z.string().optional(),
  /** Whether it was opened in a browser: then the bytes from the server do not show whether it has changed. */
  isRendered: z.boolean(),
});

/** The remembered state of a page from its last reading. */
export interface RememberedPage extends z.infer<typeof PageState> {
  /** Final address, after redirects. */
  found: string;
  /** The address that the page names as its own (`rel="canonical"`). */
  canonical?: string | undefined;
  /** The source of its document, perhaps another address; absent if it gave no document. */
  source?: string | undefined;
  /** Addresses that a crawl follows from it. */
  links: readonly string[];
}

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

/** Milliseconds within which an interrupted crawl is resumed; later, the pages that it read may have changed. */
const MAX_INTERRUPTION = 2 * 60 * 60 * 1_000;
/** At the end of a run, the file is compacted if it is this many times larger than its valid lines. */
const COMPACT_RATIO = 1.5;
/** Maximum characters of a line; a longer page is read every time. */
const MAX_LINE_LENGTH = 1 << 20;
/** Version of the format; a file of another version is started anew. */
const FILE_FORMAT = 6;

const Time = z.number(); // milliseconds since 1970
const Index = z.int().min(0); // of an address among those of the file, in the order in which lines name them

/** A page: `p` its address, `f` its final address, `n` its canonical address, `s` its source, `l` its links; `k` the key of the settings. */
const PageLine = z.object({
  p: Index,
  f: Index,
  n: Index.optional(),
  s: Index.optional(),
  l: z.array(Index),
  t: Time,
  k: z.string(),
  state: PageState,
});
type PageLine = z.infer<typeof PageLine>;

/** A line of the file. */
const MemoryLine = z.union([
  PageLine,
  /** New addresses. */
  z.object({ a: z.array(z.string()) }),
  /** A page was seen again unchanged. */
  z.object({ u: Index, t: Time }),
  /** A page is gone. */
  z.object({ x: Index }),
  /** A process began to write. */
  z.object({ o: Time }),
  /** A crawl begins or is resumed (`s`: when it began). */
  z.object({ b: z.string(), s: Time, t: Time }),
  /** A crawl has ended. */
  z.object({ z: z.string() }),
  /** The first line. */
  z.object({ pages: z.literal(FILE_FORMAT) }),
]);
type MemoryLine = z.infer<typeof MemoryLine>;

/** A page in memory: its line, whose links are packed, when it was last seen, and the length of its line. */
interface Known {
  line: Omit<PageLine, 'l'>;
  links: Uint32Array;
  time: number;
  length: number;
}

/** A crawl that has not ended: when it began, when it last wrote, and whether the process that wrote the last lines runs it. */
interface OpenCrawl {
  since: number;
  last: number;
  isRunning: boolean;
}

/** The content of a page memory, built line by line. Each address is kept once. */
class Pages {
  readonly addresses: string[] = [];
  readonly numbers = new Map<string, number>();
  readonly known = new Map<number, Known>();
  readonly crawls = new Map<string, OpenCrawl>();
  #time = 0;
  /** Total characters of the lines that are still valid. */
  live = 0;

  /** Adds a line of a length. Throws if it names an address that no line has. */
  add(line: MemoryLine, length: number): void {
    if ('t' in line) this.#time = line.t;
    if ('p' in line) this.#addPage(line, length);
    else if ('a' in line) {
      for (const address of line.a) this.numbers.set(address, this.addresses.push(address) - 1);
      this.live += length;
    } else if ('u' in line) this.known.get(line.u)!.time = line.t;
    else if ('x' in line) this.#forget(line.x);
    else if ('b' in line) this.crawls.set(line.b, { since: line.s, last: line.t, isRunning: true });
    else if ('z' in line) this.crawls.delete(line.z);
    else if ('o' in line)
      for (const crawl of this.crawls.values()) if (crawl.isRunning) Object.assign(crawl, { last: this.#time, isRunning: false });
  }

  find(address: string): Known | undefined {
    const number = this.numbers.get(address);
    return number === undefined ? undefined : this.known.get(number);
  }

  pageOf({ line: { f, n, s, state }, links }: Known): RememberedPage {
    const [found, canonical, source] = [f, n, s].map((number) => (number === undefined ? undefined : this.addresses[number]));
    return { ...state, found: found!, canonical, source, links: Array.from(links, (number) => this.addresses[number]!) };
  }

  #addPage({ l, ...line }: PageLine, length: number): void {
    if ([line.p, line.f, line.n ?? 0, line.s ?? 0, ...l].some((number) => number >= this.addresses.length))
      throw new Error('A line names an address that no line has.');
    this.#forget(line.p);
    this.known.set(line.p, { line, links: Uint32Array.from(l), time: line.t, length });
    this.live += length;
  }

  #forget(number: number): void {
    this.live -= this.known.get(number)?.length ?? 0;
    this.known.delete(number);
  }
}

/** Opens the page memory in a file, which is started anew if it is damaged or of another version. Throws the system error if it cannot be opened. */
export async function openPageMemory(options: PageMemoryOptions): Promise<FilePageMemory> {
  const isWriting = options.mode !== 'read';
  if (isWriting) closeSync(openSync(options.file, 'a', 0o600));
  const text = readFileSync(options.file, 'utf8');
  const whole = text.slice(0, text.lastIndexOf('\n') + 1); // a last line may have been cut off
  const pages = await readPages(whole);
  if (isWriting) truncateSync(options.file, pages ? Buffer.byteLength(whole) : 0);
  const memory = new FilePageMemory(pages ?? new Pages(), options, pages ? whole.length : 0);
  if (!pages) memory.write({ pages: FILE_FORMAT });
  memory.write({ o: Date.now() });
  return memory;
}

/** Reads the lines; undefined if there are none, or if they are damaged or of another version. */
async function readPages(text: string): Promise<Pages | undefined> {
  const pages = new Pages();
  const yieldIfBusy = yieldToEventLoop(undefined);
  try {
    const [first, ...lines] = text.split('\n').slice(0, -1);
    if (first === undefined || !('pages' in MemoryLine.parse(JSON.parse(first)))) return undefined;
    for (const line of lines) {
      pages.add(MemoryLine.parse(JSON.parse(line)), line.length);
      await yieldIfBusy();
    }
    return pages;
  } catch {
    return undefined;
  }
}

/** A page memory with an open file. */
export class FilePageMemory implements PageMemory {
  readonly #pages: Pages;
  readonly #options: PageMemoryOptions;
  readonly #opened = Date.now();
  #file: number | undefined;
  /** Characters of the file. */
  #size: number;

  constructor(pages: Pages, options: PageMemoryOptions, size: number) {
    this.#pages = pages;
    this.#options = options;
    this.#size = size;
    if (options.mode !== 'read') this.#file = openSync(options.file, 'a');
  }

  recall(url: string): (RememberedPage & { isFresh: boolean }) | undefined {
    const known = this.#options.mode === 'write' ? undefined : this.#pages.find(redactUrl(url));
    if (known?.line.k !== this.#options.settings) return undefined;
    const page = this.#pages.pageOf(known);
    const { source } = page;
    if (source !== undefined && !this.#options.isStored({ ...page, source })) return undefined;
    return { ...page, isFresh: this.#pages.crawls.values().some(({ isRunning, since }) => isRunning && known.time >= since) };
  }

  storedUnder(url: string): string | undefined {
    const known = this.#pages.find(redactUrl(url));
    return known && this.#pages.pageOf(known).source;
  }

  async remember(url: string, page: RememberedPage): Promise<void> {
    if (this.#file === undefined) return;
    // a link may lead elsewhere without its credentials, which are not stored: such a page is read every time
    const isKept = page.links.every((link) => this.#pages.numbers.has(link) || redactUrl(link) === link);
    const length = page.links.reduce((sum, link) => sum + link.length, 0);
    if (!isKept || length > MAX_LINE_LENGTH) return this.forget(url);
    this.#writePage(redactUrl(url), page, { time: Date.now(), settings: this.#options.settings });
  }

  #writePage(address: string, page: RememberedPage, { time: t, settings: k }: { time: number; settings: string }): void {
    const { found, canonical, source, links, ...state } = page;
    const named = [address, found, canonical, source].map((name) => (name === undefined ? undefined : redactUrl(name)));
    const a = [...new Set([...named, ...links])].filter((name) => name !== undefined && !this.#pages.numbers.has(name));
    if (a.length > 0) this.write({ a: a as string[] });
    const numberOf = (name: string | undefined): number | undefined => this.#pages.numbers.get(name ?? '');
    const [p, f, n, s] = named.map(numberOf);
    const line = { p: p!, f: f!, n, s, k, state: PageState.parse(state) };
    const l = links.map((link) => numberOf(link)!);
    const previous = this.#pages.known.get(p!);
    const isAsBefore = previous !== undefined && contentOf(previous.line, previous.links) === contentOf(line, l);
    this.write(isAsBefore ? { u: p!, t } : { ...line, t, l });
  }

  async forget(url: string): Promise<void> {
    const number = this.#pages.numbers.get(redactUrl(url));
    if (number !== undefined) this.write({ x: number });
  }

  async begin(crawl: string): Promise<Date | undefined> {
    const [key, now] = [crawlKey(crawl), Date.now()];
    const open = this.#pages.crawls.get(key);
    const isResumed = open !== undefined && Math.abs(now - open.last) < MAX_INTERRUPTION;
    const since = isResumed ? open.since : now;
    this.write({ b: key, s: since, t: now });
    const hasPages = this.#pages.known.values().some(({ time }) => time >= since);
    return isResumed && this.#options.mode !== 'write' && hasPages ? new Date(since) : undefined;
  }

  async end(crawl: string): Promise<void> {
    this.write({ z: crawlKey(crawl) });
  }

  async close(): Promise<void> {
    if (this.#file !== undefined && this.#size > COMPACT_RATIO * this.#pages.live) await this.compact().catch(() => {}); // the large file stays valid
    this.#release();
  }

  #release(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }

  /** Adds a line, also to the file: the system has it then, so that it survives the end of the process. After a failure nothing more is written. */
  write(line: MemoryLine): void {
    let length = 0;
    try {
      if (this.#file !== undefined) {
        const text = `${JSON.stringify(line)}\n`;
        length = text.length;
        const bytes = Buffer.from(text);
        for (let written = 0; written < bytes.length;) written += writeSync(this.#file, bytes, written);
        this.#size += length;
      }
    } catch (cause) {
      this.#release();
      this.#options.onProblem(memoryErrorReason(cause));
      return;
    }
    this.#pages.add(line, length);
  }

  /** Rewrites the file without replaced lines and pages that are not stored, and closes it. Throws a system error if the file cannot be rewritten. */
  async compact(): Promise<void> {
    const { file } = this.#options;
    const draft = `${file}.new`;
    try {
      writeFileSync(draft, `${JSON.stringify({ pages: FILE_FORMAT })}\n`, { mode: 0o600 });
      const target = new FilePageMemory(new Pages(), { ...this.#options, file: draft }, 0);
      await this.#copyTo(target);
      target.#release();
      renameSync(draft, file);
      this.#release();
    } catch (cause) {
      rmSync(draft, { force: true });
      throw cause;
    }
  }

  async #copyTo(target: FilePageMemory): Promise<void> {
    const yieldIfBusy = yieldToEventLoop(undefined);
    for (const [number, known] of this.#pages.known) {
      const page = this.#pages.pageOf(known);
      const isWanted = known.time >= this.#opened || (page.source !== undefined && this.#options.isKnown(page.source));
      if (isWanted) target.#writePage(this.#pages.addresses[number]!, page, { time: known.time, settings: known.line.k });
      await yieldIfBusy();
    }
    const now = Date.now();
    for (const [b, { since, last, isRunning }] of this.#pages.crawls) {
      const t = isRunning ? now : last;
      if (now - t < MAX_INTERRUPTION) for (const line of [{ b, s: since, t }, { o: now }]) target.write(line);
    }
  }
}

const contentOf = ({ f, n, s, k, state }: Omit<PageLine, 'p' | 'l' | 't'>, links: Iterable<number>): string =>
  JSON.stringify([f, n, s, k, state, [...links]]);

/** Key of a crawl: a hash, because its description may contain credentials. */
const crawlKey = (crawl: string): string => hash(crawl).slice(0, 16);

/** The reason of a system error: its code, which names no path. */
export const memoryErrorReason = (cause: unknown): string => (cause as NodeJS.ErrnoException).code ?? (cause as Error).message;
