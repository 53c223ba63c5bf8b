import { z } from 'zod';
import { redactUrl } from '../../../core/secrets.ts';
import { closeSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs';
import { setImmediate as nextTick } from 'node:timers/promises';

/** Version of the format; a file of another version is started anew. */
export const FILE_FORMAT = 3;

const Time = z.number(); // milliseconds since 1970
const Index = z.int().min(0); // of an address among those of the file

/**
 * A page: `p` its address, `f` its final address, `n` its canonical address, `s` its source; `a` addresses that are new in the file, relative to the
 * origin of the page.
 */
export const PageLine = z.object({
  p: Index,
  f: Index.optional(),
  n: Index.optional(),
  s: Index.optional(),
  a: z.array(z.string()).optional(),
  t: Time,
  /** Key of the settings with which it was read. */
  k: z.string(),
  c: z.int(),
  h: z.string(),
  d: z.string().optional(),
  e: z.string().optional(),
  m: z.string().optional(),
  /** Rendered. */
  r: z.literal(1).optional(),
  /** Passed over. */
  o: z.literal(1).optional(),
  /** Its links: the difference of each index from the one before, in base 36. */
  l: z.string().optional(),
});
export type PageLine = z.infer<typeof PageLine>;

/** A line of the file. Addresses are numbered in the order in which lines first name them. */
export const MemoryLine = z.union([
  PageLine,
  /** The page was seen again unchanged. */
  z.object({ u: Index, t: Time }),
  /** The page is gone. */
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
export type MemoryLine = z.infer<typeof MemoryLine>;

/** Returns an ETag or date header, unless it is too long to be kept. */
export const keepHeader = (header: string | undefined): string | undefined => (header && header.length <= 500 ? header : undefined);

/** Writes numbers as differences, which are short because the links of a site are usually in the same order on each page. */
function packNumbers(numbers: readonly number[]): string {
  return numbers.map((number, i) => (number - (numbers[i - 1] ?? 0)).toString(36)).join(' ');
}

function unpackNumbers(text = ''): number[] {
  let before = 0;
  return text === '' ? [] : text.split(' ').map((distance) => (before += Number.parseInt(distance, 36)));
}

/** The remembered state of a page from its last reading. */
export interface RememberedPage {
  /** Final address, after redirects. */
  found: string;
  /** The address that the page names as its own (`rel="canonical"`). */
  canonical?: string | undefined;
  /** The source of its document, perhaps another address; absent if it gave no document. */
  source?: string | undefined;
  /** Whether it becomes no document in a crawl, because it is marked noindex or has only links. */
  isPassedOver: boolean;
  status_code: number;
  /** `Candidate.content_hash` of that version. */
  content_hash: string;
  /** Hash of the bytes from the server, to recognize an unchanged page without parsing it. */
  bytes_hash?: string | undefined;
  /** Validators of the server, which are sent back (`If-None-Match`, `If-Modified-Since`). */
  etag?: string | undefined;
  last_modified?: string | undefined;
  /** Whether it was opened in a browser: then the bytes from the server do not show whether it has changed. */
  isRendered: boolean;
  /** Addresses that a crawl follows from it. */
  links: readonly string[];
}

/** A page in the file: the position of its line, and when it was last seen. */
interface Known {
  place: LinePosition;
  time: number;
}

/** A crawl that has not ended. */
interface OpenCrawl {
  since: number;
  /** When it last wrote. */
  last: number;
  /** Whether the process that wrote the last lines runs it. */
  isRunning: boolean;
}

/** The index of a page memory, built line by line. Only the addresses are kept in memory, each once. */
export class KnownPages {
  readonly #numbers = new Map<string, number>();
  readonly #addresses: string[] = [];
  readonly #pages = new Map<number, Known>();
  readonly crawls = new Map<string, OpenCrawl>();
  #time = 0;
  /** Total bytes of the lines that are still valid. */
  liveBytes = 0;

  /** Adds a line at a position. Throws if it names an address that no line has. */
  addLine(line: MemoryLine, place: LinePosition): void {
    if ('t' in line) this.#time = line.t;
    if ('p' in line) this.#processPage(line, place);
    else if ('u' in line) this.#pages.get(line.u)!.time = line.t;
    else if ('x' in line) this.#forget(line.x);
    else if ('b' in line) this.crawls.set(line.b, { since: line.s, last: line.t, isRunning: true });
    else if ('z' in line) this.crawls.delete(line.z);
    else if ('o' in line) this.#endProcess();
  }

  /** Whether a line has named the address. */
  has = (address: string): boolean => this.#numbers.has(address);

  find(address: string): (Known & { number: number }) | undefined {
    const number = this.#numbers.get(address);
    const known = number === undefined ? undefined : this.#pages.get(number);
    return known && { ...known, number: number! };
  }

  /** Whether any page was seen at this time or later. */
  hasSeen = (time: number): boolean => this.#pages.values().some((known) => known.time >= time);

  *all(): Iterable<[string, Known]> {
    for (const [number, known] of this.#pages) yield [this.#addresses[number]!, known];
  }

  /** The page of a line. Throws as `addLine` does. */
  pageOf({ p, f = p, n, s, c, h, d, e, m, r, o, l }: PageLine): RememberedPage {
    return {
      found: this.#address(f),
      canonical: n === undefined ? undefined : this.#address(n),
      source: s === undefined ? undefined : this.#address(s),
      isPassedOver: o === 1,
      status_code: c,
      content_hash: h,
      bytes_hash: d,
      etag: e,
      last_modified: m,
      isRendered: r === 1,
      links: unpackNumbers(l).map((number) => this.#address(number)),
    };
  }

  /** Makes the line of a page. Its new addresses are known after `addLine`. */
  lineOf(address: string, page: RememberedPage, { time, settings }: { time: number; settings: string }): PageLine {
    const origin = new URL(address).origin;
    const newAddresses: string[] = [];
    const added = new Map<string, number>();
    const numberOf = (one: string): number => {
      const known = this.#numbers.get(one) ?? added.get(one);
      if (known !== undefined) return known;
      const number = this.#addresses.length + newAddresses.length;
      added.set(one, number);
      newAddresses.push(newAddresses.length > 0 || this.#numbers.has(address) ? relativeAddress(one, origin) : one);
      return number;
    };
    const p = numberOf(address);
    const [f, n, s] = [page.found, page.canonical, page.source].map((one) => (one === undefined ? undefined : numberOf(redactUrl(one))));
    const links = page.links.map(numberOf);
    const { status_code: c, content_hash: h, bytes_hash: d, etag: e, last_modified: m, isRendered, isPassedOver } = page;
    const [r, o] = [isRendered, isPassedOver].map((is) => (is ? 1 : undefined));
    const [a, l] = [newAddresses.length > 0 ? newAddresses : undefined, packNumbers(links)];
    return { p, f: f === p ? undefined : f, n, s, a, t: time, k: settings, c, h, d, e, m, r, o, l };
  }

  #processPage({ p, f = p, n = p, s = p, a = [], t }: PageLine, place: LinePosition): void {
    const origin = a.length > 0 ? new URL(this.#addresses[p] ?? a[0]!).origin : '';
    for (const address of a) {
      const whole = address.startsWith('/') ? origin + address : address;
      this.#numbers.set(whole, this.#addresses.length);
      this.#addresses.push(whole);
    }
    for (const number of [p, f, n, s]) this.#address(number);
    this.#forget(p);
    this.#pages.set(p, { place, time: t });
    this.liveBytes += place.length + 1;
  }

  #address(number: number): string {
    const address = this.#addresses[number];
    if (address === undefined) throw new Error('A line names an address that no line has.');
    return address;
  }

  #forget(number: number): void {
    const known = this.#pages.get(number);
    if (known) this.liveBytes -= known.place.length + 1;
    this.#pages.delete(number);
  }

  #endProcess(): void {
    for (const crawl of this.crawls.values()) if (crawl.isRunning) Object.assign(crawl, { last: this.#time, isRunning: false });
  }
}

const relativeAddress = (address: string, origin: string): string =>
  address.startsWith(`${origin}/`) ? address.slice(origin.length) : address;

/** Position of a line, in bytes. */
export interface LinePosition {
  offset: number;
  length: number;
}

/** Maximum bytes of a line; kb writes no longer one. */
export const MAX_LINE_LENGTH = 1 << 20;
const READ_BYTES = 1 << 20;

/** An append-only file of lines. When `append` returns, the system has the line, so that it survives the end of the process. */
export class LineFile {
  readonly #file: number;
  /** Bytes of the lines that were read and written. */
  size = 0;
  #isOpen = true;

  /** `a+`: created if missing; `r`: read only; `w+`: emptied. Readable by this user only. Throws the error of the system. */
  constructor(path: string, flags: 'a+' | 'r' | 'w+') {
    this.#file = openSync(path, flags, 0o600);
  }

  /** Yields all complete lines; a last one that was cut off is dropped. Throws if a line is too long. */
  async *lines(): AsyncGenerator<{ text: string; place: LinePosition }, void, void> {
    this.size = 0;
    const piece = Buffer.alloc(READ_BYTES);
    for (let rest = Buffer.alloc(0); ; await nextTick()) {
      const read = readSync(this.#file, piece, 0, READ_BYTES, this.size + rest.length);
      if (read === 0) return;
      const bytes = Buffer.concat([rest, piece.subarray(0, read)]);
      let from = 0;
      for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, from)) {
        const place = { offset: this.size, length: end - from };
        yield { text: bytes.toString('utf8', from, end), place };
        this.size += place.length + 1;
        from = end + 1;
      }
      rest = Buffer.from(bytes.subarray(from));
      if (rest.length > MAX_LINE_LENGTH) throw new Error('A line is too long.');
    }
  }

  /** Truncates the file to `size` bytes. */
  cut(size = this.size): void {
    ftruncateSync(this.#file, size);
    this.size = size;
  }

  append(text: string): LinePosition {
    const bytes = Buffer.from(`${text}\n`);
    for (let written = 0; written < bytes.length;) written += writeSync(this.#file, bytes, written);
    const place = { offset: this.size, length: bytes.length - 1 };
    this.size += bytes.length;
    return place;
  }

  at({ offset, length }: LinePosition): string {
    const bytes = Buffer.alloc(length);
    const read = readSync(this.#file, bytes, 0, length, offset);
    return bytes.toString('utf8', 0, read);
  }

  close(): void {
    if (this.#isOpen) closeSync(this.#file); // only once: the descriptor may belong to another file later
    this.#isOpen = false;
  }
}
