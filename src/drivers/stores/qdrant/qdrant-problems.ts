import { mapOrdered } from '../../../core/concurrency.ts';
import { ifCode } from '../../../core/errors.ts';
import { count, listNames } from '../../../text/count.ts';
import type { StoreProblem, StoreReport } from '../../../ports/stores.ts';
import type { Ask } from './qdrant-connection.ts';
import {
  listAliases,
  nameOf,
  addIndexes,
  aliasOf,
  dropUnwritten,
  finishReplacement,
  readLayout,
  ignoreUnreadable,
  readAliases,
  TABLE_NAME,
} from './qdrant-tables.ts';
import { firstState, saveState, type State, stateAt } from './collection-state.ts';
import { INDEXES } from './points.ts';

/** The first version with conditional writes of points (`update_filter`). */
const OLDEST = [1, 16] as const;
/** Concurrent requests. */
const AT_ONCE = 8;

/** Describes the server, with warnings. Throws a KbError if it does not answer. */
export async function describeServer(ask: Ask): Promise<StoreReport> {
  const { version } = await ask((api, init) => api.root({}, init).then(({ data }) => ({ data: { result: data } })));
  const cluster = await ask((api, init) => api.clusterStatus({}, init)).catch(ifCode(['setup'], undefined)); // the key may not be allowed to ask
  const nodes = cluster?.status === 'enabled' ? Object.keys(cluster.peers).length : 1;
  const silent = cluster?.status === 'enabled' ? Object.keys(cluster.message_send_failures) : [];
  const suffix = cluster?.status === 'enabled' ? `, cluster of ${count(nodes, 'node')}` : '';
  return {
    message: `Qdrant ${version}${suffix}`,
    warnings: [
      ...(isTooOld(version) ? [`Qdrant ${version} is too old: kb needs ${OLDEST.join('.')} or later`] : []),
      ...(silent.length > 0 ? [`${count(silent.length, 'node')} of the cluster did not answer another: ${listNames(silent, 5)}`] : []),
      ...(nodes > 1 ? await unreplicated(ask, nodes) : []),
    ],
  };
}

function isTooOld(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1]);
}

/** Warns of collections that are lost for searches when a node fails. */
async function unreplicated(ask: Ask, nodes: number): Promise<string[]> {
  const names = await listAliases(ask);
  const factors = await Array.fromAsync(
    mapOrdered(names, AT_ONCE, async (collection_name) => {
      const { config } = await ask((api, init) => api.getCollection({ collection_name }, init));
      return config.params.replication_factor ?? 1;
    }),
  );
  const single = names.filter((_, i) => factors[i] === 1).map(nameOf);
  if (single.length === 0) return [];
  return [
    `${listNames(single, 5)} ${single.length === 1 ? 'is' : 'are'} stored once on ${count(nodes, 'node')} (replication_factor 1): when a node fails, searches fail. Set storage.options.replication_factor: 2 and run «kb collections reembed NAME», or raise it on the server`,
  ];
}

/** Milliseconds that a replacement of a collection takes at most. */
const REPLACED_WITHIN = 60_000;
/** Milliseconds without a write after which a table without an alias is an orphan. */
const ORPHANED_AFTER = 3_600_000;

/** Finds what processes that died have left in the server. Collections of another form are passed over. */
export async function qdrantProblems(ask: Ask): Promise<StoreProblem[]> {
  const problems: StoreProblem[] = (await orphanTables(ask)).map((orphan) => ({
    problem: `A process that died has left the table ${orphan.table}.`,
    remedy: 'It is removed.',
    removes: true,
    mend: () => removeOrphan(ask, orphan),
  }));
  for (const alias of await listAliases(ask)) {
    const state = await stateAt(ask, alias).catch(ifCode(['configuration'], undefined)); // the list of collections reports it
    if (state) problems.push(...(await collectionProblems(ask, state)));
  }
  return problems;
}

async function collectionProblems(ask: Ask, state: State): Promise<StoreProblem[]> {
  const { name, table } = state;
  if (state.replaced_by !== undefined) {
    if (state.written > Date.now() - REPLACED_WITHIN) return [];
    const problem = `A process that died was about to replace «${name}».`;
    return [{ problem, remedy: 'What it had made takes its place.', removes: false, mend: () => finishLatest(ask, name) }];
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

/** Lists the tables of kb without an alias. */
async function unusedTables(ask: Ask): Promise<UnusedTable[]> {
  const [{ collections }, led] = await Promise.all([ask((api, init) => api.getCollections({}, init)), readAliases(ask)]);
  const used = new Set(led.values());
  return collections.flatMap(({ name: table }) => {
    const name = TABLE_NAME.exec(table)?.[1];
    return name === undefined || used.has(table) ? [] : [{ name, table }];
  });
}

/** Whether a table without an alias is left over: it is old, and not about to replace another. */
async function isOrphan(ask: Ask, state: State | undefined, table: string): Promise<boolean> {
  if (state?.table !== table || state.written >= Date.now() - ORPHANED_AFTER) return false;
  return (await ignoreUnreadable(stateAt(ask, aliasOf(state.name))))?.replaced_by !== table;
}

/** Lists the tables without an alias that processes which died have left: nobody has written to them for an hour. */
async function orphanTables(ask: Ask): Promise<UnusedTable[]> {
  const unused = await unusedTables(ask);
  const states = await Promise.all(unused.map(({ table }) => ignoreUnreadable(stateAt(ask, table))));
  const orphans = await Promise.all(unused.map(({ table }, i) => isOrphan(ask, states[i], table)));
  return unused.filter((_, i) => orphans[i]);
}

/** Removes orphans. */
export async function removeOrphans(ask: Ask): Promise<void> {
  for (const unused of await unusedTables(ask)) await ignoreUnreadable(removeOrphan(ask, unused));
}

/** Removes an orphan. The age of one without a state is unknown: an empty one gets a state, and is removed when that is old. */
async function removeOrphan(ask: Ask, { name, table }: UnusedTable): Promise<void> {
  const state = await stateAt(ask, table);
  if (state) return (await isOrphan(ask, state, table)) ? await dropUnwritten(ask, state, state) : undefined;
  const layout = await readLayout(ask, table);
  const mark = { name, provider: '', model: '', dimensions: layout?.dimensions ?? 0 };
  if (layout?.isEmpty) await saveState(ask, firstState(mark, table));
}
