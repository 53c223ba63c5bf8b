import { KbError, type ErrorCode } from '../../../core/errors.ts';
import { currentSignal, waitFor } from '../../../core/run.ts';
import type { CollectionInfo, StoredChunk } from '../../../ports/stores.ts';
import { type Payload, safe, wordCountsIn } from './points.ts';
import { NO_WORDS, type WordCounts } from './word-counts.ts';
import type { Ask, Condition, PointRecord } from './qdrant-connection.ts';
import { type WordStatistics, wordStatistics } from './word-statistics.ts';
import { conditionsOf } from './qdrant-filter.ts';
import type { Filter } from '../../../schema/stored/filter.ts';
import type { ChunkCache } from '../chunk-cache.ts';
import { changeState, isSameState, LOOK_EVERY, type State, stateAt, stateIn, visiblePoints } from './collection-state.ts';

/** How often a reader asks again because a writer came between: each time takes as long as one answer, and a writer is seldom that quick twice. */
const READS = 20;

type Read<T> = (state: State, see: (point: PointRecord | undefined) => State | undefined) => Promise<T>;

/** Holds a collection open, whatever other processes do to it. */
export interface CollectionHolder {
  readonly ask: Ask;
  /** The name by which Qdrant knows it: an alias, which may come to mean another collection, or a draft's own name. */
  readonly address: string;
  /** What it was made with, as far as is known; every reading and writing brings it up to date. */
  readonly info: CollectionInfo;
  /** What searches have read, of all collections of the store. */
  readonly chunks: ChunkCache;
  readonly words: WordStatistics;
  /**
   * Asks for something that is seen as of one state: `work` may be called several times. What reads the state along with its last request, after all
   * that the state decides on, tells it (`see`), and saves a request.
   */
  read<T>(work: Read<T>): Promise<T>;
  /** Writes, one at a time in this process; `work` gets the way to change the state. */
  write<T>(work: (change: ChangeState) => Promise<T>): Promise<T>;
  learn(state: State): void;
}

/**
 * Changes what is seen in one step, and returns the state that it has saved. `next` makes it of the latest state, and is asked again where another writer
 * was quicker. `isOurs`: nobody else has written since this process made the collection.
 */
export type ChangeState = (next: (state: State, isOurs: boolean) => Promise<State | undefined>) => Promise<State>;

/** Throws where the lock of the collection was taken and another has it by now. */
export type MayWritePoints = (name: string) => Promise<void>;

interface HolderOptions {
  ask: Ask;
  /** The state to write to, once it may be written to. */
  whenWritable(load: () => Promise<State>): Promise<State>;
  chunks: ChunkCache;
  state: State;
  mayWrite: MayWritePoints;
  /** Whether this process has just made it. */
  isNew?: boolean;
}

export function holdCollection(
  address: string,
  { ask, chunks, state, mayWrite, whenWritable, isNew = false }: HolderOptions,
): CollectionHolder {
  let known = state;
  let saved = isNew ? state.version : undefined;
  let last: Promise<unknown> = Promise.resolve();
  const load = async (seen?: State): Promise<State> => {
    const found = seen ?? (await stateAt(ask, address));
    if (!found) throw new KbError('not_found', `The collection «${known.name}» was removed meanwhile.`);
    return (known = found);
  };
  return {
    ask,
    address,
    chunks,
    words: wordStatistics(ask),
    get info() {
      const { name, provider, model, dimensions } = known;
      return { name, provider, model, dimensions };
    },
    read: (work) => readAsOf(known, { work, load }),
    write: (work) => {
      const change: ChangeState = async (next) => {
        const ways = { load: () => whenWritable(load), mayWrite: () => mayWrite(known.name) };
        const changed = await changeState(ask, (now) => next(now, now.version === saved), ways);
        if (changed.version !== saved) saved = saved !== undefined && changed.history.at(-1) === saved ? changed.version : undefined;
        return (known = changed);
      };
      const turn = last.then(async () => {
        await mayWrite(known.name);
        return await work(change);
      });
      last = turn.catch(() => {});
      return turn;
    },
    learn: (found) => void (known = found),
  };
}

/** What Qdrant answers to a question that was right for the collection of a moment ago. */
const MAY_BE_STALE: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['not_found', 'invalid']);

