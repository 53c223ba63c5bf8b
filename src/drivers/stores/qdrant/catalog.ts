import { KbError } from '../../../base/errors.ts';
import { mapOrdered } from '../../../base/pool.ts';
import type { CollectionInfo } from '../../../ports/stores.ts';
import type { Ask } from './connect.ts';
import { DENSE, INDEXES, TEXT } from './points.ts';
import { firstState, saveState, stateAt, type State } from './state.ts';

// A collection of kb is a collection of Qdrant («table» here) behind an alias. Aliases change over in one step, so that another table takes the
// place of the one that readers use. Everything of ours begins with `kb.`; what has no state of ours in it is left alone, whatever its name.

/** What readers and writers of a collection ask for. */
export const aliasOf = (name: string): string => `kb.${name}`;

/** The name of a new table of a collection; no alias has an @. */
const tableName = (name: string): string =>
  `${aliasOf(name)}@${Date.now().toString(36)}-${Math.random().toString(36).slice(2, 8).padEnd(6, '0')}`;

/** After how many milliseconds without a write a table that no alias leads to is taken for left behind. */
const ORPHANED_AFTER = 3_600_000;
/** Questions at once. */
const AT_ONCE = 8;

/** Every collection of ours, in name order. */
export async function list(ask: Ask): Promise<State[]> {
  const names = [...(await aliases(ask)).keys()].filter((alias) => alias.startsWith(aliasOf('')));
  const states = await Array.fromAsync(mapOrdered(names, AT_ONCE, (alias) => stateAt(ask, alias)));
  const ours = states.filter((state, i) => state !== undefined && aliasOf(state.name) === names[i]) as State[];
  return ours.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** Which table each alias leads to. */
async function aliases(ask: Ask): Promise<Map<string, string>> {
  const found = await ask((api, init) => api.getCollectionsAliases({}, init));
  return new Map(found.aliases.map(({ alias_name, collection_name }) => [alias_name, collection_name]));
}

/** A new, empty table, ready to be written; no alias leads to it yet. */
export async function make(ask: Ask, info: CollectionInfo): Promise<State> {
  const table = tableName(info.name);
  const { dimensions } = info;
  const vectors = dimensions > 0 ? { [DENSE]: { size: dimensions, distance: 'Cosine' as const } } : {};
  await ask((api, init) =>
    api.createCollection({ collection_name: table, vectors, sparse_vectors: { [TEXT]: { modifier: 'idf' } } }, init),
  );
  try {
    const state = await saveState(ask, firstState(info, table));
    for (const [field_name, field_schema] of Object.entries(INDEXES))
      await ask((api, init) => api.createFieldIndex({ collection_name: table, wait: true, field_name, field_schema }, init));
    return state;
  } catch (error) {
    await drop(ask, table).catch(() => {}); // what went wrong first is what is to be told
    throw error;
  }
}

/** Lets the collection be what this table holds, in one step, and removes the table that it was before. Throws a KbError (`conflict`) where the name is another program's. */
export async function putInPlace(ask: Ask, { name, table }: State): Promise<void> {
  const alias_name = aliasOf(name);
  const before = (await aliases(ask)).get(alias_name);
  if (before !== undefined && !before.startsWith(`${alias_name}@`)) throw taken(alias_name);
  const actions = [
    ...(before === undefined ? [] : [{ delete_alias: { alias_name } }]),
    { create_alias: { alias_name, collection_name: table } },
  ];
  await ask((api, init) => api.updateAliases({ actions }, init)).catch((error: unknown) => {
    throw error instanceof KbError && (error.code === 'conflict' || error.code === 'invalid') ? taken(alias_name, error) : error;
  });
  if (before !== undefined) await drop(ask, before).catch(() => {}); // the new one holds: what is left of the old one is tidied away later
}

const taken = (alias: string, cause?: unknown): KbError =>
  new KbError('conflict', `Another program has something in Qdrant that is called «${alias}».`, {
    hint: 'Choose another name for the collection.',
    cause,
  });

/** Removes the collection and its table; false where there is none of ours. */
export async function remove(ask: Ask, name: string): Promise<boolean> {
  const alias_name = aliasOf(name);
  if (!(await stateAt(ask, alias_name))) return false;
  const table = (await aliases(ask)).get(alias_name);
  if (table === undefined) return false;
  await ask((api, init) => api.updateAliases({ actions: [{ delete_alias: { alias_name } }] }, init));
  await drop(ask, table);
  return true;
}

export const drop = (ask: Ask, table: string): Promise<boolean> =>
  ask((api, init) => api.deleteCollection({ collection_name: table }, init));

/** Removes tables of ours that no alias leads to and that nobody has written to for an hour: processes that died have left them. */
export async function removeOrphans(ask: Ask): Promise<void> {
  const [{ collections }, led] = await Promise.all([ask((api, init) => api.getCollections({}, init)), aliases(ask)]);
  const tables = new Set(led.values());
  for (const { name } of collections) {
    if (!/^kb\..+@[0-9a-z]+-[0-9a-z]{6}$/.test(name) || tables.has(name)) continue;
    const state = await stateAt(ask, name);
    if (state?.table === name && state.written < Date.now() - ORPHANED_AFTER) await drop(ask, name);
  }
}
