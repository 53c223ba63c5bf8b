import type { DocumentReader, ParsedDocument, Parser } from '../../ports/reading.ts';
import type { PdfLine } from './pdf/pdf-lines.ts';

/** What a parser is given beside the bytes. */
export interface ParseOptions {
  source: string;
  /** Passwords that may open an encrypted file. */
  passwords?: readonly string[] | undefined;
  /** The lines that were recognized on pages without text, by their number. */
  recognized?: ReadonlyMap<number, PdfLine[]> | undefined;
}

/** A built-in parser, and how its files are checked and scheduled before it reads them. */
export interface ParserRow extends Parser {
  readonly name: string;
  /** Its files are pictures, which are documents only where their text is recognized. */
  readonly is_picture?: boolean;
  /** Pages of its files may be pictures. */
  readonly has_scans?: boolean;
  readonly is_page?: boolean;
  /** Whether bytes are of this format. Absent: they need to look like text. */
  recognizes?(bytes: Uint8Array): boolean;
  /** The folder that tells the format among ZIP archives. */
  readonly archive_folder?: string;
  /** Bytes that an XML part of the archive may unpack to. */
  readonly largest_part?: number;
  /** Parsing a small file takes less time than handing it to a process: several go together. */
  readonly is_quick?: boolean;
  parse(bytes: Uint8Array, options: ParseOptions): Promise<ParsedDocument>;
}

/** A reader of documents that leaves to others what their pictures show. */
export interface BaseReader extends DocumentReader {
  read(bytes: Uint8Array, options: ReadOptions): Promise<ParsedDocument>;
  /** Whether pages of files of this type may be pictures. */
  hasScans(file_type: string): boolean;
}

type ReadOptions = Parameters<DocumentReader['read']>[1] & Pick<ParseOptions, 'passwords' | 'recognized'>;
