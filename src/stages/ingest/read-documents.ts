import { KbError } from '../../core/errors.ts';
import { documentId, hash } from '../../core/ids.ts';
import { mapOrdered, yieldToEventLoop } from '../../core/concurrency.ts';
import { currentSignal } from '../../core/run.ts';
import type { Collection, StoredChunk, StoredSource } from '../../ports/stores.ts';
import type { Chunking } from '../../schema/config.ts';
import type { Chunk, Document, Metadata } from '../../schema/items.ts';
import { splitDocument } from '../text-thread.ts';
import { type Candidate, metadataParts, type SourceName } from '../extract/extract.ts';
import { nameOf, withoutMembers } from '../extract/document.ts';
import type { PageEventData } from '../extract/pages/page.ts';
import { countLetters } from '../extract/pages/error-page.ts';
import { languageOf } from '../../languages/detect.ts';

/** Version of the chunks; it changes when the same file and settings give other chunks, so that documents are chunked again. */
const CHUNK_FORMAT = '8';
/** Maximum documents that are parsed at once: enough to send several small ones to a process together. */
const MAX_PARSED_AT_ONCE = 32;

/** A candidate that could not be read or chunked. */
export interface Unread {
  name: SourceName;
  candidate: Candidate;
  error: unknown;
}

interface ReadDocumentsOptions {
  chunking: Chunking;
  /** Maximum chunks of a file or text with what is in it. Default: any number. */
  maxChunks?: number | undefined;
  /** The stored sources; empty for a new collection. */
  before: ReadonlyMap<string, StoredSource>;
  collection: Collection | undefined;
  /** Metadata of every document, which wins over its own. */
  metadata?: Metadata | undefined;
  /** Process unchanged documents as well, and reuse no vectors. */
  force: boolean;
  /** Hashes of doubtful versions that were not stored, by source; changed by the run. The next run confirms or drops them. */
  unconfirmed: Map<string, string>;
}

/** Parses and chunks changed documents, in the order of the input; unchanged ones are passed on unparsed. */
export async function* readDocuments(
  candidates: AsyncIterable<{ name: SourceName; candidate: Candidate }>,
  options: ReadDocumentsOptions,
): AsyncGenerator<IngestDocument | Unread, void, void> {
  const sourceOf = new Map([...options.before.values()].map(({ version, source }) => [version, source]));
  yield* mapOrdered(candidates, MAX_PARSED_AT_ONCE, async ({ name, candidate }) => {
    try {
      return await readDocument(name, candidate, { ...options, sourceOf });
    } catch (error) {
      return { name, candidate, error };
    }
  });
}

interface ReadOptions extends ReadDocumentsOptions {
  /** A stored source of each version: of the same content under the same settings, whatever its name. */
  sourceOf: ReadonlyMap<string, string>;
}

async function readDocument(name: SourceName, candidate: Candidate, options: ReadOptions): Promise<IngestDocument> {
  const version = versionOf(candidate, options);
  const { unconfirmed } = options;
  const isConfirmed = unconfirmed.get(candidate.source) === candidate.content_hash;
  unconfirmed.delete(candidate.source);
  const { source, bytes = 0, shares_source = false, page, siblings = [] } = candidate;
  const count = 1 + siblings.length;
  const document: IngestDocument = {
    name,
    source,
    bytes,
    count,
    documents: [],
    status: 'new',
    shares_source,
    chunks: [],
    outdated: [],
    reused: 0,
    lost: [],
  };
  if (page) document.page = { url: source, title: '', ...page, document_id: documentId(source) };
  // several texts under one source always replace what is stored; unchanged chunks keep their vectors
  if (!shares_source) document.status = statusOf(options.before.get(source), version, options.force || siblings.length > 0);
  if (document.status === 'unchanged' && name !== 'markdown') return document;
  const documents = await documentsOf([candidate, ...siblings], options);
  const [first] = documents;
  if (document.page) document.page.title = first!.title;
  if (name === 'markdown') document.documents = documents;
  if (document.status === 'unchanged') return document;
  document.chunks = await storedChunksOf(documents, version, options);
  if (document.chunks.length === 0)
    throw new KbError('invalid', `${source} holds no text.`, { hint: 'Add text to it, or leave it out.', hasNoText: true });
  if (shares_source) document.status = await sharedStatus(document.chunks, options);
  if (document.status === 'unchanged') document.chunks = [];
  const before = document.status === 'changed' || document.status === 'incomplete' ? await storedChunks(document, first!, options) : [];
  if (candidate.isFetched) checkNewVersion(candidate, first!, { before, isConfirmed, unconfirmed });
  const ids = new Set(document.chunks.map(({ id }) => id));
  if (shares_source) document.outdated = before.map(({ id }) => id).filter((id) => !ids.has(id));
  if (!options.force) document.reused = keepVectors(document, [...before, ...(await copiedChunks(document, version, options))]);
  return document;
}

