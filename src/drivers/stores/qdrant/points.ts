import type { Metadata } from '../../../schema/items.ts';
import type { StoredChunk } from '../../../ports/stores.ts';
import { asNumber, scalars, shortened, type Scalar } from '../scalars.ts';
import type { Point, PointRecord } from './connect.ts';
import { textVector } from './text-vector.ts';

/** The names of a point's two vectors. */
export const DENSE = 'dense';
export const TEXT = 'text';

/**
 * What lies beside the vectors. `fields` and `numbers` hold the scalars of the metadata for filters, whatever their keys: keys are values here, so
 * that none can be taken for a path. `metadata` is a text, which comes back as it was, in the order of its keys. Of `embed_text` that ends with the
 * text, as nearly all does, only the beginning is kept (`lead`). `given`: the vector where it is not of unit length, which Qdrant would make it.
 */
interface Payload {
  id: string;
  text: string;
  lead?: string;
  embed_text?: string;
  source: string;
  source_kind: string;
  metadata: string;
  version?: string;
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
export const entry = (path: string, value: Scalar): string => safe(entryStart(path) + shortened(String(value)));

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

function payloadOf({ id, text, embed_text, source, metadata, version, siblings, vector }: StoredChunk, generation: number): Payload {
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
    ...(siblings ? { siblings } : {}),
    ...(vector && !isUnit(vector) ? { given: bytesOf(vector).toString('base64') } : {}),
    generation,
    fields: [...new Set(all.map(([path, value]) => entry(path, value)))],
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
  const { id, text, lead, embed_text, source, metadata, version, siblings, given } = payload as unknown as Payload;
  const whole = lead === undefined ? embed_text : lead + text;
  const numbers = (vector as Record<string, number[]> | null | undefined)?.[DENSE];
  return {
    id,
    text,
    ...(whole === undefined ? {} : { embed_text: whole }),
    source,
    metadata: JSON.parse(metadata) as Metadata,
    ...(version === undefined ? {} : { version }),
    ...(siblings === undefined ? {} : { siblings }),
    ...(numbers ? { vector: given === undefined ? Float32Array.from(numbers) : vectorOf(given) } : {}),
  };
}

const vectorOf = (given: string): Float32Array => new Float32Array(Uint8Array.from(Buffer.from(given, 'base64')).buffer);
