import { operatorAdvice } from '../../../core/advice/advice.ts';
import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { mapOrdered } from '../../../core/concurrency.ts';
import { KbError, hasCode, ifCode } from '../../../core/errors.ts';
import type { CollectionInfo, ListedInfo } from '../../../ports/stores.ts';
import {
  createFirstState,
  STATE_CHECK_INTERVAL,
  saveState,
  type CollectionState,
  STATE_POINT,
  readState,
  VERSION_KEY,
} from './collection-state.ts';
import { DENSE, INDEXES, TEXT } from './points.ts';
import type { SendRequest } from './qdrant-connection.ts';

// A collection of kb is a collection of Qdrant (here called a table) behind an alias. Aliases change atomically, so that another table can replace the one
// that readers use. All names of kb begin with `kb.`; a table without a state of kb is never touched, whatever its name.
//
// The name of a table is that of the collection and a digit, so that a token can be granted access to all of them: 0 for a new collection, the others for
// drafts. Aliases have no compare-and-set: the last change wins. So a new collection begins with table 0, which only one process can create.

/** Makes the alias of a collection, which readers and writers use. */
export const aliasOf = (name: string): string => `kb.${name}`;
/** Extracts the name of the collection from an alias. */
export const nameOfAlias = (alias: string): string => alias.slice(aliasOf('').length);
const tableOf = (name: string, digit: number): string => `${aliasOf(name)}@${digit}`;
/** Matches names of tables. */
export const TABLE_NAME = /^kb\.(.+)@([0-9])$/;
const MAX_DRAFTS = 9;

/** Concurrent requests. */
const CONCURRENT_REQUESTS = 8;
/** Maximum checks whether another process is done. */
const MAX_CHECKS = 100;

