import type { AddressPolicy, Lookup } from '../http/address-policy.ts';
import type { FileTypes, HtmlExtent, PageInWork, ParsedDocument } from '@citekb/documents';
import type { Network } from '../schema/config-sources.ts';

export type { FileTypes, PageFacts, PageInWork, ParsedDocument, Parser } from '@citekb/documents';

/** File types that stages name themselves: Markdown of a request, HTML and XML values in API responses, and whole API responses. */
export const GIVEN_TYPES = { markdown: 'markdown', fragment: 'html-fragment', value: 'xml-value', json: 'json', xml: 'xml' } as const;

/** Media type by which a request asks for Markdown (RFC 7763). */
export const MARKDOWN_MEDIA_TYPE = 'text/markdown';

/** How a file is read. */
export interface ReadingOptions {
  source: string;
  file_type: string;
  signal?: AbortSignal | undefined;
  /** Called when the recognition of a page begins, which takes seconds. */
  onPage?: ((page: PageInWork) => void) | undefined;
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
  /** Rendered HTML in UTF-8, with the content of the frames of its own origin. */
  bytes: Uint8Array;
  /** Whether it loads more as one scrolls than was read. */
  isCut?: boolean;
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
