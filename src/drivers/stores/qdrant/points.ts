import { hashTerm, searchedTerms, terms } from '../../../text/terms.ts';
import type { Metadata } from '../../../schema/items.ts';
import type { StoredChunk } from '../../../ports/stores.ts';
import type { FilterScalar } from '../../../schema/stored/filter.ts';
import { toNumber, listScalars, shortenForIndex } from '../../../core/filters.ts';
import type { Point, PointRecord } from './qdrant-connection.ts';
import { countAt, toWordCounts, packCounts, countAllWords, unpackCounts, type Weights, type WordCounts } from './word-statistics.ts';

// Qdrant has no BM25 index for kb's terms, but sparse vectors. The vector of a chunk holds the saturated frequency of each term, that of a query the inverse
// document frequency of each term in the collection. Their product is BM25, except that the average length of chunks is not known when a chunk is written. So
// Qdrant finds the candidates, and kb computes their exact scores from the stored counts.

/**
 * The usual constants of BM25 (Robertson and Zaragoza, "The Probabilistic Relevance Framework", 2009): how soon repetition saturates, and
 * how much length counts.
 */
const K1 = 1.2;
const B = 0.75;
/**
 * Average number of terms of a chunk that stored vectors assume. Measured for chunks of 1,000 characters of scifact, nfcorpus, cranfield,
 * squad and hotpotqa: 90 to 141.
 */
const STORED_AVERAGE = 120;

/** Weight of `count` occurrences of a term in a chunk of `length` terms, without the inverse document frequency. */
const saturatedFrequency = (count: number, length: number, average: number): number =>
  (count * (K1 + 1)) / (count + K1 * (1 - B + (B * length) / average));

/** Computes the BM25 score of a chunk for the terms with these indices. */
export function bm25(own: WordCounts, indices: readonly number[], { average, idf }: Weights): number {
  const length = countAllWords(own);
  return indices.reduce((sum, position) => {
    const count = countAt(own, position);
    return count > 0 ? sum + idf(position) * saturatedFrequency(count, length, average) : sum;
  }, 0);
}

/** A sparse vector in Qdrant's form. */
export interface SparseVector {
  indices: number[];
  values: number[];
}

/**
 * Computes the index of a term, one of 2^32: FNV-1a over its UTF-16 units, with the final mix of MurmurHash3. Two terms may share an index.
 */
