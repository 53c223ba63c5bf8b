import type { Collection, StoreProblem } from '../../../ports/stores.ts';
import { KbError } from '../../../core/errors.ts';
import { firstState, isOfPresentForm, saveState, type State, stateAt } from './collection-state.ts';
import { INDEXES } from './points.ts';
import type { Ask } from './qdrant-connection.ts';
import {
  addIndexes,
  aliasOf,
  dropUnwritten,
  finishReplacement,
  readLayout,
  listAliases,
  ignoreUnreadable,
  readAliases,
  TABLE_NAME,
} from './qdrant-tables.ts';

/** Milliseconds in which who replaces a collection is done with it. */
const REPLACED_WITHIN = 60_000;
/** After how many milliseconds without a write a table that no alias leads to is taken for left behind. */
const ORPHANED_AFTER = 3_600_000;

/** What processes that died or earlier versions have left in the server. Collections of a later form are passed over. */
export async function qdrantProblems(ask: Ask, open: (state: State) => Collection): Promise<StoreProblem[]> {
  const problems: StoreProblem[] = (await orphanTables(ask)).map((orphan) => ({
    problem: `A process that died has left the table ${orphan.table}.`,
    remedy: 'It is removed.',
    removes: true,
    mend: () => removeOrphan(ask, orphan),
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
    return [{ problem, remedy: 'What it had made takes its place.', removes: false, mend: () => finishLatest(ask, name) }];
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

/** Finishes the replacement of a collection, unless its next writer has done so meanwhile. */
async function finishLatest(ask: Ask, name: string): Promise<void> {
  const state = await stateAt(ask, aliasOf(name));
  if (state?.replaced_by !== undefined) await finishReplacement(ask, state);
}

interface UnusedTable {
  /** The collection that it was made for. */
  name: string;
  table: string;
}

/** Tables of ours that no alias leads to. */
async function unusedTables(ask: Ask): Promise<UnusedTable[]> {
  const [{ collections }, led] = await Promise.all([ask((api, init) => api.getCollections({}, init)), readAliases(ask)]);
  const used = new Set(led.values());
  return collections.flatMap(({ name: table }) => {
    const name = TABLE_NAME.exec(table)?.[1];
    return name === undefined || used.has(table) ? [] : [{ name, table }];
  });
}

/** Whether a table that no alias leads to is left over: old, and not about to take the place of another. */
async function isOrphan(ask: Ask, state: State | undefined, table: string): Promise<boolean> {
  if (state?.table !== table || state.written >= Date.now() - ORPHANED_AFTER) return false;
  return (await ignoreUnreadable(stateAt(ask, aliasOf(state.name))))?.replaced_by !== table;
}

/** Tables of ours that no alias leads to and that nobody has written to for an hour: processes that died have left them. */
async function orphanTables(ask: Ask): Promise<UnusedTable[]> {
  const unused = await unusedTables(ask);
  const states = await Promise.all(unused.map(({ table }) => ignoreUnreadable(stateAt(ask, table))));
  const orphans = await Promise.all(unused.map(({ table }, i) => isOrphan(ask, states[i], table)));
  return unused.filter((_, i) => orphans[i]);
}

/** Removes such tables. */
export async function removeOrphans(ask: Ask): Promise<void> {
  for (const unused of await unusedTables(ask)) await ignoreUnreadable(removeOrphan(ask, unused));
}

/** Without a state nothing tells how old it is: an empty one of our form gets one, and is removed when that is old. */
async function removeOrphan(ask: Ask, { name, table }: UnusedTable): Promise<void> {
  const state = await stateAt(ask, table);
  if (state) return (await isOrphan(ask, state, table)) ? await dropUnwritten(ask, state, state) : undefined;
  const layout = await readLayout(ask, table);
  const mark = { name, provider: '', model: '', dimensions: layout?.dimensions ?? 0 };
  if (layout?.isEmpty) await saveState(ask, firstState(mark, table));
}
