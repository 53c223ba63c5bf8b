import type { AddressPolicy, Lookup } from '../http/address-policy.ts';
import type { FileKind, HtmlExtent, Network } from '../schema/config-sources.ts';
import type { HttpResponse } from '../http/message.ts';
import type { Mark, Metadata } from '../schema/items.ts';

/** Links and directives of a web page. Addresses are absolute and have no fragment. */
export interface PageFacts {
  /** Link targets in document order, without duplicates; only http and https. */
  links: string[];
  /** Canonical address (`rel="canonical"`). */
  canonical?: string | undefined;
  /** Feeds (`rel="alternate"` of RSS or Atom). */
  feeds: string[];
  /** Robots directives `noindex` and `nofollow` (`<meta name="robots">`). */
  noindex: boolean;
  nofollow: boolean;
}

/** Result of parsing a file. */
export interface ParsedDocument {
  /** Markdown. */
  text: string;
  title?: string | undefined;
  /** The type of its content, if its name says another one. */
  file_type?: string | undefined;
  /** Metadata from the format: author, created, pages, lang, description, hidden sheets, front matter. */
  metadata: Metadata;
  marks?: Mark[] | undefined;
  /** Pages that are pictures without text, from 1: of PDFs and pictures. What they show is not in `text`. */
  pictured_pages?: number[] | undefined;
  /** HTML only. */
  page?: PageFacts | undefined;
  /** XML of an API only, instead of text: its content as a JSON value. */
  value?: unknown;
  /** Documents inside it: files of an archive, attachments of a mail. */
  members?: readonly ParsedMember[] | undefined;
}

/** A file within another. */
export interface ParsedMember {
  /** Its path inside the other file, with `/` between folders. */
  path: string;
  file_type: string;
  parsed: ParsedDocument;
}

/** Parses one file type. Built-in parsers run in another process, except for short texts. Throws a KbError (`invalid`) that names the problem. */
export interface Parser {
  readonly file_type: string;
  /** What messages call one of its files, with the article («a PDF»). */
  readonly name?: string;
  /** Kind of its files: folders are searched for the configured kinds. Default: `documents`. */
  readonly kind?: FileKind;
  /** Lower case, with the dot. */
  readonly extensions: readonly string[];
  /** Media types of the HTTP responses that it reads, in lower case and without parameters; `text/*` stands for text that no parser names. */
  readonly media_types?: readonly string[];
  /** Matches the beginning of its files, as Latin-1. */
  readonly signature?: RegExp;
  /** Whether its files are text: the extension then says more about the type than the first bytes. */
  readonly is_text?: boolean;
  parse(bytes: Uint8Array, options: { source: string }): Promise<ParsedDocument>;
}

/** File types that stages name themselves: Markdown of a request, HTML and XML values in API responses, and whole API responses. */
export const GIVEN_TYPES = { markdown: 'markdown', fragment: 'html-fragment', value: 'xml-value', json: 'json', xml: 'xml' } as const;

/** The file types that the parsers read. */
export interface FileTypes {
  readonly extensions: readonly string[];
  /** The file type of web pages, which have links and may need a browser. */
  readonly page: Pick<Parser, 'file_type' | 'signature'> & { readonly media_types: readonly string[] };
  /** File type by extension; undefined if no parser reads it, or none of these kinds. Default: all kinds. */
  fileType(path: string, kinds?: readonly FileKind[]): string | undefined;
  /**
   * Extensions of pictures, which are not among `extensions`: only local and uploaded pictures are documents, and only if their text is
   * recognized.
   */
  readonly pictures: { readonly extensions: readonly string[]; fileType(path: string): string | undefined };
  /** The command that converts a file of a kind that no parser reads to a readable one; undefined if none is known. */
  conversionOf(path: string): string | undefined;
  /** File type by a media type that a parser names; undefined if none does. */
  fileTypeOfMedia(media_type: string): string | undefined;
  /** File type of a response: by its media type, else by the extension of its address and its first bytes; undefined if no parser reads it. */
  fileTypeOf(response: Pick<HttpResponse, 'content_type' | 'url'> & Partial<Pick<HttpResponse, 'bytes'>>): string | undefined;
  /** Whether the type of a response can only be found from its bytes: its media type is generic, and its address has no extension (`/download?id=5`). */
  needsBytesForType(head: Pick<HttpResponse, 'content_type' | 'url'>): boolean;
}

/** How a file is read. */
export interface ReadingOptions {
  source: string;
  file_type: string;
  signal?: AbortSignal | undefined;
  /** Called when the recognition of a page begins, which takes seconds. */
  onPage?: ((page: PageInWork) => void) | undefined;
}

/** A page that is being recognized: the `count`-th of the `total` ones without text. */
export interface PageInWork {
  source: string;
  page: number;
  count: number;
  total: number;
}

/** Parses files within limits on time and memory, in other processes except for short texts. */
export interface DocumentReader extends FileTypes {
  read(bytes: Uint8Array, options: ReadingOptions): Promise<ParsedDocument>;
  /** Version of the settings and tools, besides the bytes, that affect how a file of this type is read; undefined if none do. */
  revisionOf?(file_type: string): string | undefined;
  close(): Promise<void>;
}

/** How pages without text are handled, and the passwords for encrypted files. */
export interface ScanSettings {
  /** auto: recognize their text; report: mention them; off: skip them. */
  ocr: 'auto' | 'report' | 'off';
  /** Languages as Tesseract names them, separated by `+`. Default: all that are installed. */
  languages?: string | undefined;
  /** What is read of HTML; default: `main`. */
  html?: HtmlExtent | undefined;
  passwords: readonly string[];
}

/** Opens readers that share their processes. */
export interface DocumentReaders {
  open(settings: ScanSettings): DocumentReader;
  close(): Promise<void>;
}

/** A page after its scripts have run. */
export interface RenderedPage {
  /** Final address after redirects. */
  url: string;
  status: number;
  /** Values of the header `X-Robots-Tag` of the response; several headers may be joined into one. */
  robots_tags?: readonly string[] | undefined;
  /** Rendered HTML in UTF-8. */
  bytes: Uint8Array;
}

/** Headers for one origin only, from `siteHeaders` (http/site-headers.ts). `createHttp` adds them by itself. */
interface SiteHeaders {
  /** Names in lower case. */
  headers: Readonly<Record<string, string>>;
}

/** Which addresses a run may reach, as in `createHttp`. */
export interface RendererOptions {
  network: Network;
  surface: AddressPolicy['surface'];
  named: readonly string[];
  environment?: Record<string, string | undefined> | undefined;
  lookup?: Lookup;
}

/** Opens pages in a browser, for one run. The address guard checks every request of a page. */
export interface Renderer {
  /** Renders a page. Throws a KbError: `setup` if no browser is installed (it names the command), `too_large`, `unavailable` (`isRetryable`), `forbidden`. */
  render(url: string, options: { site?: SiteHeaders | undefined; signal?: AbortSignal | undefined }): Promise<RenderedPage>;
  close(): Promise<void>;
}
