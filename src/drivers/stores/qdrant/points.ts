import { hashTerm, searchedTerms, terms } from '../../../text/terms.ts';
import type { Metadata } from '../../../schema/items.ts';
import type { StoredChunk } from '../../../ports/stores.ts';
import type { FilterScalar } from '../../../schema/stored/filter.ts';
import { asNumber, scalars, shortened } from '../filter-values.ts';
import type { Point, PointRecord } from './qdrant-connection.ts';

// Qdrant has no BM25 index of its own that could be given our terms. It has sparse vectors, and multiplies each number of a query's by the inverse
// document frequency (modifier `idf`: ln((n - df + 0.5) / (df + 0.5) + 1), as in BM25). What is left of BM25 is how often a term stands in a
// chunk, against its length: that is the chunk's vector. https://qdrant.tech/documentation/concepts/indexing/#idf-modifier

/** BM25's usual constants (Robertson and Zaragoza, "The Probabilistic Relevance Framework", 2009): how soon repetition counts no more, how much length counts. */
const K1 = 1.2;
const B = 0.75;
/**
 * Terms of a chunk on average. BM25 takes that of the collection, which is not known when a chunk is written; measured for chunks of 1,000 characters
 * of scifact, nfcorpus, cranfield, squad and hotpotqa it was 90 to 141.
 */
const AVERAGE_LENGTH = 120;

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

/** What a chunk is found by; undefined where there is nothing. */
export function textVector(text: string): SparseVector | undefined {
  const found = terms(text);
  if (found.length === 0) return undefined;
  const counts = new Map<number, number>();
  for (const term of found) {
    const index = indexOf(term);
    counts.set(index, (counts.get(index) ?? 0) + 1);
  }
  const length = K1 * (1 - B + (B * found.length) / AVERAGE_LENGTH);
  return {
    indices: [...counts.keys()],
    values: Array.from(counts.values(), (count) => Math.fround((count * (K1 + 1)) / (count + length))),
  };
}

/** What is searched for: each term once. Undefined where there is nothing. */
export function queryVector(text: string): SparseVector | undefined {
  const indices = [...new Set(searchedTerms(text).map(indexOf))];
  return indices.length > 0 ? { indices, values: indices.map(() => 1) } : undefined;
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
  generation: number;
  fields: string[];
  numbers: { key: string; value: number }[];
}

/** The part of a payload that a chunk is made of again. */
export const CHUNK: (keyof Payload)[] = ['id', 'text', 'lead', 'embed_text', 'source', 'metadata', 'version', 'siblings', 'given'];

/** The indexes of a collection: everything that a filter of ours asks for. */
export const INDEXES = {
  id: 'keyword',
  source: 'keyword',
  generation: 'integer',
  fields: 'keyword',
  'numbers[].key': 'keyword',
  'numbers[].value': 'float',
} as const;

/** Before the value in an entry of `fields`. The length tells where a path ends, whatever is in it. */
export const entryStart = (path: string): string => `${path.length}:${path}:`;
export const entry = (path: string, value: FilterScalar): string => safe(entryStart(path) + shortened(String(value)));

/** What `fields` holds of a path that has any value. */
export const existence = (path: string): string => safe(entryStart(path).slice(0, -1));

/** JSON of a half surrogate pair is refused by the server. */
export const safe = (text: string): string => text.toWellFormed();

/** A point's id: its generation, and its place in it. Ids sort as numbers do, so that chunks come in the order in which they were written. */
function pointId(generation: number, place: number): string {
  const digits = generation.toString(16).padStart(16, '0') + place.toString(16).padStart(16, '0');
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/** Chunks as points of a generation. */
export const toPoints = (chunks: readonly StoredChunk[], generation: number): Point[] =>
  chunks.map((chunk, place) => {
    const text = textVector(chunk.embed_text ?? chunk.text);
    return {
      id: pointId(generation, place),
      vector: { ...(chunk.vector ? { [DENSE]: Array.from(chunk.vector) } : {}), ...(text ? { [TEXT]: text } : {}) },
      payload: { ...payloadOf(chunk, generation) },
    };
  });

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
