import { operatorAdvice } from '../../../core/advice/advice.ts';
import { randomInt, randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { KbError, hasCode, ifCode } from '../../../core/errors.ts';
import type { CollectionInfo } from '../../../ports/stores.ts';
import { toWellFormed } from './points.ts';
import type { SendRequest, Condition, PointRecord, QdrantFilter } from './qdrant-connection.ts';
import type { SegmentEntry } from './word-statistics.ts';

// Qdrant has no transactions: it writes the points of a request one by one, and a reader may see half of them. So each collection has one state point that
// tells which points are visible. The points of a write become visible when the state changes, since a single point is written atomically.
//
//   A write has a random number. It first stores its chunks as points with this number, which are not visible yet. Then the state lists the number, and the
//   sources and ids of visible points that are retired; these are removed afterwards. If the writer dies in between, either the old chunks or the new ones
//   are visible. Several machines may write at once: write numbers and point ids are unique.
//
//   The state is changed by compare-and-set: Qdrant writes it only if the stored one is the one that the writer read (`update_filter`). Qdrant does not
//   report whether it wrote, so the writer reads the state back. If another writer was faster, it continues from the newer state; its points stay.
//
//   The list of writes is bounded: if it is long, its points are assigned a generation, and all points up to that generation are visible.
//
//   A reader requests the points that are visible in its state, then checks that the state has not changed; otherwise it reads again.

/** Version of the stored form. A collection of another form is refused, because kb could misread it; development versions had form 1. */
const FORM = 2;
/** Id of the point that holds the state; it has no vector, so no search finds it. */
export const STATE_POINT = 0;
/** Number of earlier versions that a state lists: a writer finds its own among them if others wrote before it read the state back. */
const HISTORY_LENGTH = 64;
/** Maximum attempts of a writer to change the state. */
const MAX_CHANGES = 100;
/** Maximum checks for the outcome of a write while a replica lags behind. */
const MAX_CHECKS = 20;
/** Milliseconds between two checks while waiting for another process or a replica. */
export const STATE_CHECK_INTERVAL = 100;
/** Smallest number of a write; generations are smaller. */
const FIRST_WRITE = 2 ** 32;

/** The visible points: those up to a generation, and those of further writes. */
interface VisibleWrites {
  generation: number;
  added: number[];
}

/** State of a collection: which points are visible, and where its word statistics are. */
export interface CollectionState extends CollectionInfo, VisibleWrites {
  form: number;
  /** The collection of Qdrant that holds it (a table). */
  table: string;
  /** Points that were visible before the last write and no longer are: those with these sources and ids. */
  retired?: (VisibleWrites & { sources: string[]; ids: string[] }) | undefined;
  /** The segments of the word statistics. */
  segments?: SegmentEntry[];
  /** Whether all points hold their word counts; only collections of development versions lack them. */
  words_counted?: boolean;
  /** Unique for each state; empty before the first one is saved. */
  version: string;
  /** Versions before this one, the latest last. */
  history: string[];
  /** The table that replaces this one; this one is closed to writes. */
  replaced_by?: string;
  /** When it was last written, in milliseconds. */
  written: number;
}

/** Makes the state of a new, empty table. */
export const createFirstState = ({ name, provider, model, dimensions }: CollectionInfo, table: string): CollectionState => ({
  name,
  provider,
  model,
  dimensions,
  form: FORM,
  table,
  generation: 0,
  added: [],
  words_counted: true,
  version: '',
  history: [],
  written: Date.now(),
});

/** Reads the state of a table by its name or alias; undefined if there is none, or none of kb. */
export async function readState(send: SendRequest, address: string): Promise<CollectionState | undefined> {
  const points = await send((api, init) =>
    api.getPoints({ collection_name: address, ids: [STATE_POINT], with_payload: true, with_vector: false }, init),
  ).catch(ifCode(['not_found'], []));
  return parseState(points[0]);
}

/** Extracts the state from its point. Throws a KbError (`configuration`) for another form. */
export function parseState(point: PointRecord | undefined): CollectionState | undefined {
  const state = point?.payload?.['kb'] as CollectionState | undefined;
  if (!state || (state.form === FORM && state.words_counted)) return state;
  const isLater = state.form > FORM;
  throw new KbError(
    'configuration',
    `The collection "${state.name}" in Qdrant was made by a ${isLater ? 'later' : 'development'} version of kb (form ${state.form}; this one reads ${FORM}).`,
    { hint: isLater ? operatorAdvice`Update kb, or use another collection.` : operatorAdvice`Drop it and ingest its sources again.` },
  );
}

const versionFilter = (value: string): QdrantFilter => ({ must: [{ key: VERSION_KEY, match: { value } }] });
/** Path of the version in the payload of the state point. */
export const VERSION_KEY = 'kb.version';

/** Makes the successor of the state `from`, or the first state. */
function toNextState(next: CollectionState, from?: CollectionState): CollectionState {
  const history = from ? [...from.history, from.version].slice(-HISTORY_LENGTH) : [];
  return { ...next, form: FORM, version: randomUUID().slice(0, 13), history, written: Date.now() };
}

const isInHistory = ({ version }: CollectionState, present: CollectionState): boolean =>
  present.version === version || present.history.includes(version);

/**
 * Writes the state if the stored one is `from`, or if there is none. False if another writer was faster, or the outcome is unknown.
 */
async function replaceState(send: SendRequest, saved: CollectionState, from?: CollectionState): Promise<boolean> {
  const { table, version } = saved;
  const update_filter = versionFilter(from?.version ?? version);
  const points = [{ id: STATE_POINT, vector: {}, payload: { kb: saved } }];
  const ordering = 'medium'; // one replica orders all writes; otherwise two replicas might accept different writers as the first
  await send((api, init) => api.upsertPoints({ collection_name: table, wait: true, ordering, points, update_filter }, init), 'write');
  for (let checks = 1; ; checks++) {
    const found = await readState(send, table);
    if (found && isInHistory(saved, found)) return true;
    if (!found || !from) return false;
    const isBehind = isInHistory(found, from); // a lagging replica: a later write exists, this one or another
    if (!isBehind && !isInHistory(from, found)) throw overtakenError(saved);
    if (!isBehind || checks === MAX_CHECKS) return false;
    await wait(STATE_CHECK_INTERVAL);
  }
}

/** Writes the first state of a table, or the successor of `from`; undefined if another writer was faster. */
export async function saveState(send: SendRequest, next: CollectionState, from?: CollectionState): Promise<CollectionState | undefined> {
  const saved = toNextState(next, from);
  return (await replaceState(send, saved, from)) ? saved : undefined;
}

const overtakenError = ({ name }: CollectionState): KbError =>
  new KbError('conflict', `Others write to "${name}" faster than this run can tell what became of its own write.`, {
    hint: 'Run it again: it goes on from what is stored.',
    isRetryable: true,
  });

/** Whether two states are the same, so that nothing was written in between. */
export const isSameState = (one: CollectionState, other: CollectionState): boolean =>
  one.table === other.table && one.version === other.version && one.generation === other.generation;

interface ChangeContext {
  load(): Promise<CollectionState>;
  /** Throws if the writer has lost its lock. */
  assertLockHeld(): Promise<void>;
}

/**
 * Atomically changes the latest state. `next` is called again if another writer was faster; it returns undefined if there is nothing to change.
 */
export async function changeState(
  send: SendRequest,
  next: (state: CollectionState) => Promise<CollectionState | undefined>,
  { load, assertLockHeld }: ChangeContext,
): Promise<CollectionState> {
  const tried: CollectionState[] = [];
  let laggingReads = 0; // how often a lagging replica lacked points that the state lists
  for (let changes = 1; changes <= MAX_CHANGES; changes++) {
    const state = await load();
    const done = tried.find((one) => isInHistory(one, state)); // this write had succeeded, but was read back from a lagging replica
    if (done) return done;
    const proposed = await next(state).catch(async (error: unknown) => {
      if (!hasCode(error, 'not_found')) throw error;
      if (isSameState(await load(), state)) {
        if (++laggingReads === MAX_CHECKS) throw error;
        await wait(STATE_CHECK_INTERVAL);
      }
      return 'again' as const;
    });
    if (proposed === undefined) return state;
    if (proposed !== 'again') {
      await assertLockHeld(); // checked again, because writing the points may have taken minutes
      const saved = toNextState(proposed, state);
      tried.push(saved);
      if (await replaceState(send, saved, state)) return saved;
    }
    await wait(Math.random() * 10 * Math.min(changes, 20));
  }
  throw overtakenError(await load());
}

/** Draws a random number for a new write. */
export const newWriteNumber = (): number => randomInt(FIRST_WRITE, 2 ** 48 - 1);

/** Makes the state in which a write (if there is one) is visible, and these sources and ids are retired. */
export function withWrite(
  state: CollectionState,
  write: number | undefined,
  { sources, ids }: { sources: string[]; ids: string[] },
): CollectionState {
  const { generation, added } = state;
  const retired =
    sources.length + ids.length > 0 ? { sources: sources.map(toWellFormed), ids: ids.map(toWellFormed), generation, added } : undefined;
  return { ...state, added: write === undefined ? added : [...added, write], retired };
}

const ofWrites = (writes: number[]): Condition => ({ key: 'generation', match: { any: writes } });

function visibleCondition({ generation, added }: VisibleWrites): Condition {
  const upTo: Condition = { key: 'generation', range: { lte: generation } };
  return added.length > 0 ? { should: [upTo, ofWrites(added)] } : upTo;
}

/** Filters the points that are no longer visible; undefined if there are none. It matches no point that is written later. */
export function retiredPoints({ retired }: CollectionState): QdrantFilter | undefined {
  if (!retired) return undefined;
  const should: Condition[] = [];
  if (retired.sources.length > 0) should.push({ key: 'source', match: { any: retired.sources } });
  if (retired.ids.length > 0) should.push({ key: 'id', match: { any: retired.ids } });
  return { must: [visibleCondition(retired)], should };
}

/** Filters the visible points that match the conditions. The state point has no generation, and is not among them. */
export function visiblePoints(state: CollectionState, conditions: readonly Condition[] = []): QdrantFilter {
  const retired = retiredPoints(state);
  return { must: [visibleCondition(state), ...conditions], ...(retired ? { must_not: [retired] } : {}) };
}

/** Filters the points of these writes. */
export const pointsOfWrites = (writes: number[]): QdrantFilter => ({ must: [ofWrites(writes)] });

/** Filters the points of writes that the state does not list: they are being written, or their writer has died. */
export const pendingPoints = ({ added }: CollectionState): QdrantFilter => ({
  must: [{ key: 'generation', range: { gte: FIRST_WRITE } }],
  ...(added.length > 0 ? { must_not: [ofWrites(added)] } : {}),
});

/** Filters the segments of word statistics that this state does not list and that were written before a time (milliseconds). */
export const unlistedSegments = ({ segments = [] }: CollectionState, before: number): QdrantFilter => ({
  must: [{ key: 'written', range: { lt: before } }],
  must_not: [{ has_id: segments.map(({ id }) => id) }],
});
