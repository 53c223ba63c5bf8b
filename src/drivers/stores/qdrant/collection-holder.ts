import { KbError, hasCode } from '../../../core/errors.ts';
import { currentSignal, waitFor } from '../../../core/run.ts';
import type { CollectionInfo, StoredChunk } from '../../../ports/stores.ts';
import { type Payload, toWellFormed, readWordCounts } from './points.ts';
import { EMPTY_COUNTS, type WordCounts, type WordStatistics, wordStatistics } from './word-statistics.ts';
import type { SendRequest, Condition, PointRecord } from './qdrant-connection.ts';
import { filterConditions } from './qdrant-filter.ts';
import type { Filter } from '../../../schema/stored/filter.ts';
import type { ChunkCache } from '../chunk-cache.ts';
import {
  changeState,
  isSameState,
  STATE_CHECK_INTERVAL,
  type CollectionState,
  readState,
  parseState,
  visiblePoints,
} from './collection-state.ts';

/** Maximum attempts of a read during which the state changes: an attempt takes as long as a response, and two quick writes in a row are rare. */
const MAX_READS = 20;

type ReadWork<T> = (state: CollectionState, noteState: (point: PointRecord | undefined) => CollectionState | undefined) => Promise<T>;

/** Holds a collection open, and follows its replacement by other processes. */
export interface CollectionHolder {
  readonly send: SendRequest;
  /** Its name in Qdrant: an alias, which may later point to another table, or the name of a draft. */
  readonly address: string;
  /** Its name and embedder, as far as known; every read and write updates them. */
  readonly info: CollectionInfo;
  /** Cache of the chunks that searches have read, of all collections of the store. */
  readonly chunks: ChunkCache;
  readonly words: WordStatistics;
  /**
   * Reads as of one state; `work` may be called several times. If the last request of `work` also reads the state point, `work` passes that to `noteState`,
   * which saves a request.
   */
  read<T>(work: ReadWork<T>): Promise<T>;
  /** Runs writes one at a time in this process; `work` gets the function that changes the state. */
  write<T>(work: (change: ChangeState) => Promise<T>): Promise<T>;
  /** Adopts a state that was read elsewhere. */
  update(state: CollectionState): void;
}

/**
 * Atomically changes the visible state, and returns the saved state. `next` derives it from the latest state, and is called again if another writer has
 * changed the state meanwhile. `isOurs`: no other process has written since this one created the collection.
 */
export type ChangeState = (
  next: (state: CollectionState, isOurs: boolean) => Promise<CollectionState | undefined>,
) => Promise<CollectionState>;

/** Throws a KbError (`conflict`) if another process has taken over the lock of the collection. */
export type AssertLockHeld = (name: string) => Promise<void>;

interface HolderOptions {
  send: SendRequest;
  /** Loads the state for a write; waits while another table is about to replace this one. */
  loadWritable(load: () => Promise<CollectionState>): Promise<CollectionState>;
  chunks: ChunkCache;
  state: CollectionState;
  assertLockHeld: AssertLockHeld;
  /** Whether this process has just created it. */
  isNew?: boolean;
}

/** Opens a collection at an address; `state` was read before. */
export function holdCollection(
  address: string,
  { send, chunks, state, assertLockHeld, loadWritable, isNew = false }: HolderOptions,
): CollectionHolder {
  let known = state;
  let saved = isNew ? state.version : undefined;
  let last: Promise<unknown> = Promise.resolve();
  const load = async (seen?: CollectionState): Promise<CollectionState> => {
    const found = seen ?? (await readState(send, address));
    if (!found) throw new KbError('not_found', `The collection "${known.name}" was removed meanwhile.`);
    return (known = found);
  };
  return {
    send,
    address,
    chunks,
    words: wordStatistics((collection_name, ids) => send((api, init) => api.getPoints({ collection_name, ids, with_payload: true }, init))),
    get info() {
      const { name, provider, model, dimensions } = known;
      return { name, provider, model, dimensions };
    },
    read: (work) => readAsOf(known, { work, load }),
    write: (work) => {
      const change: ChangeState = async (next) => {
        const writable = { load: () => loadWritable(load), assertLockHeld: () => assertLockHeld(known.name) };
        const changed = await changeState(send, (now) => next(now, now.version === saved), writable);
        if (changed.version !== saved) saved = saved !== undefined && changed.history.at(-1) === saved ? changed.version : undefined;
        return (known = changed);
      };
      const turn = last.then(async () => {
        await assertLockHeld(known.name);
        return await work(change);
      });
      last = turn.catch(() => {});
      return turn;
    },
    update: (found) => void (known = found),
  };
}