/** Asks as of the state that was known last; that of a moment ago it is mostly, and one question less. */
async function readAsOf<T>(known: State, { work, load }: { work: Read<T>; load: (seen?: State) => Promise<State> }): Promise<T> {
  let before = known;
  for (let reads = 1; ; reads++) {
    let seen: State | undefined;
    const outcome = await work(before, (point) => (seen = stateIn(point))).then(
      (value) => ({ value }),
      (error: unknown) => {
        if (error instanceof KbError && MAY_BE_STALE.has(error.code)) return { error };
        throw error;
      },
    );
    const after = await load(seen);
    if (isSameState(before, after)) {
      if ('value' in outcome) return outcome.value;
      if (outcome.error.code !== 'not_found' || reads === READS) throw outcome.error;
      await waitFor(LOOK_EVERY, currentSignal()); // a replica that is behind may lack what the state names
    }
    if (reads === READS)
      throw new KbError('unavailable', `The collection «${after.name}» changes faster than it can be read.`, {
        hint: 'Ask again when what is being written is done.',
        isRetryable: true,
      });
    before = after;
  }
}

interface Walk {
  conditions?: readonly Condition[];
  payload: readonly string[];
  vectors?: readonly string[];
  /** Points of a page. */
  size: number;
}

/** The points that count, in pages, in the order of writing; a document replaced between two pages may be met twice. Throws a KbError (`conflict`) if the collection is replaced. */
export async function* pages(
  holder: CollectionHolder,
  { conditions = [], payload, vectors = [], size }: Walk,
): AsyncGenerator<PointRecord[], void, void> {
  let offset: PointRecord['id'] | undefined;
  let table: string | undefined;
  do {
    const page = await holder.read(async (state) => {
      if (table !== undefined && state.table !== table) throw replaced(state);
      const scroll = {
        collection_name: holder.address,
        filter: visiblePoints(state, conditions),
        limit: size,
        with_payload: [...payload],
        with_vector: vectors.length > 0 ? [...vectors] : false,
        ...(offset === undefined ? {} : { offset }),
      };
      const found = await holder.ask((api, init) => api.scrollPoints(scroll, init));
      return { ...found, table: state.table };
    });
    table = page.table;
    offset = (page.next_page_offset ?? undefined) as PointRecord['id'] | undefined;
    if (page.points.length > 0) yield page.points;
  } while (offset !== undefined);
}

const replaced = ({ name }: State): KbError =>
  new KbError('conflict', `Another collection took the place of «${name}» while it was read.`, {
    hint: 'Read it again.',
    isRetryable: true,
  });

/** Points of a page without vectors. */
export const POINTS_PER_PAGE = 1_000;

/** The conditions of a filter. */
export const conditionsFrom = (holder: CollectionHolder, filter: Filter | undefined): Promise<Condition[]> =>
  conditionsOf(filter, (part, conditions) => pages(holder, { conditions, payload: [part], size: POINTS_PER_PAGE }));

/** What a write needs to know of a stored chunk that it removes. */
export interface StoredPoint {
  id: string;
  source: string;
  version: string | undefined;
  words: WordCounts;
}

/** So many of the points for which the conditions hold; all where nothing is said. */
export async function storedPoints(holder: CollectionHolder, conditions: Condition[], most = Infinity): Promise<StoredPoint[]> {
  const found: StoredPoint[] = [];
  for await (const page of pages(holder, { conditions, payload: ['id', 'source', 'version', 'words'], size: POINTS_PER_PAGE })) {
    for (const point of page) {
      const { id, source, version } = point.payload as unknown as Payload;
      found.push({ id, source, version, words: wordCountsIn(point) ?? NO_WORDS });
    }
    if (found.length >= most) break;
  }
  return found.slice(0, most);
}

/** The stored chunks that have the ids of these, but for those of the sources. */
export async function sameIds(
  holder: CollectionHolder,
  chunks: readonly StoredChunk[],
  sources: readonly string[],
): Promise<StoredPoint[]> {
  const found: StoredPoint[] = [];
  for (let at = 0; at < chunks.length; at += POINTS_PER_PAGE) {
    const wanted: Condition = { key: 'id', match: { any: chunks.slice(at, at + POINTS_PER_PAGE).map(({ id }) => safe(id)) } };
    const elsewhere: Condition[] = sources.length > 0 ? [{ must_not: [{ key: 'source', match: { any: sources.map(safe) } }] }] : [];
    found.push(...(await storedPoints(holder, [wanted, ...elsewhere])));
  }
  return found;
}
