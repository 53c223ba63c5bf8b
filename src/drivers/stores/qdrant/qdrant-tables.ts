import { operatorAdvice } from '../../../core/advice/advice.ts';
import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { mapOrdered } from '../../../core/concurrency.ts';
import { KbError, hasCode, ifCode } from '../../../core/errors.ts';
import type { CollectionInfo, ListedInfo } from '../../../ports/stores.ts';
import { firstState, LOOK_EVERY, saveState, type State, STATE_POINT, stateAt, VERSION } from './collection-state.ts';
import { DENSE, INDEXES, TEXT } from './points.ts';
import type { Ask } from './qdrant-connection.ts';

// A collection of kb is a collection of Qdrant («table» here) behind an alias. Aliases change in one step, so that another table replaces the one that
// readers use. All names of kb begin with `kb.`; a table without a state of kb is left alone, whatever its name.
//
// A table has the name of the collection and a digit, so that a token can be granted all of them: 0 for a new collection, the others for drafts.
// Aliases have no compare-and-set: the last one wins. So a new collection begins with its table 0, of which there can be only one.

/** Makes the alias of a collection, which readers and writers use. */
export const aliasOf = (name: string): string => `kb.${name}`;
/** Extracts the name of the collection from an alias. */
export const nameOf = (alias: string): string => alias.slice(aliasOf('').length);
const tableOf = (name: string, digit: number): string => `${aliasOf(name)}@${digit}`;
/** Matches names of tables. */
export const TABLE_NAME = /^kb\.(.+)@([0-9])$/;
const DRAFTS = 9;

/** Concurrent requests. */
const AT_ONCE = 8;
/** Maximum checks whether another process is done. */
const LOOKS = 100;

