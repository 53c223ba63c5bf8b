import type { Collection, StoreProblem } from '../../../ports/stores.ts';
import { KbError } from '../../../core/errors.ts';
import { isOfPresentForm, type State, stateAt } from './collection-state.ts';
import { INDEXES } from './points.ts';
import type { Ask } from './qdrant-connection.ts';
import { addIndexes, dropTable, finishReplacement, listAliases, orphanTables } from './qdrant-tables.ts';

/** Milliseconds in which who replaces a collection is done with it. */
const REPLACED_WITHIN = 60_000;

/** What processes that died or earlier versions have left in the server. Collections of a later form are passed over. */
export async function qdrantProblems(ask: Ask, open: (state: State) => Collection): Promise<StoreProblem[]> {
  const problems: StoreProblem[] = (await orphanTables(ask)).map((table) => ({
    problem: `A process that died has left the table ${table}.`,
    remedy: 'It is removed.',
    removes: true,
    mend: async () => void (await dropTable(ask, table)),
  }));
  for (const alias of await listAliases(ask)) {
    const state = await stateAt(ask, alias).catch((error: unknown) => {
      if (!(error instanceof KbError) || error.code !== 'configuration') throw error; // listing the collections says so
    });
    if (state) problems.push(...(await collectionProblems(ask, state, open)));
  }
  return problems;
}

async function collectionProblems(ask: Ask, state: State, open: (state: State) => Collection): Promise<StoreProblem[]> {
  const { name, table } = state;
  if (state.replaced_by !== undefined) {
    if (state.written > Date.now() - REPLACED_WITHIN) return [];
    const problem = `A process that died was about to replace «${name}».`;
    return [{ problem, remedy: 'What it had made takes its place.', removes: false, mend: () => finishReplacement(ask, state) }];
  }
  if (!isOfPresentForm(state)) {
    const problem = `An earlier version of kb has written to «${name}»: some of it is not found by words.`;
    const remedy = 'It is brought to the present form, without embedding. The next kb ingest does so, too.';
    return [{ problem, remedy, removes: false, mend: () => open(state).optimize() }];
  }
  const { payload_schema } = await ask((api, init) => api.getCollection({ collection_name: table }, init));
  const missing = (Object.keys(INDEXES) as (keyof typeof INDEXES)[]).filter((index) => !(index in payload_schema));
  if (missing.length === 0) return [];
  const problem = `The collection «${name}» lacks indexes: ${missing.join(', ')}.`;
  return [{ problem, remedy: 'They are made.', removes: false, mend: () => addIndexes(ask, table, missing) }];
}
