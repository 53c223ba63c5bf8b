import { findSorted } from '../../../core/sorted-numbers.ts';
import { randomUUID } from 'node:crypto';
import { KbError } from '../../../core/errors.ts';
import type { Schemas } from '@qdrant/js-client-rest';

/** Counts of terms by their places (`indexOf`), in ascending order. */
export interface WordCounts {
  places: Uint32Array;
  counts: Int32Array;
}

/** Empty counts. */
export const NO_WORDS: WordCounts = { places: new Uint32Array(), counts: new Int32Array() };

/** Looks up the count of the term at a place; 0 if there is none. */
export function countAt({ places, counts }: WordCounts, place: number): number {
  return counts[findSorted(places, place)] ?? 0;
}

/** Adds up all counts. */
export const countAllWords = ({ counts }: WordCounts): number => counts.reduce((sum, count) => sum + count, 0);

/** Sorts counts by place; drops those of 0. */
export function toWordCounts(found: ReadonlyMap<number, number>): WordCounts {
  const entries = [...found].filter(([, count]) => count !== 0).toSorted(([a], [b]) => a - b);
  return { places: Uint32Array.from(entries, ([place]) => place), counts: Int32Array.from(entries, ([, count]) => count) };
}

/** Adds two counts place by place; drops sums of 0. */
export function mergeCounts(one: WordCounts, other: WordCounts): WordCounts {
  const [places, counts] = [
    new Uint32Array(one.places.length + other.places.length),
    new Int32Array(one.places.length + other.places.length),
  ];
  let [i, j, size] = [0, 0, 0];
  while (i < one.places.length || j < other.places.length) {
    const place = Math.min(one.places[i] ?? Infinity, other.places[j] ?? Infinity);
    let count = 0;
    if (one.places[i] === place) count += one.counts[i++]!;
    if (other.places[j] === place) count += other.counts[j++]!;
    if (count !== 0) [places[size], counts[size++]] = [place, count];
  }
  return { places: places.slice(0, size), counts: counts.slice(0, size) };
}

/** Packs counts as text for a payload: for each term the distance to the place before and the count (zigzag), as varints in base64. */
export function packCounts({ places, counts }: WordCounts): string {
  const bytes = Buffer.alloc(10 * places.length);
  let at = 0;
  const write = (value: number) => {
    for (; value > 0x7f; value = Math.floor(value / 0x80)) bytes[at++] = (value % 0x80) | 0x80;
    bytes[at++] = value;
  };
  for (const [i, place] of places.entries()) {
    write(place - (places[i - 1] ?? 0));
    const count = counts[i]!;
    write(count < 0 ? -2 * count - 1 : 2 * count);
  }
  return bytes.toString('base64', 0, at);
}

/** Reads what `packCounts` writes. */
export function unpackCounts(text: string): WordCounts {
  const bytes = Buffer.from(text, 'base64');
  const [places, counts]: [number[], number[]] = [[], []];
  let [at, place] = [0, 0];
  const read = (): number => {
    let [value, scale] = [0, 1];
    for (; bytes[at]! > 0x7f; scale *= 0x80) value += (bytes[at++]! & 0x7f) * scale;
    return value + bytes[at++]! * scale;
  };
  while (at < bytes.length) {
    places.push((place += read()));
    const zigzag = read();
    counts.push(zigzag % 2 ? -(zigzag + 1) / 2 : zigzag / 2);
  }
  return { places: Uint32Array.from(places), counts: Int32Array.from(counts) };
}

/** The figures of a collection that BM25 needs. */
export interface Weights {
  /** The mean number of terms of a chunk. */
  average: number;
  /** The inverse document frequency of a term. */
  idf(place: number): number;
}

// BM25 weighs a term by the number of chunks that hold it. Qdrant counts that per shard, so the same chunks would rank differently in three shards than in
// one. So kb counts. The counts of a collection are kept in segments, which are points without vectors that the state lists. A write adds a segment with
// what it adds and removes, merged with the last ones if they are not larger: so there are few. A segment that no state lists does not count.

/** A segment in the list of the state. */
export interface SegmentName {
  id: string;
  /** Number of its terms. */
  terms: number;
}

/** The part of a state that locates its statistics. */
interface Place {
  table: string;
  segments?: SegmentName[];
}

/** Counts of a segment: chunks that hold words, words in all, and chunks that hold each term. Removals are negative. */
interface Segment {
  chunks: number;
  length: number;
  holding: WordCounts;
}

