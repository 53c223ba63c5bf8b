import type { KbError } from '../core/errors.ts';
import type { Chunk, Metadata } from '../schema/items.ts';
import type { Filter } from '../schema/stored/filter.ts';

/** Embedder of a collection. Vectors of another embedder are never stored in it or compared with it. */
export interface Fingerprint {
  provider: string;
  model: string;
  /** 0: no vectors. */
  dimensions: number;
}

/** A stored chunk. */
export interface StoredChunk extends Chunk {
  vector?: Float32Array | undefined;
  /** Hash of the document's content and of all settings that affect its chunks; empty for chunks without a document. */
  version?: string | undefined;
  /** Number of chunks of the whole document; if the store has fewer, some are missing. */
  chunk_count?: number | undefined;
}

/** Chunks of a document that replace the stored chunks of its source. */
export interface Replacement {
  source: string;
  chunks: StoredChunk[];
  /** Whether neither the source nor any of the chunk ids is stored, so that nothing has to be looked up. */
  isNew: boolean;
}

/** State of a stored source. */
export interface StoredSource {
  source: string;
  source_kind: string;
  version: string;
  /** Number of chunks stored, and expected (0: unknown). */
  chunks: number;
  chunk_count: number;
}

/** Size and metadata of a stored source, from its chunks. */
export interface SourceContent {
  chunks: number;
  /** Total length of the texts of its chunks. */
  characters: number;
  /** Metadata of one of its chunks. */
  metadata: Metadata;
}

/** Selects a page of the sources whose chunks match `filter`, beginning after the source `after`. */
export interface SourcePageRequest {
  filter?: Filter | undefined;
  after?: string | undefined;
  limit: number;
}

/** A page of the stored sources. */
export interface SourcePage {
  /** At most `limit`, in the order of their code points. */
  sources: string[];
  /** Number of all that match, including those before this page. */
  total: number;
}

/** Selects the chunks to remove. */
export type Where = { ids: readonly string[] } | { source: string } | { filter: Filter };

/** A search in one collection, by a vector or a text. */
export interface SearchRequest {
  /** Query vector for the nearest chunks by cosine. Either this or `text`. */
  vector?: Float32Array;
  /** Query text for the best chunks by BM25 over the stems of title, headings and text. */
  text?: string;
  filter?: Filter | undefined;
  limit: number;
}

/** A chunk that a search found. */
export interface Hit {
  chunk: StoredChunk;
  /** Cosine (-1 to 1) for a vector, BM25 (0 and up) for a text. */
  score: number;
  /** For a text search with a vector: the cosine of the hit to that vector. */
  cosine?: number | undefined;
}

/** Name and embedder of a collection. */
export interface CollectionInfo extends Fingerprint {
  name: string;
}

/** A collection in the list of a store. */
export interface ListedInfo extends CollectionInfo {
  /** Why it cannot be opened; then only its name is known. */
  unreadable?: KbError;
}

