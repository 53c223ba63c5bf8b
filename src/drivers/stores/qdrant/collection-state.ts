import { toOperator } from '../../../core/advice/advice.ts';
import { randomInt, randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { KbError } from '../../../core/errors.ts';
import type { CollectionInfo } from '../../../ports/stores.ts';
import { safe } from './points.ts';
import type { Ask, Condition, PointRecord, QdrantFilter } from './qdrant-connection.ts';
import type { SegmentName } from './word-statistics.ts';

// Qdrant writes points one by one: a reader may see the first half of a request, and there is no step over several. So every collection has one
// point of ours that says what is to be seen, and the points of a write are seen when that one has changed: a single point is written whole or not.
//
//   A write has a random number and puts its chunks down as points that bear it, which nobody sees yet. Then the state names the number, and which
//   sources and ids of what was to be seen before do not count any more; those are removed afterwards. Whoever dies in between leaves either the
//   old chunks or the new ones to be seen. So several machines may write at once: no number and no id of a point is used twice.
//
//   The state is changed by comparing: Qdrant writes it only where it is the one that the writer knew (`update_filter`). It does not say whether it
//   did, so the writer reads it back. Who was too late goes on from the newer state; the points stay as they are.
//
//   Not every write is named for ever. When there are many, the points of those that are named are given a generation, up to which all points count.
//
//   A reader asks for what its state lets it see, then looks whether the state is the same still; else it asks again.

/** The form of what is stored. A collection of a later form is refused: it could be misread. In form 1 a write had the next generation as its number. */
const FORM = 2;
/** The point that holds the state; it has no vector, and so is found by no search. */
export const STATE_POINT = 0;
/** Versions before the present one that a state knows: a writer finds its own among them, though others wrote before it looked. */
const HISTORY = 64;
/** How often a writer begins again because another was quicker. */
const CHANGES = 100;
/** How often one looks what became of a write while a replica is behind. */
const LOOKS = 20;
/** Milliseconds between two looks at what others do. */
export const LOOK_EVERY = 100;
/** Numbers of writes begin above those of generations. */
const FIRST_WRITE = 2 ** 32;

/** Which points count at a time: those up to a generation, and those of further writes. */
interface Counted {
  generation: number;
  added: number[];
}

export interface State extends CollectionInfo, Counted {
  form: number;
  /** The collection of Qdrant that holds it. */
  table: string;
  /** Of the points that counted before the last write: those of these sources and ids do not any more. */
  retired?: (Counted & { sources: string[]; ids: string[] }) | undefined;
  /** Where the statistics of the words lie. */
  segments?: SegmentName[];
  /** Whether all chunks have their words; not where an earlier version has written some. */
  words_counted?: boolean;
  /** No two states have the same; empty in form 1. */
  version: string;
  /** Versions before this one, the latest last. */
  history: string[];
  /** The table that takes the place of this one, which is written to no more. */
  replaced_by?: string;
  /** When it was last written, in milliseconds. */
  written: number;
}

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

export const isOfEarlierForm = ({ form }: State): boolean => form < FORM;

/** Whether all that the collection holds is of the present form, and not only what is written next. */
export const isOfPresentForm = ({ form, words_counted }: State): boolean => form === FORM && words_counted === true;

/** The state of a collection of Qdrant, by its name or alias; undefined where there is none of that name, or none of ours. */
export async function stateAt(ask: Ask, address: string): Promise<State | undefined> {
  const points = await ask((api, init) =>
    api.getPoints({ collection_name: address, ids: [STATE_POINT], with_payload: true, with_vector: false }, init),
  ).catch((error: unknown) => {
    if (error instanceof KbError && error.code === 'not_found') return [];
    throw error;
  });
  return stateIn(points[0]);
}

/** The state that its point holds. */
export function stateIn(point: PointRecord | undefined): State | undefined {
  const state = point?.payload?.['kb'] as State | undefined;
  if (!state) return undefined;
  if (state.form > FORM)
    throw new KbError(
      'configuration',
      `The collection «${state.name}» in Qdrant was made by a later version of kb (form ${state.form}; this one reads ${FORM}).`,
      { hint: toOperator`Update kb, or use another collection.` },
    );
  const { retired, ...rest } = { ...state, added: state.added ?? [], version: state.version ?? '', history: state.history ?? [] };
  return {
    ...rest,
    ...(retired && { retired: { ...retired, generation: retired.generation ?? state.generation - 1, added: retired.added ?? [] } }),
  };
}

const isVersion = (value: string): QdrantFilter => ({ must: [{ key: VERSION, match: { value } }] });
/** Where the version lies in the payload of the state's point. */
export const VERSION = 'kb.version';

/** The state that is to follow on `from`, or to be the first one. */
function following(next: State, from?: State): State {
  const history = from ? [...from.history, from.version].slice(-HISTORY) : [];
  return { ...next, form: FORM, version: randomUUID().slice(0, 13), history, written: Date.now() };
}

const isPast = ({ version }: State, present: State): boolean => present.version === version || present.history.includes(version);

/** Writes the state where the stored one is `from`, or where there is none. False where another was quicker, or nobody can tell. */
async function replaceState(ask: Ask, saved: State, from?: State): Promise<boolean> {
  const { table, version } = saved;
  const update_filter = from?.version === '' ? { must: [{ is_empty: { key: VERSION } }] } : isVersion(from?.version ?? version);
  const points = [{ id: STATE_POINT, vector: {}, payload: { kb: saved } }];
  const ordering = 'medium'; // by one replica for all: else each might take another writer for the first
  await ask((api, init) => api.upsertPoints({ collection_name: table, wait: true, ordering, points, update_filter }, init), 'write');
  for (let looks = 1; ; looks++) {
    const found = await stateAt(ask, table);
    if (found && isPast(saved, found)) return true;
    if (!found || !from) return false;
    const isBehind = isPast(found, from); // a replica that has yet to catch up: this write or another's has come after
    if (!isBehind && !isPast(from, found)) throw overtaken(saved);
    if (!isBehind || looks === LOOKS) return false;
    await wait(LOOK_EVERY);
  }
}

/** Writes the first state of a table, or the one after `from`; undefined where another was quicker. */
export async function saveState(ask: Ask, next: State, from?: State): Promise<State | undefined> {
  const saved = following(next, from);
  return (await replaceState(ask, saved, from)) ? saved : undefined;
}

const overtaken = ({ name }: State): KbError =>
  new KbError('conflict', `Others write to «${name}» faster than this run can tell what became of its own write.`, {
    hint: 'Run it again: it goes on from what is stored.',
    isRetryable: true,
  });

/** Whether nothing was written between the two. */
export const isSameState = (one: State, other: State): boolean =>
  one.table === other.table && one.version === other.version && one.generation === other.generation;

interface Changing {
  load(): Promise<State>;
  /** Throws where the writer may write no more. */
  mayWrite(): Promise<void>;
}

/** Changes the state in one step, from the latest one on: `next` is asked again where another writer was quicker, and says undefined where nothing is to change. */
export async function changeState(
  ask: Ask,
  next: (state: State) => Promise<State | undefined>,
  { load, mayWrite }: Changing,
): Promise<State> {
  const tried: State[] = [];
  let lacking = 0; // looks at a state that names what a replica that is behind has not got
  for (let changes = 1; changes <= CHANGES; changes++) {
    const state = await load();
    const done = tried.find((one) => isPast(one, state)); // what was read back came from a replica that was behind
    if (done) return done;
    const wanted = await next(state).catch(async (error: unknown) => {
      if (!(error instanceof KbError) || error.code !== 'not_found') throw error;
      if (isSameState(await load(), state)) {
        if (++lacking === LOOKS) throw error;
        await wait(LOOK_EVERY);
      }
      return 'again' as const;
    });
    if (wanted === undefined) return state;
    if (wanted !== 'again') {
      await mayWrite(); // again: what it makes visible may have taken minutes to write
      const saved = following(wanted, state);
      tried.push(saved);
      if (await replaceState(ask, saved, state)) return saved;
    }
    await wait(Math.random() * 10 * Math.min(changes, 20));
  }
  throw overtaken(await load());
}

/** The number of a new write. */
export const newWrite = (): number => randomInt(FIRST_WRITE, 2 ** 48 - 1);

/** The state in which a write counts, if there is one, in the place of what it retires. */
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

/** The points that no longer count, as a filter; undefined where there are none. It finds no point that is written later. */
export function retiredPoints({ retired }: State): QdrantFilter | undefined {
  if (!retired) return undefined;
  const should: Condition[] = [];
  if (retired.sources.length > 0) should.push({ key: 'source', match: { any: retired.sources } });
  if (retired.ids.length > 0) should.push({ key: 'id', match: { any: retired.ids } });
  return { must: [counted(retired)], should };
}

/** The points that count and that the conditions hold for. The state's own point has no generation, and is none of them. */
export function visiblePoints(state: State, conditions: readonly Condition[] = []): QdrantFilter {
  const retired = retiredPoints(state);
  return { must: [counted(state), ...conditions], ...(retired ? { must_not: [retired] } : {}) };
}

/** The points that bear the numbers of these writes. */
export const pointsOfWrites = (writes: number[]): QdrantFilter => ({ must: [ofWrites(writes)] });

/** The points of writes that are not named: they are being written, or who wrote them has died. */
export const pendingPoints = ({ added }: State): QdrantFilter => ({
  must: [{ key: 'generation', range: { gte: FIRST_WRITE } }],
  ...(added.length > 0 ? { must_not: [ofWrites(added)] } : {}),
});

/** Segments of statistics that this state does not name and that were written before that time (milliseconds). */
export const unnamedSegments = ({ segments = [] }: State, before: number): QdrantFilter => ({
  must: [{ key: 'written', range: { lt: before } }],
  must_not: [{ has_id: segments.map(({ id }) => id) }],
});

/** What writers of form 1 have left that died. */
export const leftInFormOne = ({ generation }: State): QdrantFilter => ({
  must: [{ key: 'generation', range: { gt: generation, lt: FIRST_WRITE } }],
});
