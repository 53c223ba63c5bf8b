import type { DocumentError } from './errors.ts';
import type { HtmlExtent, ParsedDocument, Parser } from './types.ts';
import type { PackedMarks } from './process/packed-marks.ts';
import type { PdfLine } from './pdf/lines.ts';

/** Options of a parser. */
export interface ParseOptions {
  source: string;
  /** Passwords that may open an encrypted file. */
  passwords?: readonly string[] | undefined;
  /** The lines that OCR has recognized on pages without text, by page number. */
  recognized?: ReadonlyMap<number, PdfLine[]> | undefined;
  /** What is read of HTML; default: `main`. */
  html?: HtmlExtent | undefined;
}

/** A file within another, which is parsed after it. */
export interface InnerFile {
  /** Its name there. */
  path: string;
  /** Default: that of its extension. */
  file_type?: string;
  /** Its media type, used if its name has no extension. */
  media_type?: string;
  bytes(): Promise<Uint8Array> | Uint8Array;
}

/** A parsed document before the text of its pictures is read. */
export interface ParsedContent extends ParsedDocument {
  /** Pages that are pictures without text, from 1: of PDFs and pictures. What they show is not in `text`. */
  pictured_pages?: number[] | undefined;
}

/** Output of a parser: the document, and the files in it that are documents of their own. */
export interface ParsedFile extends ParsedContent {
  files?: readonly InnerFile[];
  /** All text that the file shows, if the parser has it at hand: what the Markdown lacks of it is counted in the metadata (`missing_words`). */
  visible?: string | undefined;
}

/** A built-in parser, and how its files are checked and scheduled before it reads them. */
export interface ParserRow extends Parser {
  readonly name: string;
  /** Matches further extensions. */
  readonly more_extensions?: RegExp;
  /** Whether its files are pictures, which have text only after OCR. */
  readonly is_picture?: boolean;
  /** Whether pages of its files may be scans. */
  readonly has_scans?: boolean;
  readonly is_page?: boolean;
  /** Whether bytes are of this format. Absent: they need to look like text. */
  recognizes?(bytes: Uint8Array): boolean;
  /** A folder that only ZIP archives of this format have. */
  readonly archive_folder?: string;
  /** Matches the part `mimetype` of an archive of this format. */
  readonly archive_mimetype?: RegExp;
  /** Type of its files that are plain text instead: a program may export a table under the extension of a spreadsheet. */
  readonly text_type?: string;
  /** Set for plain ZIP archives, which are read for the files in them. */
  readonly is_archive?: boolean;
  /** Maximum bytes of an unpacked XML part of the archive. */
  readonly largest_part?: number;
  parse(bytes: Uint8Array, options: ParseOptions): Promise<ParsedFile>;
}

/** A file to parse in a worker process. */
export interface ParseTask extends Pick<ParseOptions, 'passwords' | 'recognized' | 'html'> {
  bytes: Uint8Array;
  source: string;
  /** Default: that of its name, else that of its content. */
  file_type?: string | undefined;
  /** Number of archives or mails that contain it. */
  depth?: number;
}

/** A parsed document, or its error as data: between processes a DocumentError would lose its code and its hint. */
export type ParseOutcome = { parsed: ParsedContent } | Failure;

interface Failure {
  failed: Pick<DocumentError, 'code' | 'message' | 'hint'>;
}

/** Response of a worker process to a task. */
export interface ParseAnswer {
  /** Outcomes, with the marks of the documents apart. */
  outcomes: ({ parsed: ParsedContent; marks: PackedMarks } | Failure)[];
  /** Resident memory of the process afterwards, in bytes. */
  resident: number;
}