export function termIndex(term: string): number {
  let hash = hashTerm(term);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** Counts the terms of a text by their indices. */
export function countTerms(text: string): WordCounts {
  const counts = new Map<number, number>();
  for (const term of terms(text)) {
    const position = termIndex(term);
    counts.set(position, (counts.get(position) ?? 0) + 1);
  }
  return toWordCounts(counts);
}

/** Makes the sparse vector of a chunk; undefined if it has no terms. */
export function textVector(words: WordCounts): SparseVector | undefined {
  if (words.indices.length === 0) return undefined;
  const length = countAllWords(words);
  return {
    indices: Array.from(words.indices),
    values: Array.from(words.counts, (count) => Math.fround(saturatedFrequency(count, length, STORED_AVERAGE))),
  };
}

/** Lists the indices of the distinct terms of a query. */
export const searchedIndices = (text: string): number[] => [...new Set(searchedTerms(text).map(termIndex))];

/** Makes the sparse vector of a query, with the weight of each term; undefined if it has no terms. */
export function queryVector(text: string, { idf }: Weights): SparseVector | undefined {
  const indices = searchedIndices(text);
  return indices.length > 0 ? { indices, values: indices.map(idf) } : undefined;
}

/** Name of the dense vector of a point. */
export const DENSE = 'dense';
/** Name of the sparse vector of a point. */
export const TEXT = 'text';

/**
 * Payload of a point. `fields` and `numbers` hold the scalars of the metadata for filters; their keys are stored as values, so that no key can act as a path.
 * `metadata` is JSON text, which keeps the order of its keys. If `embed_text` ends with the text, as it nearly always does, only its beginning is stored
 * (`lead`). `given` is the original vector if that is not of unit length, because Qdrant normalizes vectors.
 */
export interface Payload {
  id: string;
  text: string;
  lead?: string;
  embed_text?: string;
  source: string;
  source_kind: string;
  metadata: string;
  version?: string;
  /** `chunk_count` of the port, under its first name. */
  siblings?: number;
  given?: string;
  /** The terms of the chunk (`packCounts`). */
  words?: string;
  /** Number of its write, or the generation that it was assigned later. */
  generation: number;
  fields: string[];
  numbers: { key: string; value: number }[];
}

/** Keys of a payload from which a chunk is restored. */
export const CHUNK_KEYS: (keyof Payload)[] = ['id', 'text', 'lead', 'embed_text', 'source', 'metadata', 'version', 'siblings', 'given'];

/** Payload indexes of a table, for all filters of kb. `written` is the time of a segment of the word statistics. */
export const INDEXES = {
  'kb.version': 'keyword',
  id: 'keyword',
  source: 'keyword',
  generation: 'integer',
  fields: 'keyword',
  'numbers[].key': 'keyword',
  'numbers[].value': 'float',
  written: 'integer',
} as const;

/** Makes the beginning of an entry of `fields`. The length marks the end of the path, which may contain any characters. */
export const fieldEntryStart = (path: string): string => `${path.length}:${path}:`;
/** Makes the entry of `fields` for a value at a path. */
export const fieldEntry = (path: string, value: FilterScalar): string =>
  toWellFormed(fieldEntryStart(path) + shortenForIndex(String(value)));

/** Makes the entry of `fields` that says that a path has a value. */
export const existenceEntry = (path: string): string => toWellFormed(fieldEntryStart(path).slice(0, -1));

/** Replaces lone surrogates, which the server refuses in JSON. */
export const toWellFormed = (text: string): string => text.toWellFormed();

let last = 0;

/** Returns milliseconds since 1970, strictly increasing from call to call. */
const uniqueTime = (): number => (last = Math.max(Date.now(), last + 1));

const hex = (number: number, digits: number): string => number.toString(16).padStart(digits, '0');

/**
 * Makes the id of a point: the time and number of its write, and its position in that. Ids sort as numbers, so that chunks are listed in the order of writing.
 */
const pointId = (time: number, write: number, position: number): string =>
  (hex(time, 12) + hex(write, 12) + hex(position, 8)).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');

/** Extracts the time when the write of a point began, in milliseconds, from its id. */
export const readWriteTime = (id: Point['id']): number => Number.parseInt(String(id).replaceAll('-', '').slice(0, 12), 16);

/** Converts chunks to the points of a write. */
export function toPoints(chunks: readonly CountedChunk[], write: number): Point[] {
  const time = uniqueTime();
  return chunks.map(({ chunk, words }, position) => {
    const text = textVector(words);
    return {
      id: pointId(time, write, position),
      vector: { ...(chunk.vector ? { [DENSE]: Array.from(chunk.vector) } : {}), ...(text ? { [TEXT]: text } : {}) },
      payload: { ...toPayload(chunk, write), ...(text ? { words: packCounts(words) } : {}) },
    };
  });
}

/** A chunk with its word counts. */
export interface CountedChunk {
  chunk: StoredChunk;
  words: WordCounts;
}

/** Counts the words of a chunk, as they are searched. */
export const withWordCounts = (chunk: StoredChunk): CountedChunk => ({ chunk, words: countTerms(chunk.embed_text ?? chunk.text) });

/** Extracts the word counts of a point; undefined if they were not read. */
export const readWordCounts = ({ payload }: Pick<PointRecord, 'payload'>): WordCounts | undefined => {
  const words = payload?.['words'] as string | undefined;
  return words === undefined ? undefined : unpackCounts(words);
};

function toPayload({ id, text, embed_text, source, metadata, version, chunk_count, vector }: StoredChunk, generation: number): Payload {
  const all = [...listScalars(metadata)];
  const kind = metadata['source_kind'];
  return {
    id: toWellFormed(id),
    text: toWellFormed(text),
    ...(embed_text === undefined ? {} : compressEmbedText(embed_text, text)),
    source: toWellFormed(source),
    source_kind: typeof kind === 'string' ? toWellFormed(kind) : '',
    metadata: JSON.stringify(metadata),
    ...(version === undefined ? {} : { version: toWellFormed(version) }),
    ...(chunk_count ? { siblings: chunk_count } : {}),
    ...(vector && !isUnitLength(vector) ? { given: bytesOf(vector).toString('base64') } : {}),
    generation,
    fields: [...new Set(all.flatMap(([path, value]) => [existenceEntry(path), fieldEntry(path, value)]))],
    numbers: all.flatMap(([path, value]) => {
      const number = toNumber(value);
      return number === undefined || !Number.isFinite(number) ? [] : [{ key: toWellFormed(path), value: number }];
    }),
  };
}

const compressEmbedText = (embed_text: string, text: string): { lead: string } | { embed_text: string } =>
  embed_text.endsWith(text)
    ? { lead: toWellFormed(embed_text.slice(0, embed_text.length - text.length)) }
    : { embed_text: toWellFormed(embed_text) };

const bytesOf = (vector: Float32Array): Buffer => Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength);

/**
 * Whether Qdrant stores a vector unchanged: it does if the length is within 1e-6 of 1 (`cosine_preprocess` in its source), computed in single precision.
 */
const isUnitLength = (vector: Float32Array): boolean => Math.abs(vector.reduce((sum, x) => sum + x * x, 0) - 1) < 5e-7;

/** Restores the chunk of a point as it was given; with its vector if that was read. */
export function toChunk({ payload, vector }: Pick<PointRecord, 'payload' | 'vector'>): StoredChunk {
  const { id, text, lead, embed_text, source, metadata, version, siblings } = payload as unknown as Payload;
  const whole = lead === undefined ? embed_text : lead + text;
  const own = readVector({ payload, vector });
  return {
    id,
    text,
    ...(whole === undefined ? {} : { embed_text: whole }),
    source,
    metadata: JSON.parse(metadata) as Metadata,
    ...(version === undefined ? {} : { version }),
    ...(siblings === undefined ? {} : { chunk_count: siblings }),
    ...(own ? { vector: own } : {}),
  };
}

/** Restores the vector of a point as it was given; undefined if there is none or it was not read. */
export function readVector({ payload, vector }: Pick<PointRecord, 'payload' | 'vector'>): Float32Array | undefined {
  const numbers = (vector as Record<string, number[]> | null | undefined)?.[DENSE];
  const { given } = (payload ?? {}) as Partial<Payload>;
  if (!numbers || given === undefined) return numbers && Float32Array.from(numbers);
  return new Float32Array(Uint8Array.from(Buffer.from(given, 'base64')).buffer);
}
