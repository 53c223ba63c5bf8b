import { KbError } from '../../../core/errors.ts';
import type { CollectionInfo } from '../../../ports/stores.ts';
import type { Ask, Condition, QdrantFilter } from './qdrant-connection.ts';
import { safe } from './points.ts';

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
/** The point that holds the state; it has no vector, and so is found by no search. */
const STATE = 0;

export interface State extends CollectionInfo {
  form: number;
  /** The collection of Qdrant that holds it. */
  table: string;
  /** The generation up to which points count. */
  generation: number;
  /** Points of generations before this one that do not count any more: those of these sources, and those of these chunks. */
  retired?: { sources: string[]; ids: string[] } | undefined;
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
  const state = points[0]?.payload?.['kb'] as State | undefined;
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

/** The points that nobody sees: what no longer counts, and what someone who died has left. */
export function leftover(state: State): QdrantFilter {
  const retired = retiredIn(state);
  return { should: [{ key: 'generation', range: { gt: state.generation } }, ...(retired ? [retired] : [])] };
}
