import type { Chunk } from '../schema/items.ts';
import type { Filter } from '../schema/requests.ts';

/** What a collection was made with. Vectors of another embedder are never written to it or compared with it. */
export interface Fingerprint {
  provider: string;
  model: string;
  /** 0: no vectors. */
  dimensions: number;
}

/** A chunk as it lies in a store. */
export interface StoredChunk extends Chunk {
  vector?: Float32Array | undefined;
  /** Hash of the document's content and of every setting that shapes its chunks; empty for chunks that came without a document. */
  version?: string | undefined;
  /** How many chunks the document had when it was stored whole: fewer in the store means that some are missing. */
  chunk_count?: number | undefined;
}

/** A document's chunks, to take the place of those that the source has now. */
export interface Replacement {
  source: string;
  chunks: StoredChunk[];
  /** Neither the source nor the id of any of its chunks is stored: nothing has to be looked for. */
  isNew: boolean;
}

/** What is stored of a source. */
export interface StoredSource {
  source: string;
  source_kind: string;
  version: string;
  /** How many chunks are there, and how many there should be (0: not known). */
  chunks: number;
  chunk_count: number;
}

export type Where = { ids: readonly string[] } | { source: string } | { filter: Filter };

export interface SearchRequest {
  /** Nearest by cosine. Either this or `text`. */
  vector?: Float32Array;
  /** Best by BM25 over the stems of title, headings and text. */
  text?: string;
  filter?: Filter | undefined;
  limit: number;
}

export interface Hit {
  chunk: StoredChunk;
  /** Cosine (-1 to 1) for a vector, BM25 (0 and up) for a text. */
  score: number;
}

export interface CollectionInfo extends Fingerprint {
  name: string;
}

/** An open collection. Reads see what any process has committed. */
export interface Collection {
  readonly info: CollectionInfo;
  /** Replaces the chunks of every source given, in one step: a reader sees all of a document's old chunks or all of its new ones. */
  replace(replacements: readonly Replacement[]): Promise<void>;
  /** Writes chunks under their ids, over those that are there. */
  upsert(chunks: readonly StoredChunk[]): Promise<void>;
  /** Removes, and tells which chunks were removed. */
  delete(where: Where): Promise<{ id: string; source: string }[]>;
  get(ids: readonly string[]): Promise<StoredChunk[]>;
  /** Every chunk, in a stable order and bounded pages; those of one source where it is given. */
  all(options?: { source?: string; vectors?: boolean }): AsyncIterable<StoredChunk[]>;
  sources(): Promise<Map<string, StoredSource>>;
  search(request: SearchRequest): Promise<Hit[]>;
  count(): Promise<number>;
  /** Bytes on disk; 0 where they are not known. */
  bytes(): Promise<number>;
  /** Brings the indexes up to date and removes old versions: once, at the end of a job. */
  optimize(): Promise<void>;
}

export interface VectorStore {
  readonly provider: string;
  collections(): Promise<CollectionInfo[]>;
  /** Undefined where there is none of that name. */
  open(name: string): Promise<Collection | undefined>;
  /** A new, empty collection. With `replacing`, it takes the place of the one of that name when `commit` is called, in one step. */
  create(info: CollectionInfo): Promise<Collection>;
  /** A collection that nobody sees until `commit`, which puts it in the place of the one of its name in one step; `discard` removes it. */
  draft(info: CollectionInfo): Promise<{ collection: Collection; commit(): Promise<void>; discard(): Promise<void> }>;
  /** False where there was none. */
  drop(name: string): Promise<boolean>;
  /** Waits until no one else, in any process, writes to the collection; `onWait` is called once if it must. Release it with the function given back. */
  lock(name: string, options?: { signal?: AbortSignal | undefined; onWait?: (() => void) | undefined }): Promise<() => Promise<void>>;
  close(): Promise<void>;
}
