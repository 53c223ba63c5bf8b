import { toOperator } from '../../../core/advice/advice.ts';
import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { mapOrdered } from '../../../core/concurrency.ts';
import { KbError } from '../../../core/errors.ts';
import type { CollectionInfo, ListedInfo } from '../../../ports/stores.ts';
import { firstState, LOOK_EVERY, saveState, type State, STATE_POINT, stateAt, VERSION } from './collection-state.ts';
import { DENSE, INDEXES, TEXT } from './points.ts';
import type { Ask } from './qdrant-connection.ts';

// A collection of kb is a collection of Qdrant («table» here) behind an alias. Aliases change over in one step, so that another table takes the
// place of the one that readers use. Everything of ours begins with `kb.`; what has no state of ours in it is left alone, whatever its name.
//
// A table has the name of the collection and a digit, so that a token can be granted all of them: 0 for one that is made anew, the others for drafts.
// Aliases know no comparing: the last one wins. So who makes a collection first makes its table 0, of which there can be only one.

/** What readers and writers of a collection ask for. */
export const aliasOf = (name: string): string => `kb.${name}`;
/** The collection that an alias of ours leads to. */
export const nameOf = (alias: string): string => alias.slice(aliasOf('').length);
const tableOf = (name: string, digit: number): string => `${aliasOf(name)}@${digit}`;
/** Names of tables; those of form 1 end with a time and random letters. */
export const TABLE_NAME = /^kb\.(.+)@(?:([0-9])|[0-9a-z]+-[0-9a-z]{6})$/;
const DRAFTS = 9;

/** Questions at once. */
const AT_ONCE = 8;
/** How often one looks whether another is done. */
const LOOKS = 100;

/** All collections by name; those that can't be read with the reason. */
export async function listTables(ask: Ask): Promise<ListedInfo[]> {
  const names = await listAliases(ask);
  const found = await Array.fromAsync(mapOrdered(names, AT_ONCE, (alias) => infoAt(ask, alias)));
  const ours = found.filter((info, i) => info !== undefined && aliasOf(info.name) === names[i]) as ListedInfo[];
  return ours.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** The aliases of all collections. */
export const listAliases = async (ask: Ask): Promise<string[]> =>
  [...(await readAliases(ask)).keys()].filter((alias) => alias.startsWith(aliasOf('')));

async function infoAt(ask: Ask, alias: string): Promise<ListedInfo | undefined> {
  try {
    const state = await stateAt(ask, alias);
    return state && { name: state.name, provider: state.provider, model: state.model, dimensions: state.dimensions };
  } catch (error) {
    if (!(error instanceof KbError) || error.code !== 'configuration') throw error;
    return { name: nameOf(alias), provider: '', model: '', dimensions: 0, unreadable: error };
  }
}

export async function readAliases(ask: Ask): Promise<Map<string, string>> {
  const found = await ask((api, init) => api.getCollectionsAliases({}, init));
  return new Map(found.aliases.map(({ alias_name, collection_name }) => [alias_name, collection_name]));
}

/** Makes the table with its first state; undefined where another has it, or has just made it. Nodes of a cluster hear of a table one after the other. */
async function claimTable(ask: Ask, info: CollectionInfo, table: string): Promise<State | undefined> {
  for (let looks = 1; ; looks++) {
    try {
      return await tryToClaim(ask, info, table);
    } catch (error) {
      if (!(error instanceof KbError) || error.code !== 'not_found' || looks === LOOKS) throw error;
    }
    await wait(LOOK_EVERY);
  }
}

async function tryToClaim(ask: Ask, info: CollectionInfo, table: string): Promise<State | undefined> {
  const { dimensions } = info;
  const vectors = dimensions > 0 ? { [DENSE]: { size: dimensions, distance: 'Cosine' as const } } : {};
  const given = { collection_name: table, vectors, sparse_vectors: { [TEXT]: {} } };
  const isMade = await ask((api, init) => api.createCollection(given, init), 'write').catch(isThere);
  // it was there: from who died after this, or by the same request, whose answer was lost. The first state tells whose it is
  if (!isMade && (await readLayout(ask, table))?.dimensions !== dimensions) return undefined;
  await addIndexes(ask, table, [VERSION]);
  await assertComparing(ask, table);
  const state = (await saveFirst(ask, info, table)) ?? (await saveFirst(ask, info, table)); // in between one may have marked it as left behind
  if (state) await addIndexes(ask, table, Object.keys(INDEXES) as (keyof typeof INDEXES)[]);
  return state;
}

async function saveFirst(ask: Ask, info: CollectionInfo, table: string): Promise<State | undefined> {
  const there = await stateAt(ask, table);
  return there === undefined || isMark(there) ? await saveState(ask, firstState(info, table), there) : undefined;
}

/** Whether a state only says since when a table is known that has none. */
const isMark = ({ provider, replaced_by }: State): boolean => provider === '' && replaced_by === undefined;

function isThere(error: unknown): false {
  if (error instanceof KbError && error.code === 'conflict') return false;
  throw error;
}

/** Makes indexes; those that are there stay. */
export async function addIndexes(ask: Ask, table: string, names: readonly (keyof typeof INDEXES)[]): Promise<void> {
  for (const field_name of names)
    await ask(
      (api, init) => api.createFieldIndex({ collection_name: table, wait: true, field_name, field_schema: INDEXES[field_name] }, init),
      'write',
    );
}

/** The length of a table's vectors, and whether it has no points; undefined for what is not of our form. */
export async function readLayout(ask: Ask, table: string): Promise<{ dimensions: number; isEmpty: boolean } | undefined> {
  const { config, points_count } = await ask((api, init) => api.getCollection({ collection_name: table }, init));
  const { vectors, sparse_vectors } = config.params;
  const [names, dense] = [Object.keys(vectors ?? {}), (vectors as Record<string, { size: number }> | undefined)?.[DENSE]];
  const isOurs = sparse_vectors?.[TEXT] !== undefined && names.every((name) => name === DENSE);
  return isOurs ? { dimensions: dense?.size ?? 0, isEmpty: !points_count } : undefined;
}

/** Throws a KbError (`configuration`) where the server writes also what is to be written under a condition that does not hold, as those before 1.16 do. */
export async function assertComparing(ask: Ask, table: string): Promise<void> {
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
    hint: toOperator`Update Qdrant to 1.16 or later. What is stored can be read as it is.`,
  });
}