/** Letters and digits below which a version is a few words. */
const MAX_FEW_LETTERS = 200;
/** How many times longer than a few words a stored version is that they do not replace at once. */
const MIN_SHRINKAGE = 2;

/**
 * Throws a retryable KbError for a version of a few words without the old heading, unless the run before got it as well: it may be a notice that the server
 * sends in the place of its content.
 */
function checkNewVersion(
  { source, content_hash }: Candidate,
  { text, title }: Document,
  { before, isConfirmed, unconfirmed }: { before: readonly StoredChunk[]; isConfirmed: boolean; unconfirmed: Map<string, string> },
): void {
  const [first] = before;
  const letters = countLetters(text, MAX_FEW_LETTERS);
  const stored = before.reduce((sum, chunk) => sum + countLetters(chunk.text, MIN_SHRINKAGE * MAX_FEW_LETTERS), 0);
  if (isConfirmed || first === undefined || letters >= MAX_FEW_LETTERS || stored < MIN_SHRINKAGE * letters) return;
  const heading = headingOf(first);
  const isSameTitle = title === first.metadata.title && title !== nameOf(source);
  if (isSameTitle || oneCase(`${title}\n${text}`).includes(oneCase(heading))) return;
  unconfirmed.set(source, content_hash);
  throw new KbError('unavailable', `${source} came back as a few words without its heading "${heading.slice(0, MAX_QUOTED)}".`, {
    hint: 'If it still says so at the next run, that replaces what is stored.',
    isRetryable: true,
  });
}

/** Maximum characters of a heading that a message quotes. */
const MAX_QUOTED = 100;

const oneCase = (text: string): string => text.toLowerCase().replace(/\s+/g, ' ').trim();

