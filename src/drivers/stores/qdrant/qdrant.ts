import { homedir } from 'node:os';
import { join } from 'node:path';
import { KbError } from '../../../core/errors.ts';
import { mapOrdered } from '../../../core/concurrency.ts';
import type { CollectionInfo, VectorStore } from '../../../ports/stores.ts';
import { type Ask, PATIENCE, REST_PORT, serverAt, KEY_VARIABLE } from './qdrant-connection.ts';
import { DENSE, INDEXES, TEXT } from './points.ts';
import {
  firstState,
  saveState,
  type State,
  stateAt,
  type CollectionHolder,
  holdCollection,
  type MayWritePoints,
} from './collection-holder.ts';
import { ChunkCache } from '../chunk-cache.ts';
import { hash } from '../../../core/ids.ts';
import type { RetryOptions } from '../../../core/retry.ts';
import { serverAddress, serverName } from '../../../http/server-address.ts';
import { qdrantCollection } from './qdrant-collection.ts';
import { readOptions } from './qdrant-options.ts';
import { dispatcherFor, firstToAnswer } from './qdrant-servers.ts';
import { describeServer } from './describe-server.ts';
import { lockForWriting, type WriterLock } from '../writer-lock.ts';

// A collection of kb is a collection of Qdrant («table» here) behind an alias. Aliases change over in one step, so that another table takes the
// place of the one that readers use. Everything of ours begins with `kb.`; what has no state of ours in it is left alone, whatever its name.

/** What readers and writers of a collection ask for. */
const aliasOf = (name: string): string => `kb.${name}`;

const tableName = (name: string): string =>
  `${aliasOf(name)}@${Date.now().toString(36)}-${Math.random().toString(36).slice(2, 8).padEnd(6, '0')}`;

/** After how many milliseconds without a write a table that no alias leads to is taken for left behind. */
const ORPHANED_AFTER = 3_600_000;
/** Questions at once. */
const AT_ONCE = 8;

