import { findSorted } from '../../../core/sorted-numbers.ts';
import { randomUUID } from 'node:crypto';
import { KbError } from '../../../core/errors.ts';
import type { Schemas } from '@qdrant/js-client-rest';

/** Counts of terms by their indices (`termIndex`), in ascending order. */
export interface WordCounts {
  indices: Uint32Array;
  counts: Int32Array;
}

/** Empty counts. */
export const EMPTY_COUNTS: WordCounts = { indices: new Uint32Array(), counts: new Int32Array() };

/** Looks up the count of the term with an index; 0 if there is none. */
export function countAt({ indices, counts }: WordCounts, index: number): number {
  return counts[findSorted(indices, index)] ?? 0;
}

/** Adds up all counts. */
export const countAllWords = ({ counts }: WordCounts): number => counts.reduce((sum, count) => sum + count, 0);

/** Sorts counts by index; drops those of 0. */
export function toWordCounts(found: ReadonlyMap<number, number>): WordCounts {
  const entries = [...found].filter(([, count]) => count !== 0).toSorted(([a], [b]) => a - b);
  return { indices: Uint32Array.from(entries, ([index]) => index), counts: Int32Array.from(entries, ([, count]) => count) };
}

/** Adds two counts index by index; drops sums of 0. */
export function mergeCounts(one: WordCounts, other: WordCounts): WordCounts {
  const [indices, counts] = [
    new Uint32Array(one.indices.length + other.indices.length),
    new Int32Array(one.indices.length + other.indices.length),
  ];
  let [i, j, size] = [0, 0, 0];
  while (i < one.indices.length || j < other.indices.length) {
    const index = Math.min(one.indices[i] ?? Infinity, other.indices[j] ?? Infinity);
    let count = 0;
    if (one.indices[i] === index) count += one.counts[i++]!;
    if (other.indices[j] === index) count += other.counts[j++]!;
    if (count !== 0) [indices[size], counts[size++]] = [index, count];
  }
  return { indices: indices.slice(0, size), counts: counts.slice(0, size) };
}

/** Packs counts as text for a payload: for each term the difference to the previous index and the count (zigzag), as varints in base64. */
export function packCounts({ indices, counts }: WordCounts): string {
  const bytes = Buffer.alloc(10 * indices.length);
  let at = 0;
  const write = (value: number) => {
    for (; value > 0x7f; value = Math.floor(value / 0x80)) bytes[at++] = (value % 0x80) | 0x80;
    bytes[at++] = value;
  };
  for (const [i, index] of indices.entries()) {
    write(index - (indices[i - 1] ?? 0));
    const count = counts[i]!;
    write(count < 0 ? -2 * count - 1 : 2 * count);
  }
  return bytes.toString('base64', 0, at);
}

/** Reads what `packCounts` writes. */
export function unpackCounts(text: string): WordCounts {
  const bytes = Buffer.from(text, 'base64');
  const [indices, counts]: [number[], number[]] = [[], []];
  let [at, index] = [0, 0];
  const read = (): number => {
    let [value, scale] = [0, 1];
    for (; bytes[at]! > 0x7f; scale *= 0x80) value += (bytes[at++]! & 0x7f) * scale;
    return value + bytes[at++]! * scale;
  };
  while (at < bytes.length) {
    indices.push((index += read()));
    const zigzag = read();
    counts.push(zigzag % 2 ? -(zigzag + 1) / 2 : zigzag / 2);
  }
  return { indices: Uint32Array.from(indices), counts: Int32Array.from(counts) };
}

/** The statistics of a collection that BM25 needs. */
export interface Weights {
  /** The mean number of terms of a chunk. */
  average: number;
  /** The inverse document frequency of a term. */
  idf(index: number): number;
}

// BM25 weighs a term by the number of chunks that hold it. Qdrant counts these per shard, so that chunks would rank differently in three shards than in one:
// therefore kb counts itself. The counts are stored in segments, which are points without vectors that the state lists. A write adds a segment with the
// counts that it adds and removes, and merges it with the last ones if those are not larger, so that there are few. Segments that no state lists are ignored.

/** A segment in the list of the state. */
export interface SegmentEntry {
  id: string;
  /** Number of its terms. */
  terms: number;
}

/** The part of a state that locates its statistics. */
interface StatisticsLocation {
  table: string;
  segments?: SegmentEntry[];
}

/** Counts of a segment: chunks with words, the words of all chunks, and the chunks that hold each term. Removals are negative. */
interface Segment {
  chunks: number;
  length: number;
  document_frequencies: WordCounts;
}

/** Maximum terms of a segment: 2 MB as a payload. */
const MAX_TERMS = 2 ** 18;
/** A smaller segment is treated as if it had this many terms when it is compared with the last one. */
const FEW_TERMS = 1_000;