/** An open collection. Reads see what any process has committed. */
export interface Collection {
  readonly info: CollectionInfo;
  /** Replaces the chunks of every source given, in one step: a reader sees all of a document's old chunks or all of its new ones. */
  replace(replacements: readonly Replacement[]): Promise<void>;
  /**
   * Writes chunks, replacing those with the same ids. `edited`: they are changed versions of stored chunks. A store that other machines may
   * write to throws a KbError (`conflict`), and writes nothing, if the version of one of them is no longer stored.
   */
  upsert(chunks: readonly StoredChunk[], options?: { edited?: boolean }): Promise<void>;
  /** Removes chunks and returns those removed. */
  delete(where: Where): Promise<{ id: string; source: string }[]>;
  get(ids: readonly string[]): Promise<StoredChunk[]>;
  /** Yields every chunk in a stable order and bounded pages; only those of `source` if given. */
  all(options?: { source?: string; vectors?: boolean }): AsyncIterable<StoredChunk[]>;
  /** All stored sources. */
  sources(): Promise<Map<string, StoredSource>>;
  /** Lists a page of the stored sources; memory does not grow with their number. */
  sourcePage(request: SourcePageRequest): Promise<SourcePage>;
  /** Reads the size and metadata of the given sources, without their texts; sources that are not stored are left out. */
  contents(sources: readonly string[]): Promise<Map<string, SourceContent>>;
  search(request: SearchRequest): Promise<Hit[]>;
  /**
   * Runs several searches on one state of the store, if it does that faster than one by one. A request may have both a text and a vector: its
   * hits are those of the text, with their `cosine`. Hits may lack their vectors; `withVectors` reads those that are needed.
   */
  searchAll?(requests: readonly SearchRequest[]): Promise<Hit[][]>;
  /** Adds the vectors to chunks; a chunk that was removed meanwhile is returned unchanged. Needed if `searchAll` omits vectors. */
  withVectors?(chunks: readonly StoredChunk[]): Promise<StoredChunk[]>;
  count(): Promise<number>;
  /** Bytes on disk; null if the store does not report it. */
  bytes(): Promise<number | null>;
  /**
   * Updates indexes and removes old versions where that is worthwhile; with `whole`, everywhere. Call it at the end of a job, or with `hasMore`
   * during a long one.
   */
  optimize(options?: { whole?: boolean; hasMore?: boolean }): Promise<void>;
}

/** A collection that is invisible until `commit` atomically replaces the one of its name; `discard` removes it. */
export interface Draft {
  collection: Collection;
  commit(): Promise<void>;
  discard(): Promise<void>;
}

/** State of a store that is reached over a network, for people. */
export interface StoreReport {
  /** Its address, version, latency and permissions. */
  message: string;
  /** Problems and what to do, one sentence each without a full stop. */
  warnings?: string[];
}

/** A defect that a store found in its own data. */
export interface StoreProblem {
  /** The problem, as a sentence. */
  problem: string;
  /** What a person can do about it, as a sentence. */
  advice?: string | undefined;
  /** Absent if only a person can repair it. */
  repair?: StoreRepair | undefined;
}

/** What the program can do about a defect. */
export interface StoreRepair {
  /** What it does, after a subject: `removes it`. */
  action: string;
  /** What was done, as a sentence: `It was removed.` */
  outcome: string;
  /** Whether it removes data. */
  removes: boolean;
  run(): Promise<void>;
}

/** A vector database with any number of collections. */
export interface VectorStore {
  readonly provider: string;
  collections(): Promise<ListedInfo[]>;
  /** Opens a collection; undefined if none has that name. */
  open(name: string): Promise<Collection | undefined>;
  /** Creates an empty collection. */
  create(info: CollectionInfo): Promise<Collection>;
  draft(info: CollectionInfo): Promise<Draft>;
  /**
   * Copies the collection `name` into a draft `as` without reading its chunks. Nobody may write to either meanwhile. A sealed copy
   * (`isSealed`, a snapshot) is never written to; other copies may be, after their commit. Undefined if the store cannot copy: chunks are then
   * copied one by one.
   */
  copy?(name: string, as: string, options?: { isSealed?: boolean }): Promise<Draft | undefined>;
  /**
   * Checks a sealed copy. Throws a KbError (`invalid`) that names what was changed or is missing. Absent if the store keeps no checksums:
   * chunks are then compared.
   */
  verify?(name: string): Promise<void>;
  /** Removes a collection; false if there was none. */
  drop(name: string): Promise<boolean>;
  /** Describes the state of the store; undefined if there is nothing to report. */
  describe?(): Promise<StoreReport | undefined>;
  /** Finds damage that killed processes or lost files have left. Changes nothing; `mend` repairs it. */
  problems?(): Promise<StoreProblem[]>;
  /** Waits until no other writer, in any process, holds the collection; calls `onWait` once if it has to wait. Returns the release function. */
  lock(name: string, options?: { signal?: AbortSignal | undefined; onWait?: (() => void) | undefined }): Promise<() => Promise<void>>;
  close(): Promise<void>;
}
