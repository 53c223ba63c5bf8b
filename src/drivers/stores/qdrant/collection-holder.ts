import { KbError, hasCode } from '../../../core/errors.ts';
import { currentSignal, waitFor } from '../../../core/run.ts';
import type { CollectionInfo, StoredChunk } from '../../../ports/stores.ts';
import { type Payload, safe, wordCountsIn } from './points.ts';
import { NO_WORDS, type WordCounts, type WordStatistics, wordStatistics } from './word-statistics.ts';
import type { Ask, Condition, PointRecord } from './qdrant-connection.ts';
import { conditionsOf } from './qdrant-filter.ts';
import type { Filter } from '../../../schema/stored/filter.ts';
import type { ChunkCache } from '../chunk-cache.ts';
import { changeState, isSameState, LOOK_EVERY, type State, stateAt, stateIn, visiblePoints } from './collection-state.ts';

/** Maximum attempts of a read that a writer interrupts: each takes as long as one response, and writers are rarely that quick twice. */
const READS = 20;

type Read<T> = (state: State, noteState: (point: PointRecord | undefined) => State | undefined) => Promise<T>;

/** Holds a collection open, whatever other processes do to it. */
export interface CollectionHolder {
  readonly ask: Ask;
  /** Its name in Qdrant: an alias, which may lead to another table later, or the name of a draft. */
  readonly address: string;
  /** Its name and embedder, as far as known; every read and write updates them. */
  readonly info: CollectionInfo;
  /** Cache of the chunks that searches have read, of all collections of the store. */
  readonly chunks: ChunkCache;
  readonly words: WordStatistics;
  /**
   * Reads as of one state; `work` may be called several times. If `work` reads the point of the state with its last request, after everything that
   * depends on the state, it passes that point to `noteState`, which saves a request.
   */
  read<T>(work: Read<T>): Promise<T>;
  /** Runs writes one at a time in this process; `work` gets the function that changes the state. */
  write<T>(work: (change: ChangeState) => Promise<T>): Promise<T>;
  /** Takes over a state that was read elsewhere. */
  update(state: State): void;
}

/**
 * Changes the visible state in one step, and returns the state that it has saved. `next` derives it from the latest state, and is called
 * again if another writer was quicker. `isOurs`: nobody else has written since this process made the collection.
 */
export type ChangeState = (next: (state: State, isOurs: boolean) => Promise<State | undefined>) => Promise<State>;

/** Throws a KbError (`conflict`) if another process has taken over the lock of the collection. */
export type MayWritePoints = (name: string) => Promise<void>;

interface HolderOptions {
  ask: Ask;
  /** Returns the state to write to; waits while another table is about to replace this one. */
  stateToWrite(load: () => Promise<State>): Promise<State>;
  chunks: ChunkCache;
  state: State;
  mayWrite: MayWritePoints;
  /** Whether this process has just created it. */
  isNew?: boolean;
}

/** Opens a collection at an address, with a state that was read before. */
export function holdCollection(
  address: string,
  { ask, chunks, state, mayWrite, stateToWrite, isNew = false }: HolderOptions,
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
    words: wordStatistics((collection_name, ids) => ask((api, init) => api.getPoints({ collection_name, ids, with_payload: true }, init))),
    get info() {
      const { name, provider, model, dimensions } = known;
      return { name, provider, model, dimensions };
    },
    read: (work) => readAsOf(known, { work, load }),
    write: (work) => {
      const change: ChangeState = async (next) => {
        const writable = { load: () => stateToWrite(load), mayWrite: () => mayWrite(known.name) };
        const changed = await changeState(ask, (now) => next(now, now.version === saved), writable);
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
    update: (found) => void (known = found),
  };
}

/** Reads as of the state that was known last, which is usually the current one: that saves a request. */
async function readAsOf<T>(known: State, { work, load }: { work: Read<T>; load: (seen?: State) => Promise<State> }): Promise<T> {
  let before = known;
  for (let reads = 1; ; reads++) {
    let seen: State | undefined;
    const outcome = await work(before, (point) => (seen = stateIn(point))).then(
      (value) => ({ value }),
      (error: unknown) => {
        if (hasCode(error, 'not_found', 'invalid')) return { error }; // it may have been correct for an earlier state
        throw error;
      },
    );
    const after = await load(seen);
    if (isSameState(before, after)) {
      if ('value' in outcome) return outcome.value;
      if (outcome.error.code !== 'not_found' || reads === READS) throw outcome.error;
      await waitFor(LOOK_EVERY, currentSignal()); // a replica that lags behind may lack what the state names
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

/**
 * Yields the visible points in pages, in the order of writing. A document that is replaced between two pages may be met twice. Throws a
 * KbError (`conflict`) if the collection is replaced.
 */
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
        offset,
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

/** Points per page, if they are read without vectors. */
export const POINTS_PER_PAGE = 1_000;

/** Converts a filter to conditions of Qdrant. */
export const conditionsFrom = (holder: CollectionHolder, filter: Filter | undefined): Promise<Condition[]> =>
  conditionsOf(filter, (part, conditions) => pages(holder, { conditions, payload: [part], size: POINTS_PER_PAGE }));

/** What a write needs to know of a stored chunk that it removes. */
export interface StoredPoint {
  id: string;
  source: string;
  version: string | undefined;
  words: WordCounts;
}

/** Reads at most `most` of the points that match the conditions. */
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

/** Reads the stored chunks with the ids of the given ones, except those of the given sources. */
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