/** Makes a collection that is seen at once. Throws a KbError (`conflict`) where there is one of that name, or another program has the name. */
export async function createTable(ask: Ask, info: CollectionInfo): Promise<State> {
  const alias = aliasOf(info.name);
  for (let looks = 1; ; looks++) {
    if (await stateAt(ask, alias)) throw existing(info.name);
    const table = tableOf(info.name, 0);
    const state = await claimTable(ask, info, table);
    if (state) {
      await makeAlias(ask, state).catch(async (error: unknown) => {
        await dropUnwritten(ask, state, state).catch(() => {}); // what went wrong first is what is to be told
        throw error;
      });
      return state;
    }
    if (looks > LOOKS) await removeUnnamed(ask, info.name, table);
    if (looks > LOOKS + 1) throw existing(info.name);
    await wait(LOOK_EVERY);
  }
}

/** Removes the first table of a collection, whose maker has died before it had a name. One that gets its name or its first chunk this moment stays. */
async function removeUnnamed(ask: Ask, name: string, table: string): Promise<void> {
  if (!(await readLayout(ask, table))) throw taken(table);
  const there = await stateAt(ask, table);
  const state = there ?? firstState({ name, provider: '', model: '', dimensions: 0 }, table);
  if ((await readAliases(ask)).get(aliasOf(name)) !== table) await dropUnwritten(ask, state, there);
}

/** Closes the table where its state is still `there`, so that nobody writes to it what would be lost; then drops it. */
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

/** Lets the alias lead to the table, in one step. */
async function moveAlias(ask: Ask, { name, table }: Pick<State, 'name' | 'table'>): Promise<void> {
  const alias_name = aliasOf(name);
  const actions = [{ delete_alias: { alias_name } }, { create_alias: { alias_name, collection_name: table } }];
  await ask((api, init) => api.updateAliases({ actions }, init), 'write').catch((error: unknown) => {
    throw error instanceof KbError && (error.code === 'conflict' || error.code === 'invalid') ? taken(alias_name, error) : error;
  });
}

const taken = (alias: string, cause?: unknown): KbError =>
  new KbError('conflict', `Another program has something in Qdrant that is called «${alias}».`, {
    hint: 'Choose another name for the collection.',
    cause,
  });

/** A table that is to take the place of what is there now (`before`), which must not be written to meanwhile. */
export interface DraftTable {
  state: State;
  before: State | undefined;
}

/** Makes a table that no alias leads to. Throws a KbError (`conflict`) where there are nine. */
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

/** Lets the collection be what the draft holds, in one step, and removes what it was before. Throws a KbError (`conflict`) where that was written to meanwhile, or the name is another program's. */
export async function putInPlace(ask: Ask, { state, before }: DraftTable): Promise<void> {
  if (!before) {
    if (await stateAt(ask, aliasOf(state.name))) throw written(state.name);
    return await makeAlias(ask, state);
  }
  if (!(await saveState(ask, { ...before, replaced_by: state.table }, before))) throw written(state.name);
  await finishReplacement(ask, { ...before, replaced_by: state.table });
}

/**
 * Removes a draft that did not take its place. One that has, or will (`replaced_by`), stays: an answer that was lost does not tell, and the next writer
 * finishes it.
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

/** Does what is left to do when a table has been closed because another takes its place; whoever closed it may have died. */
export async function finishReplacement(ask: Ask, { name, table, replaced_by }: State): Promise<void> {
  await moveAlias(ask, { name, table: replaced_by! });
  await dropTable(ask, table).catch(() => {}); // the new one holds: what is left of the old one is tidied away later
}

/** The state of a collection that is to be written to: waits where another table is about to take its place. */
export async function stateToWrite(ask: Ask, load: () => Promise<State>): Promise<State> {
  for (let looks = 1; ; looks++) {
    const state = await load();
    if (state.replaced_by === undefined) return state;
    if (looks === LOOKS) await finishReplacement(ask, state);
    if (looks > LOOKS) throw written(state.name);
    await wait(LOOK_EVERY);
  }
}

/** Removes the collection with its table, in one step; false where there is none of ours. */
export async function removeTable(ask: Ask, name: string): Promise<boolean> {
  const alias = aliasOf(name);
  if (!(await stateAt(ask, alias))) return false;
  const table = (await readAliases(ask)).get(alias);
  if (table === undefined) return false;
  await dropTable(ask, table); // its alias goes with it
  return true;
}

const dropTable = (ask: Ask, table: string): Promise<boolean> =>
  ask((api, init) => api.deleteCollection({ collection_name: table }, init), 'write');

/** The answer, or undefined where another was quicker, or a table is of a later form. */
export const ignoreUnreadable = <T>(work: Promise<T>): Promise<T | undefined> =>
  work.catch((error: unknown) => {
    if (!(error instanceof KbError) || !['not_found', 'configuration'].includes(error.code)) throw error;
    return undefined;
  });
