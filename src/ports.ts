import type { Filter } from './schema/requests.ts';
import type { Chunk, Mark, Metadata } from './schema/items.ts';

/** Makes vectors of texts. A vector is of unit length; its cosine to another of the same embedder tells how alike the texts are. */
export interface Embedder {
  readonly provider: string;
  readonly model: string;
  /** Length of a vector. 0 where it is known only after the first answer. */
  readonly dimensions: number;
  /** How many calls of `embed` at once pay. */
  readonly concurrency: number;
  /** The score (0 to 1, as in a retrieved item) from which a passage is taken to be about the query; measured for this model. */
  readonly min_retrieval_score: number;
  /** How much of a text the model can read, 0 to 1: the weight of the vector arm in fusion. */
  reads(text: string): number;
  /**
   * All vectors in the order of the texts, or a KbError: `too_large` when fewer texts may succeed, `invalid` when a text is at fault,
   * `unauthorized`, `setup`; retries are already spent.
   */
  embed(texts: readonly string[], options: { input_type: 'document' | 'query'; signal?: AbortSignal | undefined }): Promise<Float32Array[]>;
  close(): Promise<void>;
}

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
  siblings?: number | undefined;
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
  siblings: number;
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

/** Orders passages by how well they answer a query. */
export interface Reranker {
  readonly provider: string;
  readonly model: string;
  /** The score from which a passage is taken to answer; undefined where the model has no measured one. */
  readonly min_rerank_score: number | undefined;
  /** One score for each passage; higher is better. */
  rank(query: string, passages: readonly RerankPassage[], options: { signal?: AbortSignal | undefined }): Promise<number[]>;
}

export interface RerankPassage {
  text: string;
  /** The retrieval score, 0 to 1. */
  score: number;
  metadata: Metadata;
}

export interface Message {
  role: 'system' | 'user' | 'assistant';
  content: string;
}

/** A numbered passage that an answer may be made of. */
export interface GroundingSource {
  citation: number;
  title: string;
  text: string;
}

export interface GenerateRequest {
  messages: readonly Message[];
  /** What the messages contain, for an answerer that quotes instead of writing. */
  grounding: {
    /** What was searched for: the question, or a follow-up with its subject. */
    query: string;
    /** What was asked, where that is not the same. */
    question?: string | undefined;
    sources: readonly GroundingSource[];
  };
  max_tokens: number;
  /** Seconds without a token after which it gives up. */
  timeout: number;
  signal?: AbortSignal | undefined;
}

export interface Usage {
  input_tokens: number;
  output_tokens: number;
}

/** How an answer begins that says that the sources do not answer: with the number of no source. The chat takes it out of what people see. */
export const NO_ANSWER = '[0]';

/**
 * Writes answers. Yields pieces of text; returns what it cost. Throws a KbError: `too_large` where the messages do not fit into the model's window, so that
 * the same question with shorter sources may succeed; retries are already spent.
 */
export interface Llm {
  readonly provider: string;
  readonly model: string;
  /** It quotes `grounding` and does not read the messages: questions are rewritten and histories summarized without it. */
  readonly extractive?: boolean;
  generate(request: GenerateRequest): AsyncGenerator<string, Usage, void>;
}

/** What a parser makes of a file. */
export interface ParsedDocument {
  /** Markdown. */
  text: string;
  title?: string | undefined;
  /** What the format knows: author, created, pages, lang, description, hidden sheets, front matter. */
  metadata: Metadata;
  marks?: Mark[] | undefined;
}

/** Reads one kind of file. Runs in a worker thread. Throws a KbError (`invalid`) that says what is wrong with the file. */
export interface Parser {
  readonly file_type: string;
  /** With the dot, lower case. */
  readonly extensions: readonly string[];
  parse(bytes: Uint8Array, options: { source: string }): Promise<ParsedDocument>;
}

/** Parses files off the main thread, bounded in time and memory. */
export interface DocumentReader {
  /** Kinds by extension; undefined for a file that nothing can read. */
  fileType(path: string): string | undefined;
  readonly extensions: readonly string[];
  read(bytes: Uint8Array, options: { source: string; file_type: string; signal?: AbortSignal | undefined }): Promise<ParsedDocument>;
  close(): Promise<void>;
}
