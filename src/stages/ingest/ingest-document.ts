import type { KbError } from '../../core/errors.ts';
import type { Document } from '../../schema/items.ts';
import type { StoredChunk } from '../../ports/stores.ts';
import type { SourceName } from '../extract/extract.ts';
import type { PageTold } from '../extract/pages/page-event.ts';

/** A document on its way from source to store. */
export interface IngestDocument {
  name: SourceName;
  source: string;
  /** Length of the file that it is; 0 where it is none. */
  bytes: number;
  /** Against what was stored before. `incomplete`: stored, but some of its chunks are missing. */
  status: 'new' | 'changed' | 'unchanged' | 'incomplete';
  /** Several documents share the source: this one stands beside the others. */
  shares_source: boolean;
  /** What is told of a web page; one that is not read, because it is unchanged, has no title. */
  page?: PageTold;
  /** How many documents it is: several where a request gave several texts under one source. */
  count: number;
  /** Kept of Markdown that was given as text: the report lists them. */
  documents: Document[];
  chunks: StoredChunk[];
  /** Ids of stored chunks that this document no longer has, where it shares its source: no one else's may go. */
  outdated: string[];
  /** How many of them kept the vector that they had. */
  reused: number;
  /** Chunks that could not be embedded; they are not among `chunks` any more. */
  lost: { chunk: StoredChunk; error: KbError }[];
}
