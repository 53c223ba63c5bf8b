import { isUtf8 } from 'node:buffer';
import { KbError } from '../core/errors.ts';
import { redactUrl } from '../core/secrets.ts';
import { MAX_ADDRESS_LENGTH } from '../schema/fields.ts';

/** Options of a request. */
export interface HttpRequest {
  method?: string;
  /** Sent to the origin of the address only, not to others after a redirect. */
  headers?: Readonly<Record<string, string>>;
  /** Added to the query: a list gives its name several times, an object is sent as JSON, null and undefined are left out. */
  params?: Readonly<Record<string, unknown>>;
  body?: string | Uint8Array | undefined;
  signal?: AbortSignal | undefined;
  /** Seconds for one attempt, redirects and body included. Default: `network.timeout`. */
  timeout?: number | undefined;
  /** Statuses besides 2xx that count as success: 304 for a conditional request. */
  accepts?: readonly number[] | undefined;
  /** `manual`: a redirect is returned without a body; its header `location` holds the target. Default: it is followed. */
  redirect?: 'follow' | 'manual' | undefined;
  /** Decides by the head whether the body is read. If not, `bytes` is empty. */
  readsBody?: ((head: ResponseHead) => boolean) | undefined;
  /** Limit of the body, compressed and decompressed. Default: `network.max_bytes`, which a function of the head can only lower. */
  max_bytes?: number | ((head: ResponseHead) => number) | undefined;
  /** Whether a body longer than `max_bytes` is truncated instead of rejected. */
  truncates?: boolean | undefined;
  /** Runs each attempt in its turn, so that a crawl delay also separates two attempts. */
  inTurn?: RunInTurn | undefined;
}

/** Runs work once it may begin; `signal` stops the wait. */
export type RunInTurn = <T>(work: () => Promise<T>, signal?: AbortSignal) => Promise<T>;

/** The head of a response, without its body. */
export type ResponseHead = Omit<HttpResponse, 'bytes'>;

/** A response: a success (2xx, or what `accepts` and `redirect` allow), decompressed. */
export interface HttpResponse {
  /** Address after the last redirect. It may contain credentials: use `redactUrl` before it is stored or shown. */
  url: string;
  /** Whether the requested address redirects permanently (301, 308). */
  isMoved?: boolean | undefined;
  status: number;
  /** Names are in lower case; repeated headers are joined with commas. */
  headers: Readonly<Record<string, string>>;
  /** The single values of repeated headers. */
  repeated?: Readonly<Record<string, readonly string[]>> | undefined;
  bytes: Uint8Array;
  /** The media type without parameters, in lower case; empty if there is none. */
  content_type: string;
  /** The character set that the header names, in lower case. */
  charset: string | undefined;
}

/** An HTTP client. */
export interface Http {
  /** Sends a request. Throws a KbError after its retries, with the address, the reason and the next step. */
  request(address: string, options?: HttpRequest): Promise<HttpResponse>;
  /** Whether requests to an address carry credentials of the configuration. Default: none does. */
  carriesCredentials?(address: string): boolean;
  /** Lists the origins that asked for a slower pace, with the number of refused requests, each once. */
  takeRefusals?(): [origin: string, requests: number][];
  close(): Promise<void>;
}

