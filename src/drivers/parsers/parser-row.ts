import type { Parser } from '../../ports/reading.ts';

/** A built-in parser, and how its files are checked and scheduled before it reads them. */
export interface ParserRow extends Parser {
  readonly name: string;
  readonly is_page?: boolean;
  /** Whether bytes are of this format. Absent: they need to look like text. */
  recognizes?(bytes: Uint8Array): boolean;
  /** The folder that tells the format among ZIP archives. */
  readonly archive_folder?: string;
  /** Bytes that an XML part of the archive may unpack to. */
  readonly largest_part?: number;
  /** Parsing a small file takes less time than handing it to a process: several go together. */
  readonly is_quick?: boolean;
}