/** Word counts of the chunks that a write adds and removes. */
interface Change {
  added: readonly WordCounts[];
  removed: readonly WordCounts[];
}

/** Word statistics of one collection; each segment is read once. */
export interface WordStatistics {
  /** Computes the statistics for BM25. Throws a KbError (`not_found`) if the segments are gone, because a newer state has replaced them. */
  weights(state: StatisticsLocation): Promise<Weights>;
  /** Prepares a change: the points to write, the segments for the next state to list, and the merged ones to remove once it is saved. */
  prepareChange(state: StatisticsLocation, change: Change): Promise<{ segments: SegmentEntry[]; points: Point[]; merged: string[] }>;
}

type Point = Schemas['PointStruct'];
type PointRecord = Schemas['Record'];

/** Creates the statistics of a collection. `read` reads points of a table; nothing is read before it is needed. */
export function wordStatistics(read: (table: string, ids: string[]) => Promise<PointRecord[]>): WordStatistics {
  let known = new Map<string, Segment>();
  const load = async ({ table, segments = [] }: StatisticsLocation): Promise<Segment[]> => {
    const ids = segments.map(({ id }) => id).filter((id) => !known.has(id));
    const found = ids.length > 0 ? await read(table, ids) : [];
    const all = new Map([...known, ...found.map((point) => [point.id as string, readSegment(point)] as const)]);
    known = new Map(segments.flatMap(({ id }) => (all.has(id) ? [[id, all.get(id)!] as const] : [])));
    if (known.size < segments.length) throw new KbError('not_found', 'The statistics of the words are not there.');
    return segments.map(({ id }) => all.get(id)!);
  };
  return {
    weights: async (state) => computeWeights(await load(state)),
    prepareChange: async (state, change) => {
      let segment = toSegment(change);
      const kept = [...(state.segments ?? [])];
      if (segment.length === 0 && segment.document_frequencies.indices.length === 0) return { segments: kept, points: [], merged: [] };
      const stored = await load(state);
      const merged: string[] = [];
      for (let last = kept.at(-1); last && isMergeable(last, segment); last = kept.at(-1)) {
        segment = mergeSegments(stored[kept.length - 1]!, segment);
        merged.push(kept.pop()!.id);
      }
      const id = randomUUID();
      known.set(id, segment);
      return {
        segments: [...kept, { id, terms: segment.document_frequencies.indices.length }],
        points: [toSegmentPoint(id, segment)],
        merged,
      };
    },
  };
}

const isMergeable = ({ terms }: SegmentEntry, { document_frequencies: { indices } }: Segment): boolean =>
  terms <= 2 * Math.max(indices.length, FEW_TERMS) && terms + indices.length <= MAX_TERMS;

function computeWeights(segments: readonly Segment[]): Weights {
  const chunks = segments.reduce((sum, segment) => sum + segment.chunks, 0);
  const length = segments.reduce((sum, segment) => sum + segment.length, 0);
  return {
    average: chunks > 0 ? length / chunks : 1,
    idf: (index) => {
      const document_frequencies = segments.reduce((sum, segment) => sum + countAt(segment.document_frequencies, index), 0);
      return Math.log1p((chunks - document_frequencies + 0.5) / (document_frequencies + 0.5));
    },
  };
}

function toSegment({ added, removed }: Change): Segment {
  const document_frequencies = new Map<number, number>();
  for (const [chunks, sign] of [[added, 1] as const, [removed, -1] as const])
    for (const { indices } of chunks)
      for (const index of indices) document_frequencies.set(index, (document_frequencies.get(index) ?? 0) + sign);
  const countWords = (chunks: readonly WordCounts[]) => chunks.reduce((sum, chunk) => sum + countAllWords(chunk), 0);
  const count = (chunks: readonly WordCounts[]) => chunks.filter(({ indices }) => indices.length > 0).length;
  return {
    chunks: count(added) - count(removed),
    length: countWords(added) - countWords(removed),
    document_frequencies: toWordCounts(document_frequencies),
  };
}

const mergeSegments = (one: Segment, other: Segment): Segment => ({
  chunks: one.chunks + other.chunks,
  length: one.length + other.length,
  document_frequencies: mergeCounts(one.document_frequencies, other.document_frequencies),
});

const toSegmentPoint = (id: string, { chunks, length, document_frequencies }: Segment): Point => ({
  id,
  vector: {},
  payload: { chunks, length, words: packCounts(document_frequencies), written: Date.now() },
});

function readSegment({ payload }: PointRecord): Segment {
  const { chunks, length, words } = payload as unknown as { chunks: number; length: number; words: string };
  return { chunks, length, document_frequencies: words ? unpackCounts(words) : EMPTY_COUNTS };
}
