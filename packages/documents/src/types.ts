/** Properties of a document by name: author, created, pages, lang … */
export type Metadata = Record<string, unknown>;

/** A rectangle on a page, as shares (0 to 1) of the page as it is shown, from its upper left corner. */
export interface Box {
  left: number;
  top: number;
  width: number;
  height: number;
}

/**
 * Maps a position in the text of a document to its place in the source. A mark holds from the character offset `at` until the next mark and repeats everything
 * that is still true. Within its reach `line` grows by one with every newline, `row` with every table row.
 */
export interface Mark {
  /** Character offset in the text. */
  at: number;
  /** Page of a PDF, slide of a presentation, from 1. */
  page?: number | undefined;
  /** Width of that page by its height (PDF). */
  page_ratio?: number | undefined;
  /** Where on that page the text up to the next mark stands (PDF). */
  boxes?: Box[] | undefined;
  /** Sheet of a workbook. */
  sheet?: string | undefined;
  /** Row of a table; the header is row 1. */
  row?: number | undefined;
  /** Line in the source file, from 1. */
  line?: number | undefined;
  /** Fragment of the nearest heading above (HTML), without `#`. */
  anchor?: string | undefined;
  /** File in an archive or mail. */
  member?: string | undefined;
  /** When it is said in a recording, and when that ends, as hh:mm:ss. */
  time?: string | undefined;
  time_end?: string | undefined;
}

/** Links and directives of a web page. Addresses are absolute and have no fragment. */
export interface PageFacts {
  /** Link targets in document order, without duplicates; only http and https. */
  links: string[];
  /** Canonical address (`rel="canonical"`). */
  canonical?: string | undefined;
  /** Frames of the page (`iframe`), whose content is not in its text. */
  frames: string[];
  /** Addresses with routes (`#/guide`), for which scripts write another page. */
  routes: string[];
  /** Link targets that log out, by the words of the link. */
  actions: string[];
  /** Robots directives `noindex` and `nofollow` (`<meta name="robots">`). */
  noindex: boolean;
  nofollow: boolean;
}

/** The content of a file. */
export interface ParsedDocument {
  /** Markdown. */
  text: string;
  title?: string | undefined;
  /** The type of its content, if its name says another one. */
  file_type?: string | undefined;
  /**
   * Metadata from the format: author, created, pages, lang, description, hidden sheets, front matter. `pages_without_text` lists pages that are pictures
   * (`2-5, 9`); `left_out` and `missing_words` say what of the file is not in the text.
   */
  metadata: Metadata;
  marks?: Mark[] | undefined;
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

/** Kinds of files that a folder may be searched for. */
export type FileKind = 'documents' | 'code' | 'data' | 'archives';

/** What is read of HTML: the text without what surrounds it, such as menus and teasers, or all that a page shows. */
export type HtmlExtent = 'main' | 'whole';

/** Parses one file type. */
export interface Parser {
  readonly file_type: string;
  /** What messages call one of its files, with the article ("a PDF"). */
  readonly name?: string;
  /** Kind of its files. Default: `documents`. */
  readonly kind?: FileKind;
  /** Lower case, with the dot. */
  readonly extensions: readonly string[];
  /** Media types of the HTTP responses that it reads, in lower case and without parameters; `text/*` stands for text that no parser names. */
  readonly media_types?: readonly string[];
  /** Matches the beginning of its files, as Latin-1. */
  readonly signature?: RegExp;
  /** Whether its files are text: the extension then says more about the type than the first bytes. */
  readonly is_text?: boolean;
  /** Throws an error that names the problem. */
  parse(bytes: Uint8Array, options: { source: string }): Promise<ParsedDocument>;
}

/** What tells the type of an HTTP response. */
interface ResponseHead {
  /** Media type in lower case, without parameters; empty if there is none. */
  content_type: string;
  url: string;
}

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
  fileTypeOf(response: ResponseHead & { bytes?: Uint8Array | undefined }): string | undefined;
  /** Whether the type of a response can only be found from its bytes: its media type is generic, and its address has no extension (`/download?id=5`). */
  needsBytesForType(head: ResponseHead): boolean;
}

/** A page that is being recognized: the `count`-th of the `total` ones without text. */
export interface PageInWork {
  source: string;
  page: number;
  count: number;
  total: number;
}
