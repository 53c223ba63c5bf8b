import { operatorAdvice } from '../../../core/advice/advice.ts';
import { randomInt, randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { KbError, hasCode, ifCode } from '../../../core/errors.ts';
import type { CollectionInfo } from '../../../ports/stores.ts';
import { safe } from './points.ts';
import type { Ask, Condition, PointRecord, QdrantFilter } from './qdrant-connection.ts';
import type { SegmentName } from './word-statistics.ts';

// Qdrant has no transactions: it writes the points of a request one by one, and a reader may see the first half. So every collection has one state
// point that says which points are visible. The points of a write become visible when the state changes, because a single point is written atomically.
//
//   A write has a random number. It first stores its chunks as points with this number, which nobody sees yet. Then the state lists the number, and the
//   sources and ids of visible points that are retired; those are removed afterwards. A writer that dies in between leaves either the old chunks or the
//   new ones visible. Several machines may write at once: no write number and no point id is used twice.
//
//   The state is changed by compare-and-set: Qdrant writes it only if it is still the one that the writer knew (`update_filter`). Qdrant does not say
//   whether it did, so the writer reads it back. A writer that was too late continues from the newer state; its points stay as they are.
//
//   The list of writes does not grow for ever. When there are many, their points are given a generation, and all points up to that are visible.
//
//   A reader requests what its state makes visible, then checks that the state is still the same; else it reads again.

/** Version of the stored form. A collection of another form is refused, because it could be misread: form 1 was that of development versions. */
const FORM = 2;
/** Id of the point that holds the state; it has no vector, so no search finds it. */
export const STATE_POINT = 0;
/** Number of earlier versions that a state lists: a writer finds its own among them if others wrote before it checked. */
const HISTORY = 64;
/** Maximum attempts of a writer to change the state. */
const CHANGES = 100;
/** Maximum checks for the outcome of a write while a replica lags behind. */
const LOOKS = 20;
/** Milliseconds between two checks of what others do. */
export const LOOK_EVERY = 100;
/** Smallest number of a write; generations are smaller. */
const FIRST_WRITE = 2 ** 32;

/** The visible points: those up to a generation, and those of further writes. */
interface Counted {
  generation: number;
  added: number[];
}

/** State of a collection: which points are visible, and where its word statistics are. */
export interface State extends CollectionInfo, Counted {
  form: number;
  /** The collection of Qdrant that holds it (a table). */
  table: string;
  /** Points that were visible before the last write, and are not any more: those of these sources and ids. */
  retired?: (Counted & { sources: string[]; ids: string[] }) | undefined;
  /** The segments of the word statistics. */
  segments?: SegmentName[];
  /** Whether all points hold their word counts: always, except in collections of development versions. */
  words_counted?: boolean;
  /** Unique for each state; empty before the first one is saved. */
  version: string;
  /** Versions before this one, the latest last. */
  history: string[];
  /** The table that replaces this one, which is not written to any more. */
  replaced_by?: string;
  /** When it was last written, in milliseconds. */
  written: number;
}

/** Makes the state of a new, empty table. */
export const firstState = ({ name, provider, model, dimensions }: CollectionInfo, table: string): State => ({
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
export async function stateAt(ask: Ask, address: string): Promise<State | undefined> {
  const points = await ask((api, init) =>
    api.getPoints({ collection_name: address, ids: [STATE_POINT], with_payload: true, with_vector: false }, init),
  ).catch(ifCode(['not_found'], []));
  return stateIn(points[0]);
}

/** Extracts the state from its point. Throws a KbError (`configuration`) for another form. */
export function stateIn(point: PointRecord | undefined): State | undefined {
  const state = point?.payload?.['kb'] as State | undefined;
  if (!state || (state.form === FORM && state.words_counted)) return state;
  const isLater = state.form > FORM;
  throw new KbError(
    'configuration',
    `The collection «${state.name}» in Qdrant was made by a ${isLater ? 'later' : 'development'} version of kb (form ${state.form}; this one reads ${FORM}).`,
    { hint: isLater ? operatorAdvice`Update kb, or use another collection.` : operatorAdvice`Drop it and ingest its sources again.` },
  );
}

const isVersion = (value: string): QdrantFilter => ({ must: [{ key: VERSION, match: { value } }] });
/** Path of the version in the payload of the state point. */
export const VERSION = 'kb.version';

/** Makes the successor of the state `from`, or the first state. */
function following(next: State, from?: State): State {
  const history = from ? [...from.history, from.version].slice(-HISTORY) : [];
  return { ...next, form: FORM, version: randomUUID().slice(0, 13), history, written: Date.now() };
}

const isPast = ({ version }: State, present: State): boolean => present.version === version || present.history.includes(version);

/**
 * Writes the state if the stored one is `from`, or if there is none. False if another writer was quicker, or the outcome cannot be
 * determined.
 */
async function replaceState(ask: Ask, saved: State, from?: State): Promise<boolean> {
  const { table, version } = saved;
  const update_filter = isVersion(from?.version ?? version);
  const points = [{ id: STATE_POINT, vector: {}, payload: { kb: saved } }];
  const ordering = 'medium'; // one replica orders all writes: else each replica might accept another writer as the first
  await ask((api, init) => api.upsertPoints({ collection_name: table, wait: true, ordering, points, update_filter }, init), 'write');
  for (let looks = 1; ; looks++) {
    const found = await stateAt(ask, table);
    if (found && isPast(saved, found)) return true;
    if (!found || !from) return false;
    const isBehind = isPast(found, from); // a lagging replica: a later write exists, this one or another
    if (!isBehind && !isPast(from, found)) throw overtaken(saved);
    if (!isBehind || looks === LOOKS) return false;
    await wait(LOOK_EVERY);
  }
}

/** Writes the first state of a table, or the one after `from`; undefined if another writer was quicker. */
export async function saveState(ask: Ask, next: State, from?: State): Promise<State | undefined> {
  const saved = following(next, from);
  return (await replaceState(ask, saved, from)) ? saved : undefined;
}

const overtaken = ({ name }: State): KbError =>
  new KbError('conflict', `Others write to «${name}» faster than this run can tell what became of its own write.`, {
    hint: 'Run it again: it goes on from what is stored.',
    isRetryable: true,
  });

/** Whether nothing was written between two states. */
export const isSameState = (one: State, other: State): boolean =>
  one.table === other.table && one.version === other.version && one.generation === other.generation;

interface Changing {
  load(): Promise<State>;
  /** Throws if the writer has lost its lock. */
  mayWrite(): Promise<void>;
}

/**
 * Changes the latest state in one step. `next` is called again if another writer was quicker; it returns undefined if there is nothing to
 * change.
 */
export async function changeState(
  ask: Ask,
  next: (state: State) => Promise<State | undefined>,
  { load, mayWrite }: Changing,
): Promise<State> {
  const tried: State[] = [];
  let lacking = 0; // states read that name points which a lagging replica lacks
  for (let changes = 1; changes <= CHANGES; changes++) {
    const state = await load();
    const done = tried.find((one) => isPast(one, state)); // what was read back came from a lagging replica
    if (done) return done;
    const wanted = await next(state).catch(async (error: unknown) => {
      if (!hasCode(error, 'not_found')) throw error;
      if (isSameState(await load(), state)) {
        if (++lacking === LOOKS) throw error;
        await wait(LOOK_EVERY);
      }
      return 'again' as const;
    });
    if (wanted === undefined) return state;
    if (wanted !== 'again') {
      await mayWrite(); // checked again, because writing the points may have taken minutes
      const saved = following(wanted, state);
      tried.push(saved);
      if (await replaceState(ask, saved, state)) return saved;
    }
    await wait(Math.random() * 10 * Math.min(changes, 20));
  }
  throw overtaken(await load());
}

/** Draws the number of a new write. */
export const newWrite = (): number => randomInt(FIRST_WRITE, 2 ** 48 - 1);

/** Makes the state in which a write is visible (if there is one), in place of what it retires. */
export function withWrite(state: State, write: number | undefined, { sources, ids }: { sources: string[]; ids: string[] }): State {
  const { generation, added } = state;
  const retired = sources.length + ids.length > 0 ? { sources: sources.map(safe), ids: ids.map(safe), generation, added } : undefined;
  return { ...state, added: write === undefined ? added : [...added, write], retired };
}

const ofWrites = (writes: number[]): Condition => ({ key: 'generation', match: { any: writes } });

function counted({ generation, added }: Counted): Condition {
  const upTo: Condition = { key: 'generation', range: { lte: generation } };
  return added.length > 0 ? { should: [upTo, ofWrites(added)] } : upTo;
}

/** Filters the points that are no longer visible; undefined if there are none. It matches no point that is written later. */
export function retiredPoints({ retired }: State): QdrantFilter | undefined {
  if (!retired) return undefined;
  const should: Condition[] = [];
  if (retired.sources.length > 0) should.push({ key: 'source', match: { any: retired.sources } });
  if (retired.ids.length > 0) should.push({ key: 'id', match: { any: retired.ids } });
  return { must: [counted(retired)], should };
}

/** Filters the visible points that match the conditions. The state point has no generation, and is not among them. */
export function visiblePoints(state: State, conditions: readonly Condition[] = []): QdrantFilter {
  const retired = retiredPoints(state);
  return { must: [counted(state), ...conditions], ...(retired ? { must_not: [retired] } : {}) };
}

/** Filters the points of these writes. */
export const pointsOfWrites = (writes: number[]): QdrantFilter => ({ must: [ofWrites(writes)] });

/** Filters the points of writes that the state does not list: they are being written, or their writer has died. */
export const pendingPoints = ({ added }: State): QdrantFilter => ({
  must: [{ key: 'generation', range: { gte: FIRST_WRITE } }],
  ...(added.length > 0 ? { must_not: [ofWrites(added)] } : {}),
});

/** Filters the segments of word statistics that this state does not list and that were written before a time (milliseconds). */
export const unnamedSegments = ({ segments = [] }: State, before: number): QdrantFilter => ({
  must: [{ key: 'written', range: { lt: before } }],
  must_not: [{ has_id: segments.map(({ id }) => id) }],
});
