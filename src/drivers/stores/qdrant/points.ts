import { hashTerm, searchedTerms, terms } from '../../../text/terms.ts';
import type { Metadata } from '../../../schema/items.ts';
import type { StoredChunk } from '../../../ports/stores.ts';
import type { FilterScalar } from '../../../schema/stored/filter.ts';
import { asNumber, scalars, shortened } from '../filter-values.ts';
import type { Point, PointRecord } from './qdrant-connection.ts';
import { countAt, toWordCounts, packCounts, countAllWords, unpackCounts, type Weights, type WordCounts } from './word-counts.ts';

// Qdrant has no BM25 index that could be given our terms. It has sparse vectors: of a chunk's, each number says how often a term stands there, against the
// chunk's length; of a query's, how much the term tells (its inverse document frequency in the collection). Their product is BM25 but for the average
// length of chunks, which is not known when a chunk is written. So Qdrant finds the candidates, and their scores are computed from their counts.

/** BM25's usual constants (Robertson and Zaragoza, "The Probabilistic Relevance Framework", 2009): how soon repetition counts no more, how much length counts. */
const K1 = 1.2;
const B = 0.75;
/** Terms of a chunk on average, as far as stored vectors know. Measured for chunks of 1,000 characters of scifact, nfcorpus, cranfield, squad and hotpotqa: 90 to 141. */
const STORED_AVERAGE = 120;

/** How much `count` occurrences in a chunk of so many terms weigh. */
const saturated = (count: number, length: number, average: number): number =>
  (count * (K1 + 1)) / (count + K1 * (1 - B + (B * length) / average));

/** BM25 of a chunk for the terms at these places. */
export function bm25(own: WordCounts, places: readonly number[], { average, idf }: Weights): number {
  const length = countAllWords(own);
  return places.reduce((sum, place) => {
    const count = countAt(own, place);
    return count > 0 ? sum + idf(place) * saturated(count, length, average) : sum;
  }, 0);
}

export interface SparseVector {
  indices: number[];
  values: number[];
}

/** A term's place among the 2^32 of a sparse vector: FNV-1a over its UTF-16 units, its bits then mixed as MurmurHash3 ends. Two terms may share one. */
export function indexOf(term: string): number {
  let hash = hashTerm(term);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** The terms of a text. */
export function countTerms(text: string): WordCounts {
  const counts = new Map<number, number>();
  for (const term of terms(text)) {
    const place = indexOf(term);
    counts.set(place, (counts.get(place) ?? 0) + 1);
  }
  return toWordCounts(counts);
}

/** What a chunk of these terms is found by; undefined where it has none. */
export function textVector(words: WordCounts): SparseVector | undefined {
  if (words.places.length === 0) return undefined;
  const length = countAllWords(words);
  return {
    indices: Array.from(words.places),
    values: Array.from(words.counts, (count) => Math.fround(saturated(count, length, STORED_AVERAGE))),
  };
}

/** The places of what is searched for, each once. */
export const searchedPlaces = (text: string): number[] => [...new Set(searchedTerms(text).map(indexOf))];

/** What is searched for: each term once, by its weight. Undefined where there is nothing. */
export function queryVector(text: string, { idf }: Weights): SparseVector | undefined {
  const indices = searchedPlaces(text);
  return indices.length > 0 ? { indices, values: indices.map(idf) } : undefined;
}

/** The names of a point's two vectors. */
export const DENSE = 'dense';
export const TEXT = 'text';

/**
 * What lies beside the vectors. `fields` and `numbers` hold the scalars of the metadata for filters, whatever their keys: keys are values here, so
 * that none can be taken for a path. `metadata` is a text, which comes back as it was, in the order of its keys. Of `embed_text` that ends with the
 * text, as nearly all does, only the beginning is kept (`lead`). `given`: the vector where it is not of unit length, which Qdrant would make it.
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
  /** `chunk_count` of the port, under the name that it was first stored by. */
  siblings?: number;
  given?: string;
  /** The terms of the chunk (`packCounts`). */
  words?: string;
  /** The number of its write, or the generation that took the place of that. */
  generation: number;
  fields: string[];
  numbers: { key: string; value: number }[];
}

/** The part of a payload that a chunk is made of again. */
export const CHUNK: (keyof Payload)[] = ['id', 'text', 'lead', 'embed_text', 'source', 'metadata', 'version', 'siblings', 'given'];

/** The indexes of a collection: everything that a filter of ours asks for. `written` says when a segment of the words' statistics was. */
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

/** Before the value in an entry of `fields`. The length tells where a path ends, whatever is in it. */
export const entryStart = (path: string): string => `${path.length}:${path}:`;
export const entry = (path: string, value: FilterScalar): string => safe(entryStart(path) + shortened(String(value)));

