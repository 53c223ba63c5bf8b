import type { AddressPolicy, Lookup } from '../http/address-policy.ts';
import type { Network } from '../schema/config-sources.ts';
import type { Mark, Metadata } from '../schema/items.ts';

/** What a web page says about itself and its neighbours. Addresses are absolute and without fragments. */
export interface PageFacts {
  /** Where its links lead, each address once, in their order; http and https alone. */
  links: string[];
  /** The address that it names as its own (`rel="canonical"`). */
  canonical?: string | undefined;
  /** Feeds that it names (`rel="alternate"` of RSS or Atom). */
  feeds: string[];
  /** It asks not to be kept, or its links not to be followed (`<meta name="robots">`). */
  noindex: boolean;
  nofollow: boolean;
}

/** What a parser makes of a file. */
export interface ParsedDocument {
  /** Markdown. */
  text: string;
  title?: string | undefined;
  /** What the format knows: author, created, pages, lang, description, hidden sheets, front matter. */
  metadata: Metadata;
  marks?: Mark[] | undefined;
  /** Of HTML alone. */
  page?: PageFacts | undefined;
  /** Of the XML of an API alone, which has no text: its content as JSON would have it. */
  value?: unknown;
}

/** Reads one kind of file. One of kb's own runs in another process, but for short texts. Throws a KbError (`invalid`) that says what is wrong with the file. */
export interface Parser {
  readonly file_type: string;
  /** With the dot, lower case. */
  readonly extensions: readonly string[];
  /** Of answers over HTTP that it reads, lower case and without parameters; of kb's own kinds the table of media types tells. */
  readonly media_types?: readonly string[];
  parse(bytes: Uint8Array, options: { source: string }): Promise<ParsedDocument>;
}

/** Parses files, bounded in time and memory: in other processes all but short texts. */
export interface DocumentReader {
  /** Kinds by extension; undefined for a file that nothing can read. */
  fileType(path: string): string | undefined;
  readonly extensions: readonly string[];
  /** The kind of an answer of that media type, where a parser of one's own reads it. */
  fileTypeOfMedia?(media_type: string): string | undefined;
  read(bytes: Uint8Array, options: { source: string; file_type: string; signal?: AbortSignal | undefined }): Promise<ParsedDocument>;
  close(): Promise<void>;
}

/** A page after its scripts have run. */
export interface RenderedPage {
  /** Where it was found in the end. */
  url: string;
  status: number;
  /** What the header `X-Robots-Tag` of its answer says; several of them may have become one. */
  robots_tags?: readonly string[] | undefined;
  /** Its HTML in UTF-8, as a browser would show it then. */
  bytes: Uint8Array;
}

/** What is sent to one origin and no other. What `network.sites` says of an origin comes from `givenTo` (http/site-headers.ts): `createHttp` sends it by itself. */
interface GivenToSite {
  /** Names in lower case. */
  headers: Readonly<Record<string, string>>;
}

/** What a run may reach: the same as `createHttp` is given. */
export interface RendererOptions {
  network: Network;
  surface: AddressPolicy['surface'];
  named: readonly string[];
  environment?: Record<string, string | undefined>;
  lookup?: Lookup;
}

/** Opens pages in a browser, for one run. Every request that a page makes passes the address guard. */
export interface Renderer {
  /** Throws a KbError: `setup` where no browser is installed (it names the command), `too_large`, `unavailable` (`isRetryable`), `forbidden`. */
  render(url: string, options: { given?: GivenToSite | undefined; signal?: AbortSignal | undefined }): Promise<RenderedPage>;
  close(): Promise<void>;
}