/** Lists all collections, sorted by name; one that cannot be read with the reason. */
export async function listTables(ask: Ask): Promise<ListedInfo[]> {
  const names = await listAliases(ask);
  const found = await Array.fromAsync(mapOrdered(names, AT_ONCE, (alias) => infoAt(ask, alias)));
  const ours = found.filter((info, i) => info !== undefined && aliasOf(info.name) === names[i]) as ListedInfo[];
  return ours.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** Lists the aliases of all collections. */
export const listAliases = async (ask: Ask): Promise<string[]> =>
  [...(await readAliases(ask)).keys()].filter((alias) => alias.startsWith(aliasOf('')));

async function infoAt(ask: Ask, alias: string): Promise<ListedInfo | undefined> {
  try {
    const state = await stateAt(ask, alias);
    return state && { name: state.name, provider: state.provider, model: state.model, dimensions: state.dimensions };
  } catch (error) {
    if (!hasCode(error, 'configuration')) throw error;
    return { name: nameOf(alias), provider: '', model: '', dimensions: 0, unreadable: error };
  }
}

/** Reads all aliases of the server, each with the table that it leads to. */
export async function readAliases(ask: Ask): Promise<Map<string, string>> {
  const found = await ask((api, init) => api.getCollectionsAliases({}, init));
  return new Map(found.aliases.map(({ alias_name, collection_name }) => [alias_name, collection_name]));
}

/**
 * Creates a table with its first state; undefined if another process has it, or has just made it. The nodes of a cluster learn of a table
 * one after the other.
 */
async function claimTable(ask: Ask, info: CollectionInfo, table: string): Promise<State | undefined> {
  for (let looks = 1; ; looks++) {
    try {
      return await tryToClaim(ask, info, table);
    } catch (error) {
      if (!hasCode(error, 'not_found') || looks === LOOKS) throw error;
    }
    await wait(LOOK_EVERY);
  }
}

async function tryToClaim(ask: Ask, info: CollectionInfo, table: string): Promise<State | undefined> {
  const { dimensions } = info;
  const vectors = dimensions > 0 ? { [DENSE]: { size: dimensions, distance: 'Cosine' as const } } : {};
  const given = { collection_name: table, vectors, sparse_vectors: { [TEXT]: {} } };
  const isMade = await ask((api, init) => api.createCollection(given, init), 'write').catch(ifCode(['conflict'], false));
  // it existed: its maker died after this step, or the response to this request was lost. The first state decides whose it is
  if (!isMade && (await readLayout(ask, table))?.dimensions !== dimensions) return undefined;
  await addIndexes(ask, table, [VERSION]);
  await assertComparing(ask, table);
  const state = (await saveFirst(ask, info, table)) ?? (await saveFirst(ask, info, table)); // meanwhile another process may have marked it as abandoned
  if (state) await addIndexes(ask, table, Object.keys(INDEXES) as (keyof typeof INDEXES)[]);
  return state;
}

async function saveFirst(ask: Ask, info: CollectionInfo, table: string): Promise<State | undefined> {
  const there = await stateAt(ask, table);
  return there === undefined || isMark(there) ? await saveState(ask, firstState(info, table), there) : undefined;
}

/** Whether a state is only the mark of the time since when a table without a state is known. */
const isMark = ({ provider, replaced_by }: State): boolean => provider === '' && replaced_by === undefined;

/** Creates indexes; existing ones stay. */
export async function addIndexes(ask: Ask, table: string, names: readonly (keyof typeof INDEXES)[]): Promise<void> {
  for (const field_name of names)
    await ask(
      (api, init) => api.createFieldIndex({ collection_name: table, wait: true, field_name, field_schema: INDEXES[field_name] }, init),
      'write',
    );
}

/** Reads the dimensions of a table, and whether it has no points; undefined if it is not of kb's layout. */
export async function readLayout(ask: Ask, table: string): Promise<{ dimensions: number; isEmpty: boolean } | undefined> {
  const { config, points_count } = await ask((api, init) => api.getCollection({ collection_name: table }, init));
  const { vectors, sparse_vectors } = config.params;
  const [names, dense] = [Object.keys(vectors ?? {}), (vectors as Record<string, { size: number }> | undefined)?.[DENSE]];
  const isOurs = sparse_vectors?.[TEXT] !== undefined && names.every((name) => name === DENSE);
  return isOurs ? { dimensions: dense?.size ?? 0, isEmpty: !points_count } : undefined;
}

/** Checks that the server honours the condition of a write. Throws a KbError (`configuration`) if it does not, as before 1.16. */
async function assertComparing(ask: Ask, table: string): Promise<void> {
  const id = randomUUID();
  for (const kb_probe of [1, 2]) {
    const points = [{ id, vector: {}, payload: { kb_probe } }];
    const update_filter = { must: [{ has_id: [STATE_POINT] }] };
    await ask((api, init) => api.upsertPoints({ collection_name: table, wait: true, points, update_filter }, init), 'write');
  }
  const [probe] = await ask((api, init) => api.getPoints({ collection_name: table, ids: [id], with_payload: true }, init));
  await ask((api, init) => api.deletePoints({ collection_name: table, wait: true, points: [id] }, init), 'write');
  if (probe?.payload?.['kb_probe'] !== 2) return;
  throw new KbError('configuration', 'This version of Qdrant can not keep several writers apart: it ignores the condition of a write.', {
    hint: operatorAdvice`Update Qdrant to 1.16 or later. What is stored can be read as it is.`,
  });
}

/**
 * Creates a collection that is visible at once. Throws a KbError (`conflict`) if there is one of that name, or another program uses the
 * name.
 */
export async function createTable(ask: Ask, info: CollectionInfo): Promise<State> {
  const alias = aliasOf(info.name);
  for (let looks = 1; ; looks++) {
    if (await stateAt(ask, alias)) throw existing(info.name);
    const table = tableOf(info.name, 0);
    const state = await claimTable(ask, info, table);
    if (state) {
      await makeAlias(ask, state).catch(async (error: unknown) => {
        await dropUnwritten(ask, state, state).catch(() => {}); // the first error is the one to report
        throw error;
      });
      return state;
    }
    if (looks > LOOKS) await removeUnnamed(ask, info.name, table);
    if (looks > LOOKS + 1) throw existing(info.name);
    await wait(LOOK_EVERY);
  }
}

/**
 * Removes the first table of a collection whose maker died before it had an alias. A table that gets its alias or its first chunk at this
 * moment stays.
 */
async function removeUnnamed(ask: Ask, name: string, table: string): Promise<void> {
  if (!(await readLayout(ask, table))) throw taken(table);
  const there = await stateAt(ask, table);
  const state = there ?? firstState({ name, provider: '', model: '', dimensions: 0 }, table);
  if ((await readAliases(ask)).get(aliasOf(name)) !== table) await dropUnwritten(ask, state, there);
}

/** Closes a table if its state is still `there`, so that no write to it is lost; then drops it. */
export async function dropUnwritten(ask: Ask, state: State, there: State | undefined): Promise<void> {
  if (await saveState(ask, { ...state, replaced_by: state.table }, there)) await dropTable(ask, state.table);
}

const existing = (name: string): KbError =>
  new KbError('conflict', `There is a collection «${name}» already.`, { hint: 'Use it, or choose another name.' });

async function makeAlias(ask: Ask, { name, table }: State): Promise<void> {
  const alias_name = aliasOf(name);
  const before = (await readAliases(ask)).get(alias_name);
  if (before !== undefined && before !== table) throw before.startsWith(`${alias_name}@`) ? existing(name) : taken(alias_name);
  await moveAlias(ask, { name, table });
}

/** Points the alias to a table, in one step. */
async function moveAlias(ask: Ask, { name, table }: Pick<State, 'name' | 'table'>): Promise<void> {
  const alias_name = aliasOf(name);
  const actions = [{ delete_alias: { alias_name } }, { create_alias: { alias_name, collection_name: table } }];
  await ask((api, init) => api.updateAliases({ actions }, init), 'write').catch((error: unknown) => {
    throw hasCode(error, 'conflict', 'invalid') ? taken(alias_name, error) : error;
  });
}

const taken = (alias: string, cause?: unknown): KbError =>
  new KbError('conflict', `Another program has something in Qdrant that is called «${alias}».`, {
    hint: 'Choose another name for the collection.',
    cause,
  });

/** A table that will replace the current one (`before`), which must not be written to meanwhile. */
export interface DraftTable {
  state: State;
  before: State | undefined;
}

/** Creates a table without an alias. Throws a KbError (`conflict`) if there are nine. */
export async function createDraftTable(ask: Ask, info: CollectionInfo): Promise<DraftTable> {
  const before = await stateAt(ask, aliasOf(info.name));
  const last = Number(TABLE_NAME.exec(before?.table ?? '')?.[2] ?? 0);
  for (let i = 0; i < DRAFTS; i++) {
    const state = await claimTable(ask, info, tableOf(info.name, ((last + i) % DRAFTS) + 1));
    if (state) return { state, before };
  }
  throw new KbError('conflict', `${DRAFTS} others are about to replace the collection «${info.name}».`, {
    hint: 'Run it again when they are done; what was left by runs that were killed is removed an hour later.',
    isRetryable: true,
  });
}

/**
 * Replaces a collection by a draft in one step, and removes the old table. Throws a KbError (`conflict`) if the old table was written to
 * meanwhile, or another program uses the name.
 */
export async function putInPlace(ask: Ask, { state, before }: DraftTable): Promise<void> {
  if (!before) {
    if (await stateAt(ask, aliasOf(state.name))) throw written(state.name);
    return await makeAlias(ask, state);
  }
  if (!(await saveState(ask, { ...before, replaced_by: state.table }, before))) throw written(state.name);
  await finishReplacement(ask, { ...before, replaced_by: state.table });
}

/**
 * Removes a draft that did not replace its collection. One that has, or will (`replaced_by`), stays: the response may have been lost, and
 * the next writer finishes the replacement.
 */
export async function discardDraft(ask: Ask, { state, before }: DraftTable): Promise<void> {
  const [led, old] = await Promise.all([readAliases(ask), before && ignoreUnreadable(stateAt(ask, before.table))]);
  if (led.get(aliasOf(state.name)) !== state.table && old?.replaced_by !== state.table) await dropTable(ask, state.table);
}

const written = (name: string): KbError =>
  new KbError('conflict', `Another run wrote to «${name}» while it was to be replaced.`, {
    hint: 'Run it again, when the other is done.',
    isRetryable: true,
  });

/** Finishes a replacement after the old table was closed; the process that closed it may have died. */
export async function finishReplacement(ask: Ask, { name, table, replaced_by }: State): Promise<void> {
  await moveAlias(ask, { name, table: replaced_by! });
  await dropTable(ask, table).catch(() => {}); // the replacement is done: the rest of the old table is cleaned up later
}

/** Loads the state of a collection for writing; waits while another table is about to replace it. */
export async function stateToWrite(ask: Ask, load: () => Promise<State>): Promise<State> {
  for (let looks = 1; ; looks++) {
    const state = await load();
    if (state.replaced_by === undefined) return state;
    if (looks === LOOKS) await finishReplacement(ask, state);
    if (looks > LOOKS) throw written(state.name);
    await wait(LOOK_EVERY);
  }
}

/** Removes a collection with its table in one step, also one of another form; false if there is none of kb. */
export async function removeTable(ask: Ask, name: string): Promise<boolean> {
  const alias = aliasOf(name);
  if (!(await stateAt(ask, alias).then(Boolean, ifCode(['configuration'], true)))) return false;
  const table = (await readAliases(ask)).get(alias);
  if (table === undefined) return false;
  await dropTable(ask, table); // its alias goes with it
  return true;
}

const dropTable = (ask: Ask, table: string): Promise<boolean> =>
  ask((api, init) => api.deleteCollection({ collection_name: table }, init), 'write');

/** Returns the result, or undefined if the table is gone (`not_found`) or of another form (`configuration`). */
export const ignoreUnreadable = <T>(work: Promise<T>): Promise<T | undefined> =>
  work.catch(ifCode(['not_found', 'configuration'], undefined));
