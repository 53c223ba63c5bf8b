import type { AddressPolicy, Lookup } from '../http/address-policy.ts';
import type { FileKind, Network } from '../schema/config-sources.ts';
import type { HttpAnswer } from '../http/message.ts';
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
  /** Metadata from the format: author, created, pages, lang, description, hidden sheets, front matter. */
  metadata: Metadata;
  marks?: Mark[] | undefined;
  /** Pages that are pictures without text, from 1: of PDFs and pictures. What they show is not in `text`. */
  pictured_pages?: number[] | undefined;
  /** HTML only. */
  page?: PageFacts | undefined;
  /** XML of an API only, instead of text: its content as a JSON value. */
  value?: unknown;
  /** Documents in it that stand by themselves: the files of an archive, what is attached to a mail. */
  members?: readonly ParsedMember[] | undefined;
}

/** A file within another. */
export interface ParsedMember {
  /** Its name there, with `/` between folders. */
  path: string;
  file_type: string;
  parsed: ParsedDocument;
}

/** Parses one file type. Built-in parsers run in another process, except for short texts. Throws a KbError (`invalid`) that names the problem. */
export interface Parser {
  readonly file_type: string;
  /** Name of one of its files in messages, with the article («a PDF»). */
  readonly name?: string;
  /** Whether folders are searched for its files. Default: `documents`. */
  readonly kind?: FileKind;
  /** Lower case, with the dot. */
  readonly extensions: readonly string[];
  /** Of answers over HTTP that it reads, lower case and without parameters; `text/*` stands for text that no parser names. */
  readonly media_types?: readonly string[];
  /** How its files begin, as Latin-1. */
  readonly signature?: RegExp;
  /** Its files are text: what a file begins with says less about its type than its extension. */
  readonly is_text?: boolean;
  parse(bytes: Uint8Array, options: { source: string }): Promise<ParsedDocument>;
}

/** File types that stages name themselves: text that is given as Markdown, HTML and XML within the answer of an API, and what such an answer is. */
export const GIVEN_TYPES = { markdown: 'markdown', fragment: 'html-fragment', value: 'xml-value', json: 'json', xml: 'xml' } as const;

/** The file types that the parsers read. */
export interface FileTypes {
  readonly extensions: readonly string[];
  /** The file type of web pages, which have links and may need a browser. */
  readonly page: Pick<Parser, 'file_type' | 'signature'> & { readonly media_types: readonly string[] };
  /** File type by extension; undefined if no parser reads it, or none of these kinds. Default: all kinds. */
  fileType(path: string, kinds?: readonly FileKind[]): string | undefined;
  /**
   * Extensions of pictures (none of `extensions`): they are documents only among files that a person keeps, and only if their text is
   * recognized.
   */
  readonly pictures: { readonly extensions: readonly string[]; fileType(path: string): string | undefined };
  /** File type by a media type that a parser names; undefined if none does. */
  fileTypeOfMedia(media_type: string): string | undefined;
  /** File type of an answer: by its media type, else by the extension of its address and its first bytes; undefined if no parser reads it. */
  fileTypeOf(answer: Pick<HttpAnswer, 'content_type' | 'url'> & Partial<Pick<HttpAnswer, 'bytes'>>): string | undefined;
  /** Whether only its bytes can tell the type of an answer: it has no telling media type, and its address no extension (`/download?id=5`). */
  isToldByBytes(head: Pick<HttpAnswer, 'content_type' | 'url'>): boolean;
}

/** Parses files within limits on time and memory, in other processes except for short texts. */
export interface DocumentReader extends FileTypes {
  read(bytes: Uint8Array, options: { source: string; file_type: string; signal?: AbortSignal | undefined }): Promise<ParsedDocument>;
  /** Version of everything but the bytes that decides how a file of this type is read; undefined if nothing does. */
  revisionOf?(file_type: string): string | undefined;
  close(): Promise<void>;
}

/** How pages without text are handled, and the passwords for encrypted files. */
export interface ScanSettings {
  /** Recognize their text, say that they are there, or pass over them. */
  ocr: 'auto' | 'report' | 'off';
  /** Languages of the text as Tesseract names them, with `+` between them; all that are installed where absent. */
  languages?: string | undefined;
  passwords: readonly string[];
}

/** Readers that share their processes. */
export interface DocumentReaders {
  open(settings: ScanSettings): DocumentReader;
  close(): Promise<void>;
}

/** A page after its scripts have run. */
export interface RenderedPage {
  /** Final address after redirects. */
  url: string;
  status: number;
  /** What the header `X-Robots-Tag` of its answer says; several of them may have become one. */
  robots_tags?: readonly string[] | undefined;
  /** Rendered HTML in UTF-8. */
  bytes: Uint8Array;
}

/** What is sent to one origin and no other. What `network.sites` says of an origin comes from `givenTo` (http/site-headers.ts): `createHttp` sends it by itself. */
interface GivenToSite {
  /** Names in lower case. */
  headers: Readonly<Record<string, string>>;
}

/** The addresses that a run may reach, as in `createHttp`. */
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