/** Reads as of the last known state first, which is usually current: that saves a request. */
async function readAsOf<T>(
  known: CollectionState,
  { work, load }: { work: ReadWork<T>; load: (seen?: CollectionState) => Promise<CollectionState> },
): Promise<T> {
  let before = known;
  for (let reads = 1; ; reads++) {
    let seen: CollectionState | undefined;
    const outcome = await work(before, (point) => (seen = parseState(point))).then(
      (value) => ({ value }),
      (error: unknown) => {
        if (hasCode(error, 'not_found', 'invalid')) return { error }; // the request may have fitted only an outdated state
        throw error;
      },
    );
    const after = await load(seen);
    if (isSameState(before, after)) {
      if ('value' in outcome) return outcome.value;
      if (outcome.error.code !== 'not_found' || reads === MAX_READS) throw outcome.error;
      await waitFor(STATE_CHECK_INTERVAL, currentSignal()); // a lagging replica may lack points that the state lists
    }
    if (reads === MAX_READS)
      throw new KbError('unavailable', `The collection "${after.name}" changes faster than it can be read.`, {
        hint: 'Ask again when what is being written is done.',
        isRetryable: true,
      });
    before = after;
  }
}

interface PageRequest {
  conditions?: readonly Condition[];
  payload: readonly string[];
  vectors?: readonly string[];
  /** Points of a page. */
  size: number;
}

/**
 * Yields the visible points in pages, in the order of writing. A document that is replaced between two pages may appear twice. Throws a KbError (`conflict`)
 * if the collection is replaced.
 */
export async function* readPages(
  holder: CollectionHolder,
  { conditions = [], payload, vectors = [], size }: PageRequest,
): AsyncGenerator<PointRecord[], void, void> {
  let offset: PointRecord['id'] | undefined;
  let table: string | undefined;
  do {
    const page = await holder.read(async (state) => {
      if (table !== undefined && state.table !== table) throw replacedError(state);
      const scroll = {
        collection_name: holder.address,
        filter: visiblePoints(state, conditions),
        limit: size,
        with_payload: [...payload],
        with_vector: vectors.length > 0 ? [...vectors] : false,
        offset,
      };
      const found = await holder.send((api, init) => api.scrollPoints(scroll, init));
      return { ...found, table: state.table };
    });
    table = page.table;
    offset = (page.next_page_offset ?? undefined) as PointRecord['id'] | undefined;
    if (page.points.length > 0) yield page.points;
  } while (offset !== undefined);
}

const replacedError = ({ name }: CollectionState): KbError =>
  new KbError('conflict', `Another collection took the place of "${name}" while it was read.`, {
    hint: 'Read it again.',
    isRetryable: true,
  });

/** Points per page, if they are read without vectors. */
export const POINTS_PER_PAGE = 1_000;

/** Converts a filter to conditions of Qdrant. */
export const resolveFilter = (holder: CollectionHolder, filter: Filter | undefined): Promise<Condition[]> =>
  filterConditions(filter, (part, conditions) => readPages(holder, { conditions, payload: [part], size: POINTS_PER_PAGE }));

/** The part of a stored chunk that a write needs to remove it. */
export interface StoredPoint {
  id: string;
  source: string;
  version: string | undefined;
  words: WordCounts;
}

/** Reads at most `limit` of the points that match the conditions. */
export async function readStoredPoints(holder: CollectionHolder, conditions: Condition[], limit = Infinity): Promise<StoredPoint[]> {
  const found: StoredPoint[] = [];
  for await (const page of readPages(holder, { conditions, payload: ['id', 'source', 'version', 'words'], size: POINTS_PER_PAGE })) {
    for (const point of page) {
      const { id, source, version } = point.payload as unknown as Payload;
      found.push({ id, source, version, words: readWordCounts(point) ?? EMPTY_COUNTS });
    }
    if (found.length >= limit) break;
  }
  return found.slice(0, limit);
}

/** Reads the stored chunks with the ids of the given ones, except those of the given sources. */
export async function readSameIds(
  holder: CollectionHolder,
  chunks: readonly StoredChunk[],
  sources: readonly string[],
): Promise<StoredPoint[]> {
  const found: StoredPoint[] = [];
  for (let at = 0; at < chunks.length; at += POINTS_PER_PAGE) {
    const withTheirIds: Condition = { key: 'id', match: { any: chunks.slice(at, at + POINTS_PER_PAGE).map(({ id }) => toWellFormed(id)) } };
    const elsewhere: Condition[] = sources.length > 0 ? [{ must_not: [{ key: 'source', match: { any: sources.map(toWellFormed) } }] }] : [];
    found.push(...(await readStoredPoints(holder, [withTheirIds, ...elsewhere])));
  }
  return found;
}
