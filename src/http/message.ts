import { KbError } from '../core/errors.ts';
import { redactUrl } from '../core/secrets.ts';

/** Options of a request. */
export interface HttpRequest {
  method?: string;
  /** Sent to the origin of the address, and to no other that it redirects to. */
  headers?: Readonly<Record<string, string>>;
  /** Added to the query: a list gives its name several times, an object is sent as JSON, null and undefined are left out. */
  params?: Readonly<Record<string, unknown>>;
  body?: string | Uint8Array | undefined;
  signal?: AbortSignal | undefined;
  /** Seconds for one try, redirects and body included; `network.timeout` where absent. */
  timeout?: number | undefined;
  /** Further success statuses beside 2xx: 304 for a conditional request. */
  accepts?: readonly number[] | undefined;
  /** `manual`: a redirect is returned without a body; its header `location` holds the target. Default: it is followed. */
  redirect?: 'follow' | 'manual' | undefined;
  /** Whether the body is wanted, by what came before it: one that is not stays unread, and `bytes` are empty. */
  reads?: ((head: AnswerHead) => boolean) | undefined;
  /** Of the body, packed and unpacked; `network.max_bytes` where absent. What depends on the head lowers that, and never raises it. */
  max_bytes?: number | ((head: AnswerHead) => number) | undefined;
  /** A body that is longer than `max_bytes` is cut there, and no failure. */
  cuts?: boolean | undefined;
  /** Runs each attempt in its turn: a crawl delay also lies between two attempts. */
  inTurn?: InTurn | undefined;
}

/** Runs work when it may begin; `signal` stops the wait. */
export type InTurn = <T>(work: () => Promise<T>, signal?: AbortSignal) => Promise<T>;

/** The head of a response, without its body. */
export type AnswerHead = Omit<HttpAnswer, 'bytes'>;

/** A response: a success (2xx, or what `accepts` and `redirect` allow), decompressed. */
export interface HttpAnswer {
  /** Address after the last redirect. It may contain credentials: use `shown` before it is stored or shown. */
  url: string;
  /** The address that was asked for leads elsewhere for good (301, 308): nothing stands there any more. */
  isMoved?: boolean | undefined;
  status: number;
  /** Names in lower case; a header that came several times is joined with commas. */
  headers: Readonly<Record<string, string>>;
  /** Each value for itself, of the headers that came several times. */
  repeated?: Readonly<Record<string, readonly string[]>> | undefined;
  bytes: Uint8Array;
  /** The media type without parameters, in lower case; empty if there is none. */
  content_type: string;
  /** As the header names it, in lower case. */
  charset: string | undefined;
}

/** The one door to the network. */
export interface Http {
  /** A successful answer (2xx), or a KbError that names the address, the reason and the way out; retries are then spent. */
  request(address: string, options?: HttpRequest): Promise<HttpAnswer>;
  close(): Promise<void>;
}

/** A host, perhaps with a port and a path, as people write it who leave out the beginning. */
const HOST = /^(localhost|\d+(?:\.\d+){3}|[\w-]+(?:\.[\w-]+)*\.[a-z]{2,})(:\d+)?(?=[/?#]|$)/i;

function withScheme(address: string): string | undefined {
  const [, host, port] = HOST.exec(address) ?? [];
  if (host === undefined) return undefined;
  const isNear = port !== undefined || /^(localhost|[\d.]+)$/i.test(host);
  return `Did you mean ${redactUrl(`${isNear ? 'http' : 'https'}://${address}`)}?`;
}

/** The address with the parameters added and its fragment, which is not sent, removed. Throws a KbError (`usage`) for what is no http(s) address. */
export function addressOf(address: string, params: HttpRequest['params'] = {}): URL {
  if (!URL.canParse(address) || !/^https?:$/.test(new URL(address).protocol))
    throw new KbError('usage', `«${redactUrl(address)}» is not an address that kb can fetch.`, {
      hint: withScheme(address) ?? 'Give one that begins with http:// or https://.',
    });
  const url = new URL(address);
  url.hash = '';
  for (const [name, value] of Object.entries(params)) {
    for (const item of [value].flat()) {
      if (item !== null && item !== undefined)
        url.searchParams.append(name, typeof item === 'object' ? JSON.stringify(item) : String(item));
    }
  }
  return url;
}

/** Decodes a part of an address; one that cannot be decoded stays as it is. */
export function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

const MARKS: [charset: string, mark: number[]][] = [
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
];

/** Reads the character set from a byte order mark; undefined if there is none. */
export const markedCharset = (bytes: Uint8Array): string | undefined =>
  MARKS.find(([, mark]) => mark.every((byte, i) => bytes[i] === byte))?.[0];

/** Whether a media type is one of text, for which a character set means something. */
const isText = (content_type: string): boolean => /^text\/|[/+](xml|json)$|csv|ndjson|jsonl/.test(content_type);

/** The bytes of an answer; those of a text in UTF-8, where its header names another character set. A byte order mark wins over the header (WHATWG Encoding, 6). */
export function inUtf8({ bytes, charset, content_type }: Pick<HttpAnswer, 'bytes' | 'charset' | 'content_type'>): Uint8Array {
  if (charset === undefined || charset === 'utf-8' || markedCharset(bytes) !== undefined || !isText(content_type)) return bytes;
  try {
    return Buffer.from(new TextDecoder(charset).decode(bytes));
  } catch {
    return bytes;
  }
}
