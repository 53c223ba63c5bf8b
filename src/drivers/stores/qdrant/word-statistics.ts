import { randomUUID } from 'node:crypto';
import { KbError } from '../../../core/errors.ts';
import type { Ask, Point, PointRecord } from './qdrant-connection.ts';
import {
  countAt,
  NO_WORDS,
  toWordCounts,
  mergeCounts,
  packCounts,
  countAllWords,
  unpackCounts,
  type Weights,
  type WordCounts,
} from './word-counts.ts';

// BM25 weighs a term by how many chunks hold it. Qdrant would count that by shard: the same chunks in three shards were ranked otherwise than in one. So we
// count. The counts of a collection lie in segments, which are points without vectors that the state names. A write adds a segment with what it adds
// and removes, merged with the last ones where they are no larger: so there are few. What no state names does not count, whoever has left it.

/** A segment, as the state names it. */
export interface SegmentName {
  id: string;
  /** How many terms it holds. */
  terms: number;
}

/** The part of a collection's state that says where its statistics lie. */
interface Place {
  table: string;
  segments?: SegmentName[];
}

/** What a segment adds to the collection: chunks that hold words, words in all, and how many chunks hold each term. What is removed is negative. */
interface Segment {
  chunks: number;
  length: number;
  holding: WordCounts;
}

/** Terms of a segment at most: 2 MB as a payload. */
const MOST_TERMS = 2 ** 18;
/** Smaller segments are merged with the last one as if they had so many. */
const FEW_TERMS = 1_000;

/** What a write changes: the words of the chunks that come and go. */
interface Change {
  added: readonly WordCounts[];
  removed: readonly WordCounts[];
}

/** The statistics of one collection, each segment of which is read once. */
export interface WordStatistics {
  /** Throws a KbError (`not_found`) where another state has come and its segments have gone. */
  weights(state: Place): Promise<Weights>;
  /** What is to be written and named by the next state, and what may be removed when that is saved. */
  next(state: Place, change: Change): Promise<{ segments: SegmentName[]; points: Point[]; merged: string[] }>;
}

export function wordStatistics(ask: Ask): WordStatistics {
  let known = new Map<string, Segment>();
  const load = async ({ table, segments = [] }: Place): Promise<Segment[]> => {
    const ids = segments.map(({ id }) => id).filter((id) => !known.has(id));
    const found = ids.length > 0 ? await ask((api, init) => api.getPoints({ collection_name: table, ids, with_payload: true }, init)) : [];
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
