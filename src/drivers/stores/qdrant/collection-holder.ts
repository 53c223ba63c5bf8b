import { KbError, type ErrorCode } from '../../../core/errors.ts';
import type { CollectionInfo } from '../../../ports/stores.ts';
import type { Ask, Condition, PointRecord, QdrantFilter } from './qdrant-connection.ts';
import { type SegmentName, type WordStatistics, wordStatistics } from './word-statistics.ts';
import type { ChunkCache } from '../chunk-cache.ts';
import { safe } from './points.ts';

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
  /** Writes, one at a time; `work` is told the state, and saves the next one where it changes what is seen. */
  write<T>(work: (state: State, save: (next: State) => Promise<State>) => Promise<T>): Promise<T>;
  learn(state: State): void;
}

/** Throws where the lock of the collection was taken and another has it by now. */
export type MayWritePoints = (name: string) => Promise<void>;

export function holdCollection(
  address: string,
  { ask, chunks, state, mayWrite }: { ask: Ask; chunks: ChunkCache; state: State; mayWrite: MayWritePoints },
): CollectionHolder {
  let known = state;
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
      const turn = last.then(async () => {
        await mayWrite(known.name);
        return await work(await load(), async (next) => {
          await mayWrite(known.name); // again: what it makes visible may have taken minutes to write
          return (known = await saveState(ask, next));
        });
      });
      last = turn.catch(() => {});
      return turn;
    },
    learn: (found) => void (known = found),
  };
}

/** What Qdrant answers to a question that was right for the collection of a moment ago. */
const MAY_BE_STALE: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['not_found', 'invalid']);

const isSame = (one: State, other: State): boolean => one.table === other.table && one.generation === other.generation;

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
    if (isSame(before, after)) {
      if ('value' in outcome) return outcome.value;
      throw outcome.error;
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

// Qdrant writes points one by one: a reader may see the first half of a request, and there is no step over several. So every collection has one
// point of ours that says what is to be seen, and the points of a write are seen when that one has changed: a single point is written whole or not.
//
//   A write puts its chunks down as points of the next generation, which nobody sees yet; then the state says that this generation counts, and
//   which sources and ids of earlier ones do not any more; those are removed afterwards. Whoever dies in between leaves either the old chunks or
//   the new ones to be seen, and what is left over for the next writer to sweep away.
//
//   A reader asks for what its state lets it see, then looks whether the state is the same still; else it asks again.

/** The form of what is stored. A collection of a later form is refused: it could be misread. */
const FORM = 1;
/** After how many milliseconds statistics are taken for left behind by a writer that died. */
const UNNAMED_AFTER = 3_600_000;
/** The point that holds the state; it has no vector, and so is found by no search. */
export const STATE = 0;

export interface State extends CollectionInfo {
  form: number;
  /** The collection of Qdrant that holds it. */
  table: string;
  /** The generation up to which points count. */
  generation: number;
  /** Points of generations before this one that do not count any more: those of these sources, and those of these chunks. */
  retired?: { sources: string[]; ids: string[] } | undefined;
  /** Where the statistics of the words lie. */
  segments?: SegmentName[];
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
  written: Date.now(),
});

/** The state of a collection of Qdrant, by its name or alias; undefined where there is none of that name, or none of ours. */
export async function stateAt(ask: Ask, address: string): Promise<State | undefined> {
  const points = await ask((api, init) =>
    api.getPoints({ collection_name: address, ids: [STATE], with_payload: true, with_vector: false }, init),
  ).catch((error: unknown) => {
    if (error instanceof KbError && error.code === 'not_found') return [];
    throw error;
  });
  return stateIn(points[0]);
}

/** The state that its point holds. */
function stateIn(point: PointRecord | undefined): State | undefined {
  const state = point?.payload?.['kb'] as State | undefined;
  if (state && state.form > FORM)
    throw new KbError(
      'configuration',
      `The collection «${state.name}» in Qdrant was made by a later version of kb (form ${state.form}; this one reads ${FORM}).`,
      { hint: 'Update kb, or use another collection.' },
    );
  return state;
}

/** Writes the state, in one step. */
export async function saveState(ask: Ask, { retired, ...state }: State): Promise<State> {
  const kept = retired && { sources: retired.sources.map(safe), ids: retired.ids.map(safe) };
  const saved = { ...state, ...(kept && kept.sources.length + kept.ids.length > 0 ? { retired: kept } : {}), written: Date.now() };
  const points = [{ id: STATE, vector: {}, payload: { kb: saved } }];
  await ask((api, init) => api.upsertPoints({ collection_name: state.table, wait: true, points }, init));
  return saved;
}

/** What no longer counts, as a filter; undefined where that is nothing. */
function retiredIn({ generation, retired }: State): QdrantFilter | undefined {
  if (!retired) return undefined;
  const should: Condition[] = [];
  if (retired.sources.length > 0) should.push({ key: 'source', match: { any: retired.sources } });
  if (retired.ids.length > 0) should.push({ key: 'id', match: { any: retired.ids } });
  return { must: [{ key: 'generation', range: { lt: generation } }], should };
}

/** The points that count and that the conditions hold for. The state's own point has no generation, and is none of them. */
export function visiblePoints(state: State, conditions: readonly Condition[] = []): QdrantFilter {
  const retired = retiredIn(state);
  return {
    must: [{ key: 'generation', range: { lte: state.generation } }, ...conditions],
    ...(retired ? { must_not: [retired] } : {}),
  };
}

/** Segments of statistics that this state does not name and that were written long ago: no writer is about to name them. */
export const unnamedSegments = ({ segments = [] }: State): QdrantFilter => ({
  must: [{ key: 'written', range: { lt: Date.now() - UNNAMED_AFTER } }],
  must_not: [{ has_id: segments.map(({ id }) => id) }],
});

/** The points that nobody sees: what no longer counts, and what someone who died has left. */
export function leftover(state: State): QdrantFilter {
  const retired = retiredIn(state);
  return { should: [{ key: 'generation', range: { gt: state.generation } }, ...(retired ? [retired] : [])] };
}