async function listAliases(ask: Ask): Promise<State[]> {
  const names = [...(await aliases(ask)).keys()].filter((alias) => alias.startsWith(aliasOf('')));
  const states = await Array.fromAsync(mapOrdered(names, AT_ONCE, (alias) => stateAt(ask, alias)));
  const ours = states.filter((state, i) => state !== undefined && aliasOf(state.name) === names[i]) as State[];
  return ours.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

async function aliases(ask: Ask): Promise<Map<string, string>> {
  const found = await ask((api, init) => api.getCollectionsAliases({}, init));
  return new Map(found.aliases.map(({ alias_name, collection_name }) => [alias_name, collection_name]));
}

async function createDraft(ask: Ask, info: CollectionInfo): Promise<State> {
  const table = tableName(info.name);
  const { dimensions } = info;
  const vectors = dimensions > 0 ? { [DENSE]: { size: dimensions, distance: 'Cosine' as const } } : {};
  await ask((api, init) => api.createCollection({ collection_name: table, vectors, sparse_vectors: { [TEXT]: {} } }, init));
  try {
    const state = await saveState(ask, firstState(info, table));
    for (const [field_name, field_schema] of Object.entries(INDEXES))
      await ask((api, init) => api.createFieldIndex({ collection_name: table, wait: true, field_name, field_schema }, init));
    return state;
  } catch (error) {
    await dropCollection(ask, table).catch(() => {}); // what went wrong first is what is to be told
    throw error;
  }
}

/** Lets the collection be what this table holds, in one step, and removes the table that it was before. Throws a KbError (`conflict`) where the name is another program's. */
async function putInPlace(ask: Ask, { name, table }: State): Promise<void> {
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
  if (before !== undefined) await dropCollection(ask, before).catch(() => {}); // the new one holds: what is left of the old one is tidied away later
}

const taken = (alias: string, cause?: unknown): KbError =>
  new KbError('conflict', `Another program has something in Qdrant that is called «${alias}».`, {
    hint: 'Choose another name for the collection.',
    cause,
  });

/** Removes the collection and its table; false where there is none of ours. */
async function removeAlias(ask: Ask, name: string): Promise<boolean> {
  const alias_name = aliasOf(name);
  if (!(await stateAt(ask, alias_name))) return false;
  const table = (await aliases(ask)).get(alias_name);
  if (table === undefined) return false;
  await ask((api, init) => api.updateAliases({ actions: [{ delete_alias: { alias_name } }] }, init));
  await dropCollection(ask, table);
  return true;
}

const dropCollection = (ask: Ask, table: string): Promise<boolean> =>
  ask((api, init) => api.deleteCollection({ collection_name: table }, init));

/** Removes tables of ours that no alias leads to and that nobody has written to for an hour: processes that died have left them. */
async function removeOrphans(ask: Ask): Promise<void> {
  const [{ collections }, led] = await Promise.all([ask((api, init) => api.getCollections({}, init)), aliases(ask)]);
  const tables = new Set(led.values());
  for (const { name } of collections) {
    if (!/^kb\..+@[0-9a-z]+-[0-9a-z]{6}$/.test(name) || tables.has(name)) continue;
    const state = await stateAt(ask, name);
    if (state?.table === name && state.written < Date.now() - ORPHANED_AFTER) await dropCollection(ask, name);
  }
}

interface ReachOptions {
  key: string | undefined;
  options: QdrantOptions['options'];
  patience: RetryOptions | undefined;
}

/** Ways to the server, or to the first one of a cluster that answers. */
function reach(url: string, { key, options, patience: given }: ReachOptions): Ask {
  const { parameters, reach: reached } = readOptions(options);
  const { timeout, retries, urls, ...connecting } = reached;
  const patience = given ?? (retries === undefined ? PATIENCE : { ...PATIENCE, attempts: retries + 1 });
  let opened: ReturnType<typeof dispatcherFor> | undefined;
  const dispatcher = () => (opened ??= dispatcherFor(connecting));
  const others = urls.map((other) => serverAddress(other, { port: REST_PORT })).filter((other) => other !== url);
  const isOne = others.length === urls.length; // the list is not that of this address
  const servers = [url, ...(isOne ? [] : others)];
  const common = { key, timeout, parameters, dispatcher };
  if (servers.length === 1) return serverAt({ ...common, url, patience });
  return firstToAnswer(
    servers.map((address) => serverAt({ ...common, url: address, patience: { attempts: 1 } })),
    patience,
  );
}

interface QdrantOptions {
  /** http or https; without a port, 6333. */
  url: string;
  /** Whether the address is one that the key is meant for; true where absent. */
  isTrusted?: boolean;
  /** `storage.options`: what qdrant/options.ts lists. */
  options?: Record<string, unknown> | undefined;
  /** `QDRANT_API_KEY` is sent to `url` where that is trusted, and to nothing else; the locks lie in `XDG_STATE_HOME`. */
  environment?: NodeJS.ProcessEnv;
  /** How often and after how long a request that failed is sent again. */
  patience?: RetryOptions;
}

/**
 * A store in a Qdrant server (1.10 or later). Nothing is sent before it is first used. Qdrant has no locks: writers on this machine wait for each other
 * by a file in its state folder, however they spell the address. Writers on several machines, or by several names of one machine other than `localhost`
 * and 127.0.0.1, must not overlap, which nothing here can see to. What a write guarantees is said at `replace`.
 *
 * Throws a KbError: `configuration` for what is no address of a Qdrant server, or no option of it, `setup` where the key is missing or wrong, `unavailable` where it does not answer.
 */
export async function openQdrant(given: QdrantOptions): Promise<VectorStore> {
  const { isTrusted = true, environment = process.env, patience } = given;
  const url = serverAddress(given.url, { port: REST_PORT });
  const key = (isTrusted && environment[KEY_VARIABLE]) || undefined;
  const ask = reach(url, { key, options: given.options, patience });
  const locks = new Map<string, WriterLock>();
  const mayWrite: MayWritePoints = async (name) => locks.get(name)?.assertHeld();
  const holders = holdersOf(ask, mayWrite);
  return {
    provider: 'qdrant',
    collections: async () =>
      (await listAliases(ask)).map(({ name, provider, model, dimensions }) => ({ name, provider, model, dimensions })),
    open: async (name) => {
      const state = await stateAt(ask, aliasOf(name));
      return state && qdrantCollection(holders.of(state));
    },
    create: async (info) => qdrantCollection(holders.of(await create(ask, info))),
    draft: async (info) => {
      await removeOrphans(ask);
      const state = await createDraft(ask, info);
      const commit = async () => {
        await mayWrite(info.name);
        await putInPlace(ask, state);
      };
      const discard = async () => void (await dropCollection(ask, state.table));
      return { collection: qdrantCollection(holders.ofDraft(state)), commit, discard };
    },
    drop: async (name) => {
      await mayWrite(name);
      return await removeAlias(ask, name);
    },
    lock: async (name, options) => {
      const lock = await lockForWriting(lockFolder(environment), hash(serverName(url), name).slice(0, 32), options).catch(
        unlockable(environment),
      );
      locks.set(name, lock);
      return async () => {
        if (locks.get(name) === lock) locks.delete(name);
        await lock.release();
      };
    },
    describe: () => describeServer(ask),
    close: async () => {}, // idle connections keep no process alive, and end by themselves
  };
}

/** All who open a collection share one queue of writes. */
function holdersOf(ask: Ask, mayWrite: MayWritePoints) {
  const known = new Map<string, CollectionHolder>();
  const common = { ask, mayWrite, chunks: new ChunkCache() };
  return {
    of: (state: State): CollectionHolder => {
      const address = aliasOf(state.name);
      const holder = known.get(address) ?? holdCollection(address, { ...common, state });
      known.set(address, holder);
      holder.learn(state);
      return holder;
    },
    ofDraft: (state: State): CollectionHolder => holdCollection(state.table, { ...common, state }),
  };
}

const existing = (name: string): KbError =>
  new KbError('conflict', `There is a collection «${name}» already.`, {
    hint: `Remove it with «kb collections drop ${name}», or choose another name.`,
  });

async function create(ask: Ask, info: CollectionInfo): Promise<State> {
  if (await stateAt(ask, aliasOf(info.name))) throw existing(info.name);
  await removeOrphans(ask);
  const state = await createDraft(ask, info);
  try {
    if (await stateAt(ask, aliasOf(info.name))) throw existing(info.name); // another process was quicker
    await putInPlace(ask, state);
  } catch (error) {
    await dropCollection(ask, state.table).catch(() => {}); // what went wrong first is what is to be told
    throw error;
  }
  return state;
}

const lockFolder = (environment: NodeJS.ProcessEnv): string =>
  join(environment['XDG_STATE_HOME'] || join(homedir(), '.local', 'state'), 'kb', 'locks');

const unlockable =
  (environment: NodeJS.ProcessEnv) =>
  (error: unknown): never => {
    if (error instanceof KbError) throw error;
    throw new KbError('configuration', `No lock can be kept in ${lockFolder(environment)}: ${(error as Error).message}.`, {
      hint: 'Set XDG_STATE_HOME to a folder that you may write to.',
      cause: error,
    });
  };