/** A host, perhaps with a port and a path: an address without its scheme. */
const HOST = /^(localhost|\d+(?:\.\d+){3}|[\w-]+(?:\.[\w-]+)*\.[a-z]{2,})(:\d+)?(?=[/?#]|$)/i;

function suggestScheme(address: string): string | undefined {
  const [, host, port] = HOST.exec(address) ?? [];
  if (host === undefined) return undefined;
  const isLocal = port !== undefined || /^(localhost|[\d.]+)$/i.test(host);
  return `Did you mean ${redactUrl(`${isLocal ? 'http' : 'https'}://${address}`)}?`;
}

/** Parses an address, adds the parameters and removes the fragment. Throws a KbError (`usage`) for one that is not http(s), or too long. */
export function parseAddress(address: string, params: HttpRequest['params'] = {}): URL {
  if (address.length > MAX_ADDRESS_LENGTH) throw longAddressError(address);
  if (!URL.canParse(address) || !/^https?:$/.test(new URL(address).protocol))
    throw new KbError('usage', `"${redactUrl(address)}" is not an address that kb can fetch.`, {
      hint: suggestScheme(address) ?? 'Give one that begins with http:// or https://.',
    });
  const url = new URL(address);
  url.hash = '';
  const added = Object.entries(params).flatMap(([name, value]) =>
    [value].flat().flatMap((item): [string, string][] => {
      if (item === null || item === undefined) return [];
      return [[name, typeof item === 'object' ? JSON.stringify(item) : String(item)]];
    }),
  );
  // set once: each change of a parameter writes the whole address again
  if (added.length > 0) url.search = new URLSearchParams([...url.searchParams, ...added]).toString();
  if (url.href.length > MAX_ADDRESS_LENGTH) throw longAddressError(url.href);
  return url;
}

/** Characters of a long address that a message quotes: usually the host. */
const QUOTED_LENGTH = 60;

const longAddressError = (address: string): KbError =>
  new KbError(
    'usage',
    `The address ${redactUrl(address.slice(0, QUOTED_LENGTH).split(/[?#]/)[0]!)}… has ${address.length} characters, of at most ${MAX_ADDRESS_LENGTH}.`,
    {
      hint: 'Send long values in the body of the request.',
    },
  );

/** Decodes a part of an address; an invalid one is returned unchanged. */
export function decodeUrlPart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

const BYTE_ORDER_MARKS: [charset: string, mark: number[]][] = [
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
];

/** Reads the character set from a byte order mark; undefined if there is none. */
export const detectCharset = (bytes: Uint8Array): string | undefined =>
  BYTE_ORDER_MARKS.find(([, mark]) => mark.every((byte, i) => bytes[i] === byte))?.[0];

/** Whether a media type is text, which has a character set. */
const isText = (content_type: string): boolean => /^text\/|[/+](xml|json)$|csv|ndjson|jsonl/.test(content_type);

/** Labels that servers send for every text, whatever its encoding is. */
const DEFAULT_LABEL = /^(iso-?8859-?1|latin-?1|us-ascii|ascii|(windows|cp)-?1252)$/;
/** Encodings that write letters as ASCII or with zeros: their bytes may be valid UTF-8, too. */
const ESCAPED_LABEL = /^(utf-?16|utf-?32|(cs)?iso-?2022|hz-gb)/;
/** Bytes in which a text names its encoding (HTML, 4.2.5.4; XML, 4.3.3). */
const DECLARATION_BYTES = 1024;

/**
 * Returns the bytes of a response; text in another character set is converted to UTF-8. What the bytes say wins over the header: a byte order mark
 * (WHATWG Encoding, 6), valid UTF-8, and an encoding that the text names for itself over Latin-1, which servers send by default.
 */
export function toUtf8({
  bytes,
  charset = 'utf-8',
  content_type,
}: Pick<HttpResponse, 'bytes' | 'content_type'> & { charset?: string | undefined }): Uint8Array {
  if (/^utf-?8$/.test(charset) || detectCharset(bytes) !== undefined || !isText(content_type)) return bytes;
  if (!ESCAPED_LABEL.test(charset) && isUtf8(bytes)) return bytes;
  const declared = DEFAULT_LABEL.test(charset) ? declaredCharset(bytes) : undefined;
  return convert(bytes, declared, true) ?? convert(bytes, charset, false) ?? bytes;
}

/** Reads the encoding that HTML or XML names for itself; undefined if it names none. */
export function declaredCharset(bytes: Uint8Array): string | undefined {
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(DECLARATION_BYTES, bytes.byteLength)).toString('latin1');
  return /^\s*<\?xml[^>]*\bencoding\s*=\s*["']([\w.-]+)|<meta[^<>]+charset\s*=\s*(?:["']\s*)?([\w-]+)/i
    .exec(start)
    ?.slice(1)
    .find(Boolean)
    ?.toLowerCase();
}

/** Converts bytes to UTF-8; undefined for an unknown label, or if `fatal` bytes do not fit it. */
function convert(bytes: Uint8Array, label: string | undefined, fatal: boolean): Uint8Array | undefined {
  try {
    return label === undefined ? undefined : Buffer.from(new TextDecoder(label, { fatal }).decode(bytes));
  } catch {
    return undefined;
  }
}
