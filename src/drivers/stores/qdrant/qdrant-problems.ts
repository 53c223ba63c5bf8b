import { mapOrdered } from '../../../core/concurrency.ts';
import { ifCode } from '../../../core/errors.ts';
import { count, listNames } from '../../../text/count.ts';
import type { StoreProblem, StoreReport } from '../../../ports/stores.ts';
import type { SendRequest } from './qdrant-connection.ts';
import {
  listAliases,
  nameOfAlias,
  addIndexes,
  aliasOf,
  dropIfUnchanged,
  finishReplacement,
  readLayout,
  ignoreUnreadable,
  readAliases,
  TABLE_NAME,
} from './qdrant-tables.ts';
import { createFirstState, saveState, type CollectionState, readState } from './collection-state.ts';
import { INDEXES } from './points.ts';

/** The first version with conditional writes of points (`update_filter`). */
const OLDEST_VERSION = [1, 16] as const;
/** Concurrent requests. */
const CONCURRENT_REQUESTS = 8;

/** Describes the server, with warnings. Throws a KbError if it does not answer. */
export async function describeServer(send: SendRequest): Promise<StoreReport> {
  const { version } = await send((api, init) => api.root({}, init).then(({ data }) => ({ data: { result: data } })));
  const cluster = await send((api, init) => api.clusterStatus({}, init)).catch(ifCode(['setup'], undefined)); // the key may not be allowed to read it
  const nodes = cluster?.status === 'enabled' ? Object.keys(cluster.peers).length : 1;
  const unreachable = cluster?.status === 'enabled' ? Object.keys(cluster.message_send_failures) : [];
  const suffix = cluster?.status === 'enabled' ? `, cluster of ${count(nodes, 'node')}` : '';
  return {
    message: `Qdrant ${version}${suffix}`,
    warnings: [
      ...(isTooOld(version) ? [`Qdrant ${version} is too old: kb needs ${OLDEST_VERSION.join('.')} or later`] : []),
      ...(unreachable.length > 0
        ? [`${count(unreachable.length, 'node')} of the cluster did not answer another: ${listNames(unreachable, 5)}`]
        : []),
      ...(nodes > 1 ? await warnOfUnreplicated(send, nodes) : []),
    ],
  };
}

function isTooOld(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major < OLDEST_VERSION[0] || (major === OLDEST_VERSION[0] && minor < OLDEST_VERSION[1]);
}

/** Warns of collections that cannot be searched if a node fails. */
async function warnOfUnreplicated(send: SendRequest, nodes: number): Promise<string[]> {
  const names = await listAliases(send);
  const factors = await Array.fromAsync(
    mapOrdered(names, CONCURRENT_REQUESTS, async (collection_name) => {
      const { config } = await send((api, init) => api.getCollection({ collection_name }, init));
      return config.params.replication_factor ?? 1;
    }),
  );
  const single = names.filter((_, i) => factors[i] === 1).map(nameOfAlias);
  if (single.length === 0) return [];
  return [
    `${listNames(single, 5)} ${single.length === 1 ? 'is' : 'are'} stored once on ${count(nodes, 'node')} (replication_factor 1): when a node fails, searches fail. Set storage.options.replication_factor: 2 and run "kb collections reembed NAME", or raise it on the server`,
  ];
}

/** Maximum milliseconds that the replacement of a collection takes. */
const REPLACED_WITHIN = 60_000;
/** Milliseconds without a write after which a table without an alias is an orphan: more than the clocks of two machines may differ. */
const ORPHANED_AFTER = 24 * 3_600_000;