/** What `fields` holds of a path that has any value. */
export const existence = (path: string): string => safe(entryStart(path).slice(0, -1));

/** JSON of a half surrogate pair is refused by the server. */
export const safe = (text: string): string => text.toWellFormed();

let last = 0;

/** Milliseconds since 1970, later than at every call before. */
const laterTime = (): number => (last = Math.max(Date.now(), last + 1));

const hex = (number: number, digits: number): string => number.toString(16).padStart(digits, '0');

/** A point's id: when its write began, the number of that, and its place in it. Ids sort as numbers do, so that chunks come in the order in which they were written. */
const pointId = (time: number, write: number, place: number): string =>
  (hex(time, 12) + hex(write, 12) + hex(place, 8)).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');

/** When the write of a point began, in milliseconds. */
export const writtenAt = (id: Point['id']): number => Number.parseInt(String(id).replaceAll('-', '').slice(0, 12), 16);

/** Chunks as points of a write. */
export function toPoints(chunks: readonly CountedChunk[], write: number): Point[] {
  const time = laterTime();
  return chunks.map(({ chunk, words }, place) => {
    const text = textVector(words);
    return {
      id: pointId(time, write, place),
      vector: { ...(chunk.vector ? { [DENSE]: Array.from(chunk.vector) } : {}), ...(text ? { [TEXT]: text } : {}) },
      payload: { ...payloadOf(chunk, write), ...(text ? { words: packCounts(words) } : {}) },
    };
  });
}

/** A chunk with its terms. */
export interface CountedChunk {
  chunk: StoredChunk;
  words: WordCounts;
}

export const countedChunk = (chunk: StoredChunk): CountedChunk => ({ chunk, words: countTerms(chunk.embed_text ?? chunk.text) });

/** The terms of the chunk that a point holds; undefined where they were not read. */
export const wordCountsIn = ({ payload }: Pick<PointRecord, 'payload'>): WordCounts | undefined => {
  const words = payload?.['words'] as string | undefined;
  return words === undefined ? undefined : unpackCounts(words);
};

function payloadOf({ id, text, embed_text, source, metadata, version, chunk_count, vector }: StoredChunk, generation: number): Payload {
  const all = [...scalars(metadata)];
  const kind = metadata['source_kind'];
  return {
    id: safe(id),
    text: safe(text),
    ...(embed_text === undefined ? {} : leadOrWhole(embed_text, text)),
    source: safe(source),
    source_kind: typeof kind === 'string' ? safe(kind) : '',
    metadata: JSON.stringify(metadata),
    ...(version === undefined ? {} : { version: safe(version) }),
    ...(chunk_count ? { siblings: chunk_count } : {}),
    ...(vector && !isUnit(vector) ? { given: bytesOf(vector).toString('base64') } : {}),
    generation,
    fields: [...new Set(all.flatMap(([path, value]) => [existence(path), entry(path, value)]))],
    numbers: all.flatMap(([path, value]) => {
      const number = asNumber(value);
      return number === undefined || !Number.isFinite(number) ? [] : [{ key: safe(path), value: number }];
    }),
  };
}

const leadOrWhole = (embed_text: string, text: string): { lead: string } | { embed_text: string } =>
  embed_text.endsWith(text) ? { lead: safe(embed_text.slice(0, embed_text.length - text.length)) } : { embed_text: safe(embed_text) };

const bytesOf = (vector: Float32Array): Buffer => Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength);

/** Whether Qdrant leaves a vector as it is: it does up to 1e-6 from 1 (`cosine_preprocess` in its source), summed in single precision. */
const isUnit = (vector: Float32Array): boolean => Math.abs(vector.reduce((sum, x) => sum + x * x, 0) - 1) < 5e-7;

/** The chunk that a point holds, as it was given; with its vector where that was read. */
export function toChunk({ payload, vector }: Pick<PointRecord, 'payload' | 'vector'>): StoredChunk {
  const { id, text, lead, embed_text, source, metadata, version, siblings } = payload as unknown as Payload;
  const whole = lead === undefined ? embed_text : lead + text;
  const own = vectorIn({ payload, vector });
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

/** The vector of a point as it was given; undefined where it has none or it was not read. */
export function vectorIn({ payload, vector }: Pick<PointRecord, 'payload' | 'vector'>): Float32Array | undefined {
  const numbers = (vector as Record<string, number[]> | null | undefined)?.[DENSE];
  const { given } = (payload ?? {}) as Partial<Payload>;
  if (!numbers || given === undefined) return numbers && Float32Array.from(numbers);
  return new Float32Array(Uint8Array.from(Buffer.from(given, 'base64')).buffer);
}