/** Lists all collections, sorted by name; unreadable ones with the reason. */
export async function listTables(send: SendRequest): Promise<ListedInfo[]> {
  const names = await listAliases(send);
  const found = await Array.fromAsync(mapOrdered(names, CONCURRENT_REQUESTS, (alias) => readInfo(send, alias)));
  const ours = found.filter((info, i) => info !== undefined && aliasOf(info.name) === names[i]) as ListedInfo[];
  return ours.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** Lists the aliases of all collections. */
export const listAliases = async (send: SendRequest): Promise<string[]> =>
  [...(await readAliases(send)).keys()].filter((alias) => alias.startsWith(aliasOf('')));

async function readInfo(send: SendRequest, alias: string): Promise<ListedInfo | undefined> {
  try {
    const state = await readState(send, alias);
    return state && { name: state.name, provider: state.provider, model: state.model, dimensions: state.dimensions };
  } catch (error) {
    if (!hasCode(error, 'configuration')) throw error;
    return { name: nameOfAlias(alias), provider: '', model: '', dimensions: 0, unreadable: error };
  }
}

/** Reads all aliases of the server, with their tables. */
export async function readAliases(send: SendRequest): Promise<Map<string, string>> {
  const found = await send((api, init) => api.getCollectionsAliases({}, init));
  return new Map(found.aliases.map(({ alias_name, collection_name }) => [alias_name, collection_name]));
}

/**
 * Creates a table with its first state; undefined if another process owns it. Retries while nodes of the cluster do not know the new table yet.
 */
async function claimTable(send: SendRequest, info: CollectionInfo, table: string): Promise<CollectionState | undefined> {
  for (let checks = 1; ; checks++) {
    try {
      return await tryToClaim(send, info, table);
    } catch (error) {
      if (!hasCode(error, 'not_found') || checks === MAX_CHECKS) throw error;
    }
    await wait(STATE_CHECK_INTERVAL);
  }
}

async function tryToClaim(send: SendRequest, info: CollectionInfo, table: string): Promise<CollectionState | undefined> {
  const { dimensions } = info;
  const vectors = dimensions > 0 ? { [DENSE]: { size: dimensions, distance: 'Cosine' as const } } : {};
  const given = { collection_name: table, vectors, sparse_vectors: { [TEXT]: {} } };
  const isCreated = await send((api, init) => api.createCollection(given, init), 'write').catch(ifCode(['conflict'], false));
  // it exists: another process died after this step, or the response to this request was lost; the first state decides who owns it
  if (!isCreated && (await readLayout(send, table))?.dimensions !== dimensions) return undefined;
  await addIndexes(send, table, [VERSION_KEY]);
  await assertConditionalWrites(send, table);
  const state = (await saveFirstState(send, info, table)) ?? (await saveFirstState(send, info, table)); // again if another process has marked it as abandoned meanwhile
  if (state) await addIndexes(send, table, Object.keys(INDEXES) as (keyof typeof INDEXES)[]);
  return state;
}

async function saveFirstState(send: SendRequest, info: CollectionInfo, table: string): Promise<CollectionState | undefined> {
  const stored = await readState(send, table);
  return stored === undefined || isAgeMark(stored) ? await saveState(send, createFirstState(info, table), stored) : undefined;
}

/** Whether a state is only a mark that tells since when a table without a state is known. */
const isAgeMark = ({ provider, replaced_by }: CollectionState): boolean => provider === '' && replaced_by === undefined;

/** Creates indexes; existing ones stay. */
export async function addIndexes(send: SendRequest, table: string, names: readonly (keyof typeof INDEXES)[]): Promise<void> {
  for (const field_name of names)
    await send(
      (api, init) => api.createFieldIndex({ collection_name: table, wait: true, field_name, field_schema: INDEXES[field_name] }, init),
      'write',
    );
}

/** Reads the dimensions of a table, and whether it has no points; undefined if it does not have kb's layout. */
export async function readLayout(send: SendRequest, table: string): Promise<{ dimensions: number; isEmpty: boolean } | undefined> {
  const { config, points_count } = await send((api, init) => api.getCollection({ collection_name: table }, init));
  const { vectors, sparse_vectors } = config.params;
  const [names, dense] = [Object.keys(vectors ?? {}), (vectors as Record<string, { size: number }> | undefined)?.[DENSE]];
  const isOurs = sparse_vectors?.[TEXT] !== undefined && names.every((name) => name === DENSE);
  return isOurs ? { dimensions: dense?.size ?? 0, isEmpty: !points_count } : undefined;
}

/** Checks that the server supports conditional writes. Throws a KbError (`configuration`) if it does not, as before 1.16. */
async function assertConditionalWrites(send: SendRequest, table: string): Promise<void> {
  const id = randomUUID();
  for (const kb_probe of [1, 2]) {
    const points = [{ id, vector: {}, payload: { kb_probe } }];
    const update_filter = { must: [{ has_id: [STATE_POINT] }] };
    await send((api, init) => api.upsertPoints({ collection_name: table, wait: true, points, update_filter }, init), 'write');
  }
  const [probe] = await send((api, init) => api.getPoints({ collection_name: table, ids: [id], with_payload: true }, init));
  await send((api, init) => api.deletePoints({ collection_name: table, wait: true, points: [id] }, init), 'write');
  if (probe?.payload?.['kb_probe'] !== 2) return;
  throw new KbError('configuration', 'This version of Qdrant can not keep several writers apart: it ignores the condition of a write.', {
    hint: operatorAdvice`Update Qdrant to 1.16 or later. What is stored can be read as it is.`,
  });
}

/**
 * Creates a collection that is visible at once. Throws a KbError (`conflict`) if it exists, or another program uses the name.
 */
export async function createTable(send: SendRequest, info: CollectionInfo): Promise<CollectionState> {
  const alias = aliasOf(info.name);
  for (let checks = 1; ; checks++) {
    if (await readState(send, alias)) throw collectionExistsError(info.name);
    const table = tableOf(info.name, 0);
    const state = await claimTable(send, info, table);
    if (state) {
      await makeAlias(send, state).catch(async (error: unknown) => {
        await dropIfUnchanged(send, state, state).catch(() => {}); // the first error is the one to report
        throw error;
      });
      return state;
    }
    if (checks > MAX_CHECKS) await removeWithoutAlias(send, info.name, table);
    if (checks > MAX_CHECKS + 1) throw collectionExistsError(info.name);
    await wait(STATE_CHECK_INTERVAL);
  }
}

/**
 * Removes the first table of a collection whose creator died before it set the alias. A table that gets its alias or its first chunk meanwhile stays.
 */
async function removeWithoutAlias(send: SendRequest, name: string, table: string): Promise<void> {
  if (!(await readLayout(send, table))) throw nameTakenError(table);
  const stored = await readState(send, table);
  const state = stored ?? createFirstState({ name, provider: '', model: '', dimensions: 0 }, table);
  if ((await readAliases(send)).get(aliasOf(name)) !== table) await dropIfUnchanged(send, state, stored);
}

/** Closes a table if its state is still `stored`, so that no write to it is lost; then drops it. */
export async function dropIfUnchanged(send: SendRequest, state: CollectionState, stored: CollectionState | undefined): Promise<void> {
  if (await saveState(send, { ...state, replaced_by: state.table }, stored)) await dropTable(send, state.table);
}

const collectionExistsError = (name: string): KbError =>
  new KbError('conflict', `There is a collection "${name}" already.`, { hint: 'Use it, or choose another name.' });

async function makeAlias(send: SendRequest, { name, table }: CollectionState): Promise<void> {
  const alias_name = aliasOf(name);
  const before = (await readAliases(send)).get(alias_name);
  if (before !== undefined && before !== table)
    throw before.startsWith(`${alias_name}@`) ? collectionExistsError(name) : nameTakenError(alias_name);
  await moveAlias(send, { name, table });
}

/** Points the alias to a table, in one step. */
async function moveAlias(send: SendRequest, { name, table }: Pick<CollectionState, 'name' | 'table'>): Promise<void> {
  const alias_name = aliasOf(name);
  const actions = [{ delete_alias: { alias_name } }, { create_alias: { alias_name, collection_name: table } }];
  await send((api, init) => api.updateAliases({ actions }, init), 'write').catch((error: unknown) => {
    throw hasCode(error, 'conflict', 'invalid') ? nameTakenError(alias_name, error) : error;
  });
}

const nameTakenError = (alias: string, cause?: unknown): KbError =>
  new KbError('conflict', `Another program has something in Qdrant that is called "${alias}".`, {
    hint: 'Choose another name for the collection.',
    cause,
  });

/** A table that will replace the current one, which must still have the state `before` then. */
export interface DraftTable {
  state: CollectionState;
  before: CollectionState | undefined;
}

/** Creates a table without an alias. Throws a KbError (`conflict`) if there are nine. */
export async function createDraftTable(send: SendRequest, info: CollectionInfo): Promise<DraftTable> {
  const before = await readState(send, aliasOf(info.name));
  const last = Number(TABLE_NAME.exec(before?.table ?? '')?.[2] ?? 0);
  for (let i = 0; i < MAX_DRAFTS; i++) {
    const state = await claimTable(send, info, tableOf(info.name, ((last + i) % MAX_DRAFTS) + 1));
    if (state) return { state, before };
  }
  throw new KbError('conflict', `${MAX_DRAFTS} others are about to replace the collection "${info.name}".`, {
    hint: 'Run it again when they are done; what was left by runs that were killed is removed an hour later.',
    isRetryable: true,
  });
}

/**
 * Atomically replaces a collection by a draft, and removes the old table. Throws a KbError (`conflict`) if the old table was written to meanwhile, or another
 * program uses the name.
 */
export async function commitDraft(send: SendRequest, { state, before }: DraftTable): Promise<void> {
  if (!before) {
    if (await readState(send, aliasOf(state.name))) throw writtenMeanwhileError(state.name);
    return await makeAlias(send, state);
  }
  if (!(await saveState(send, { ...before, replaced_by: state.table }, before))) throw writtenMeanwhileError(state.name);
  await finishReplacement(send, { ...before, replaced_by: state.table });
}

/**
 * Removes a draft, unless it has replaced its collection or will do so (`replaced_by`): the response may have been lost, and the next writer finishes the
 * replacement.
 */
export async function discardDraft(send: SendRequest, { state, before }: DraftTable): Promise<void> {
  const [aliases, old] = await Promise.all([readAliases(send), before && ignoreUnreadable(readState(send, before.table))]);
  if (aliases.get(aliasOf(state.name)) !== state.table && old?.replaced_by !== state.table) await dropTable(send, state.table);
}

const writtenMeanwhileError = (name: string): KbError =>
  new KbError('conflict', `Another run wrote to "${name}" while it was to be replaced.`, {
    hint: 'Run it again, when the other is done.',
    isRetryable: true,
  });

/** Finishes a replacement whose old table is closed; the process that began it may have died. */
export async function finishReplacement(send: SendRequest, { name, table, replaced_by }: CollectionState): Promise<void> {
  await moveAlias(send, { name, table: replaced_by! });
  await dropTable(send, table).catch(() => {}); // the replacement is complete: leftovers of the old table are removed later
}

/** Loads the state of a collection for writing; waits while another table is about to replace it. */
export async function loadWritableState(send: SendRequest, load: () => Promise<CollectionState>): Promise<CollectionState> {
  for (let checks = 1; ; checks++) {
    const state = await load();
    if (state.replaced_by === undefined) return state;
    if (checks === MAX_CHECKS) await finishReplacement(send, state);
    if (checks > MAX_CHECKS) throw writtenMeanwhileError(state.name);
    await wait(STATE_CHECK_INTERVAL);
  }
}

/** Removes a collection with its table, even one of another form; false if there is none of kb. */
export async function removeTable(send: SendRequest, name: string): Promise<boolean> {
  const alias = aliasOf(name);
  if (!(await readState(send, alias).then(Boolean, ifCode(['configuration'], true)))) return false;
  const table = (await readAliases(send)).get(alias);
  if (table === undefined) return false;
  await dropTable(send, table); // its alias goes with it
  return true;
}

const dropTable = (send: SendRequest, table: string): Promise<boolean> =>
  send((api, init) => api.deleteCollection({ collection_name: table }, init), 'write');

/** Returns the result, or undefined if the table is gone (`not_found`) or of another form (`configuration`). */
export const ignoreUnreadable = <T>(work: Promise<T>): Promise<T | undefined> =>
  work.catch(ifCode(['not_found', 'configuration'], undefined));
