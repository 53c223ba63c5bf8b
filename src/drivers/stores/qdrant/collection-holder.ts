import { KbError, type ErrorCode } from '../../../core/errors.ts';
import type { CollectionInfo } from '../../../ports/stores.ts';
import type { Ask, Condition, PointRecord } from './qdrant-connection.ts';
import { saveState, stateAt, visiblePoints, type State } from './collection-state.ts';

/** How often a reader asks again because a writer came between: each time takes as long as one answer, and a writer is seldom that quick twice. */
const READS = 20;

/** Holds a collection open, whatever other processes do to it. */
export interface CollectionHolder {
  readonly ask: Ask;
  /** The name by which Qdrant knows it: an alias, which may come to mean another collection, or a draft's own name. */
  readonly address: string;
  /** What it was made with, as far as is known; every reading and writing brings it up to date. */
  readonly info: CollectionInfo;
  /** Asks for something that is seen as of one state: `work` may be called several times. */
  read<T>(work: (state: State) => Promise<T>): Promise<T>;
  /** Writes, one at a time; `work` is told the state, and saves the next one where it changes what is seen. */
  write<T>(work: (state: State, save: (next: State) => Promise<State>) => Promise<T>): Promise<T>;
  /** Takes note of a state that was read. */
  learn(state: State): void;
}

/** Throws where the lock of the collection was taken and another has it by now. */
export type MayWritePoints = (name: string) => Promise<void>;

export function holdCollection(
  address: string,
  { ask, state, mayWrite }: { ask: Ask; state: State; mayWrite: MayWritePoints },
): CollectionHolder {
  let known = state;
  let last: Promise<unknown> = Promise.resolve();
  const load = async (): Promise<State> => {
    const found = await stateAt(ask, address);
    if (!found) throw new KbError('not_found', `The collection «${known.name}» was removed meanwhile.`);
    return (known = found);
  };
  return {
    ask,
    address,
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
async function readAsOf<T>(known: State, { work, load }: { work: (state: State) => Promise<T>; load: () => Promise<State> }): Promise<T> {
  let before = known;
  for (let reads = 1; ; reads++) {
    const outcome = await work(before).then(
      (value) => ({ value }),
      (error: unknown) => {
        if (error instanceof KbError && MAY_BE_STALE.has(error.code)) return { error };
        throw error;
      },
    );
    const after = await load();
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
  /** Which parts of the payload are read. */
  payload: readonly string[];
  /** Which vectors are read. */
  vectors?: readonly string[];
  /** Points of a page. */
  size: number;
}

/**
 * The points that count, in pages, in the order in which they were written. Each page is of one state; where someone writes between two of them, a
 * document that is replaced may be met twice. Throws a KbError (`conflict`) where another collection takes the place of this one meanwhile.
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