/** Maximum terms of a segment: 2 MB as a payload. */
const MOST_TERMS = 2 ** 18;
/** Minimum size that a segment counts with when it is compared with the last one. */
const FEW_TERMS = 1_000;

/** Word counts of the chunks that a write adds and removes. */
interface Change {
  added: readonly WordCounts[];
  removed: readonly WordCounts[];
}

/** Word statistics of one collection; each segment is read once. */
export interface WordStatistics {
  /** Computes the figures for BM25. Throws a KbError (`not_found`) if the segments are gone, because another state has come. */
  weights(state: Place): Promise<Weights>;
  /** Prepares a change: the points to write, the segments that the next state lists, and those that may be removed once it is saved. */
  next(state: Place, change: Change): Promise<{ segments: SegmentName[]; points: Point[]; merged: string[] }>;
}

type Point = Schemas['PointStruct'];
type PointRecord = Schemas['Record'];

/** Creates the statistics of a collection. `read` reads points of a table; it is not called before they are needed. */
export function wordStatistics(read: (table: string, ids: string[]) => Promise<PointRecord[]>): WordStatistics {
  let known = new Map<string, Segment>();
  const load = async ({ table, segments = [] }: Place): Promise<Segment[]> => {
    const ids = segments.map(({ id }) => id).filter((id) => !known.has(id));
    const found = ids.length > 0 ? await read(table, ids) : [];
    const all = new Map([...known, ...found.map((point) => [point.id as string, readSegment(point)] as const)]);
    known = new Map(segments.flatMap(({ id }) => (all.has(id) ? [[id, all.get(id)!] as const] : [])));
    if (known.size < segments.length) throw new KbError('not_found', 'The statistics of the words are not there.');
    return segments.map(({ id }) => all.get(id)!);
  };
  return {
    weights: async (state) => weightsOf(await load(state)),
    next: async (state, change) => {
      let segment = segmentOf(change);
      const kept = [...(state.segments ?? [])];
      if (segment.length === 0 && segment.holding.places.length === 0) return { segments: kept, points: [], merged: [] };
      const stored = await load(state);
      const merged: string[] = [];
      for (let last = kept.at(-1); last && fits(last, segment); last = kept.at(-1)) {
        segment = join(stored[kept.length - 1]!, segment);
        merged.push(kept.pop()!.id);
      }
      const id = randomUUID();
      known.set(id, segment);
      return { segments: [...kept, { id, terms: segment.holding.places.length }], points: [toPoint(id, segment)], merged };
    },
  };
}

const fits = ({ terms }: SegmentName, { holding: { places } }: Segment): boolean =>
  terms <= 2 * Math.max(places.length, FEW_TERMS) && terms + places.length <= MOST_TERMS;

function weightsOf(segments: readonly Segment[]): Weights {
  const chunks = segments.reduce((sum, segment) => sum + segment.chunks, 0);
  const length = segments.reduce((sum, segment) => sum + segment.length, 0);
  return {
    average: chunks > 0 ? length / chunks : 1,
    idf: (place) => {
      const holding = segments.reduce((sum, segment) => sum + countAt(segment.holding, place), 0);
      return Math.log1p((chunks - holding + 0.5) / (holding + 0.5));
    },
  };
}

function segmentOf({ added, removed }: Change): Segment {
  const holding = new Map<number, number>();
  for (const [chunks, sign] of [[added, 1] as const, [removed, -1] as const])
    for (const { places } of chunks) for (const place of places) holding.set(place, (holding.get(place) ?? 0) + sign);
  const lengthOf = (chunks: readonly WordCounts[]) => chunks.reduce((sum, chunk) => sum + countAllWords(chunk), 0);
  const count = (chunks: readonly WordCounts[]) => chunks.filter(({ places }) => places.length > 0).length;
  return { chunks: count(added) - count(removed), length: lengthOf(added) - lengthOf(removed), holding: toWordCounts(holding) };
}

const join = (one: Segment, other: Segment): Segment => ({
  chunks: one.chunks + other.chunks,
  length: one.length + other.length,
  holding: mergeCounts(one.holding, other.holding),
});

const toPoint = (id: string, { chunks, length, holding }: Segment): Point => ({
  id,
  vector: {},
  payload: { chunks, length, words: packCounts(holding), written: Date.now() },
});

function readSegment({ payload }: PointRecord): Segment {
  const { chunks, length, words } = payload as unknown as { chunks: number; length: number; words: string };
  return { chunks, length, holding: words ? unpackCounts(words) : NO_WORDS };
}