/** Finds leftovers of dead processes in the server. Collections of another form are ignored. */
export async function findQdrantProblems(send: SendRequest): Promise<StoreProblem[]> {
  const problems: StoreProblem[] = (await listOrphans(send)).map((orphan) => ({
    problem: `A process that died has left the table ${orphan.table}.`,
    repair: { action: 'removes it', outcome: 'It was removed.', removes: true, run: () => removeOrphan(send, orphan) },
  }));
  for (const alias of await listAliases(send)) {
    const state = await readState(send, alias).catch(ifCode(['configuration'], undefined)); // the list of collections reports it
    if (state) problems.push(...(await findCollectionProblems(send, state)));
  }
  return problems;
}

async function findCollectionProblems(send: SendRequest, state: CollectionState): Promise<StoreProblem[]> {
  const { name, table } = state;
  if (state.replaced_by !== undefined) {
    if (state.written > Date.now() - REPLACED_WITHIN) return [];
    const problem = `A process that died was about to replace "${name}".`;
    const run = () => finishCurrentReplacement(send, name);
    return [{ problem, repair: { action: 'finishes that', outcome: `"${name}" was replaced.`, removes: false, run } }];
  }
  const { payload_schema } = await send((api, init) => api.getCollection({ collection_name: table }, init));
  const missing = (Object.keys(INDEXES) as (keyof typeof INDEXES)[]).filter((index) => !(index in payload_schema));
  if (missing.length === 0) return [];
  const problem = `The collection "${name}" lacks indexes: ${missing.join(', ')}.`;
  const run = () => addIndexes(send, table, missing);
  return [{ problem, repair: { action: 'creates them', outcome: 'They were created.', removes: false, run } }];
}

/** Finishes the replacement of a collection, unless its next writer has done so meanwhile. */
async function finishCurrentReplacement(send: SendRequest, name: string): Promise<void> {
  const state = await readState(send, aliasOf(name));
  if (state?.replaced_by !== undefined) await finishReplacement(send, state);
}

interface UnusedTable {
  /** The collection that it was made for. */
  name: string;
  table: string;
}

/** Lists the tables of kb without an alias. */
async function listUnusedTables(send: SendRequest): Promise<UnusedTable[]> {
  const [{ collections }, aliases] = await Promise.all([send((api, init) => api.getCollections({}, init)), readAliases(send)]);
  const used = new Set(aliases.values());
  return collections.flatMap(({ name: table }) => {
    const name = TABLE_NAME.exec(table)?.[1];
    return name === undefined || used.has(table) ? [] : [{ name, table }];
  });
}

/** Whether a table without an alias is an orphan: it is old, and not about to replace another. */
async function isOrphan(send: SendRequest, state: CollectionState | undefined, table: string): Promise<boolean> {
  if (state?.table !== table || state.written >= Date.now() - ORPHANED_AFTER) return false;
  return (await ignoreUnreadable(readState(send, aliasOf(state.name))))?.replaced_by !== table;
}

/** Lists the tables without an alias that dead processes have left: they were not written to for a day. */
async function listOrphans(send: SendRequest): Promise<UnusedTable[]> {
  const unused = await listUnusedTables(send);
  const states = await Promise.all(unused.map(({ table }) => ignoreUnreadable(readState(send, table))));
  const orphans = await Promise.all(unused.map(({ table }, i) => isOrphan(send, states[i], table)));
  return unused.filter((_, i) => orphans[i]);
}

/** Removes orphans. */
export async function removeOrphans(send: SendRequest): Promise<void> {
  for (const unused of await listUnusedTables(send)) await ignoreUnreadable(removeOrphan(send, unused));
}

/** Removes an orphan. The age of a table without a state is unknown: if it is empty, it gets a state, and is removed once that is old. */
async function removeOrphan(send: SendRequest, { name, table }: UnusedTable): Promise<void> {
  const state = await readState(send, table);
  if (state) return (await isOrphan(send, state, table)) ? await dropIfUnchanged(send, state, state) : undefined;
  const layout = await readLayout(send, table);
  const mark = { name, provider: '', model: '', dimensions: layout?.dimensions ?? 0 };
  if (layout?.isEmpty) await saveState(send, createFirstState(mark, table));
}