/** The first line of a stored text: its heading if it has one. */
const headingOf = ({ text }: StoredChunk): string =>
  text
    .trim()
    .split('\n', 1)[0]!
    .replace(/^#+\s*/, '');

async function documentsOf(candidates: readonly Candidate[], { metadata }: ReadDocumentsOptions): Promise<Document[]> {
  const yieldIfBusy = yieldToEventLoop(currentSignal());
  const documents: Document[] = [];
  for (const candidate of candidates) {
    await yieldIfBusy();
    const document = await candidate.document();
    for (const each of [withoutMembers(document), ...(document.members ?? [])])
      documents.push({ ...each, metadata: { ...each.metadata, ...metadata } });
  }
  return documents;
}

/** Hashes everything that determines the chunks of a document. */
const versionOf = (
  { content_hash }: Pick<Candidate, 'content_hash'>,
  { chunking, metadata = {} }: Pick<ReadDocumentsOptions, 'chunking' | 'metadata'>,
): string => hash(CHUNK_FORMAT, content_hash, JSON.stringify(chunking), ...metadataParts(metadata)).slice(0, 32);

/** Whether a document is stored completely and unchanged, so that `readDocuments` does not read it. */
export const isStoredAs = (
  candidate: Pick<Candidate, 'source' | 'content_hash'>,
  { before, ...settings }: Pick<ReadDocumentsOptions, 'before' | 'chunking' | 'metadata'>,
): boolean => statusOf(before.get(candidate.source), versionOf(candidate, settings), false) === 'unchanged';

function statusOf(stored: StoredSource | undefined, version: string, force: boolean): IngestDocument['status'] {
  if (!stored) return 'new';
  if (force || stored.version !== version) return 'changed';
  return stored.chunks < stored.chunk_count ? 'incomplete' : 'unchanged';
}

/** The status of a document that shares its source, by whether its chunks are stored. */
async function sharedStatus(
  chunks: readonly StoredChunk[],
  { collection, force }: ReadDocumentsOptions,
): Promise<IngestDocument['status']> {
  const stored = collection ? await collection.get(chunks.map(({ id }) => id)) : [];
  const versions = new Map(stored.map(({ id, version }) => [id, version]));
  if (!force && chunks.every(({ id, version }) => versions.get(id) === version)) return 'unchanged';
  return stored.length > 0 ? 'changed' : 'new';
}

async function storedChunksOf(
  documents: readonly Document[],
  version: string,
  { chunking, maxChunks = Infinity }: ReadDocumentsOptions,
): Promise<StoredChunk[]> {
  const yieldIfBusy = yieldToEventLoop(currentSignal());
  const chunks: Chunk[] = [];
  for (const document of documents) {
    await yieldIfBusy();
    for (const chunk of await splitDocument(document, chunking, maxChunks + 1 - chunks.length)) chunks.push(chunk);
    if (chunks.length > maxChunks) throw tooManyChunksError(document.source, maxChunks);
  }
  const ingested_at = new Date().toISOString();
  return chunks.map((chunk) => ({ ...chunk, metadata: { ...chunk.metadata, ingested_at }, version, chunk_count: chunks.length }));
}

const tooManyChunksError = (source: string, limit: number): KbError =>
  new KbError(
    'too_large',
    `${source} gives more than ${limit.toLocaleString('en-US')} chunks, the most that a server makes of one document.`,
    {
      hint: 'Split it, raise chunk_size, or ingest it on the command line.',
    },
  );

/** Reads the stored chunks of the document. Among documents that share a source, the hash of its text identifies them. */
async function storedChunks(
  { source, shares_source }: IngestDocument,
  { metadata }: Document,
  { collection }: ReadDocumentsOptions,
): Promise<StoredChunk[]> {
  const chunks = await chunksOfSource(source, collection);
  return shares_source ? chunks.filter((chunk) => chunk.metadata.content_hash === metadata.content_hash) : chunks;
}

/** Reads the stored chunks of another source with the same content: the document was moved, renamed or copied. */
async function copiedChunks(
  { source, shares_source, status }: IngestDocument,
  version: string,
  { sourceOf, collection }: ReadOptions,
): Promise<StoredChunk[]> {
  const other = sourceOf.get(version);
  return other === undefined || other === source || shares_source || status === 'unchanged' ? [] : await chunksOfSource(other, collection);
}

const chunksOfSource = async (source: string, collection: Collection | undefined): Promise<StoredChunk[]> =>
  (await Array.fromAsync(collection?.all({ source, vectors: true }) ?? [])).flat();

/** Reuses the stored vectors of chunks with the same text for the embedder. Returns the number of chunks with a vector. */
function keepVectors(work: IngestDocument, stored: readonly StoredChunk[]): number {
  const vectors = new Map<string, Float32Array>();
  for (const { embed_text, text, vector } of stored) if (vector) vectors.set(embed_text ?? text, vector);
  for (const chunk of work.chunks) {
    const vector = vectors.get(chunk.embed_text ?? chunk.text);
    if (vector) chunk.vector = vector;
  }
  return work.chunks.filter(({ vector }) => vector).length;
}

/** A document on its way from source to store. */
export interface IngestDocument {
  name: SourceName;
  source: string;
  /** Bytes of its file; 0 if it is not a file. */
  bytes: number;
  /** Compared with the stored version. `incomplete`: unchanged, but some of its stored chunks are missing. */
  status: 'new' | 'changed' | 'unchanged' | 'incomplete';
  /** Whether several documents share the source; this one replaces none of the others. */
  shares_source: boolean;
  /** Event of a web page; an unchanged page, which is not read, has no title. */
  page?: PageEventData;
  /** Number of its documents: several if a request gave several texts under one source. */
  count: number;
  /** The documents of Markdown that was given as text, for the report; else empty. */
  documents: Document[];
  chunks: StoredChunk[];
  /** Ids of stored chunks that this document no longer has, if it shares its source: only its own may be removed. */
  outdated: string[];
  /** Number of chunks that keep their stored vector. */
  reused: number;
  /** Chunks that could not be embedded; they are removed from `chunks`. */
  lost: { chunk: StoredChunk; error: KbError }[];
}

/** Outcome of a document: stored (some of its chunks may be lost), unchanged, or refused by the store. */
export interface DocumentOutcome {
  document: IngestDocument;
  stored: boolean;
  error?: KbError;
}

/** Counts the chunks that an ingest reads, and those of documents in other languages than English, detected by the middle chunk. */
export class LanguageTally {
  #passages = 0;
  #foreign = 0;

  /** Share of chunks that are not in English, 0 to 1. Text of unknown language, such as code, counts as English. */
  get foreign_share(): number {
    return this.#passages === 0 ? 0 : this.#foreign / this.#passages;
  }

  add(chunks: IngestDocument['chunks']): void {
    const middle = chunks[Math.floor(chunks.length / 2)];
    const language = middle && languageOf(middle.text);
    this.#passages += chunks.length;
    if (language !== undefined && language !== 'en') this.#foreign += chunks.length;
  }

  async *countEach(documents: AsyncIterable<IngestDocument>): AsyncGenerator<IngestDocument, void, void> {
    for await (const document of documents) {
      this.add(document.chunks);
      yield document;
    }
  }
}
