import { homedir } from 'node:os';
import { join } from 'node:path';
import { KbError } from '../../base/errors.ts';
import { hash } from '../../base/ids.ts';
import type { RetryOptions } from '../../base/retry.ts';
import { serverAddress, serverName } from '../../base/server-address.ts';
import type { CollectionInfo, VectorStore } from '../../ports/stores.ts';
import { aliasOf, drop, list, make, putInPlace, remove, removeOrphans } from './qdrant/catalog.ts';
import { collectionIn } from './qdrant/collection.ts';
import { REST_PORT, serverAt, type Ask } from './qdrant/connect.ts';
import { KEY_VARIABLE } from './qdrant/errors.ts';
import { hold, type Holder, type MayWrite } from './qdrant/holder.ts';
import { readOptions } from './qdrant/options.ts';
import { stateAt, type State } from './qdrant/state.ts';
import { lockForWriting, type WriterLock } from './writer-lock.ts';

export interface QdrantOptions {
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
  const { timeout, ...parameters } = readOptions(given.options);
  const ask = serverAt({ url, key, timeout, parameters, patience });
  const locks = new Map<string, WriterLock>();
  const mayWrite: MayWrite = async (name) => locks.get(name)?.assertHeld();
  const holders = holdersOf(ask, mayWrite);
  return {
    provider: 'qdrant',
    collections: async () => (await list(ask)).map(({ name, provider, model, dimensions }) => ({ name, provider, model, dimensions })),
    open: async (name) => {
      const state = await stateAt(ask, aliasOf(name));
      return state && collectionIn(holders.of(state));
    },
    create: async (info) => collectionIn(holders.of(await create(ask, info))),
    draft: async (info) => {
      await removeOrphans(ask);
      const state = await make(ask, info);
      const commit = async () => {
        await mayWrite(info.name);
        await putInPlace(ask, state);
      };
      const discard = async () => void (await drop(ask, state.table));
      return { collection: collectionIn(holders.ofDraft(state)), commit, discard };
    },
    drop: async (name) => {
      await mayWrite(name);
      return await remove(ask, name);
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
    close: async () => {}, // idle connections keep no process alive, and end by themselves
  };
}

/** All who open a collection share one queue of writes. */
function holdersOf(ask: Ask, mayWrite: MayWrite) {
  const known = new Map<string, Holder>();
  return {
    of: (state: State): Holder => {
      const address = aliasOf(state.name);
      const holder = known.get(address) ?? hold(address, { ask, state, mayWrite });
      known.set(address, holder);
      holder.learn(state);
      return holder;
    },
    ofDraft: (state: State): Holder => hold(state.table, { ask, state, mayWrite }),
  };
}

const existing = (name: string): KbError =>
  new KbError('conflict', `There is a collection «${name}» already.`, {
    hint: `Remove it with «kb collections drop ${name}», or choose another name.`,
  });

async function create(ask: Ask, info: CollectionInfo): Promise<State> {
  if (await stateAt(ask, aliasOf(info.name))) throw existing(info.name);
  await removeOrphans(ask);
  const state = await make(ask, info);
  try {
    if (await stateAt(ask, aliasOf(info.name))) throw existing(info.name); // another process was quicker
    await putInPlace(ask, state);
  } catch (error) {
    await drop(ask, state.table).catch(() => {}); // what went wrong first is what is to be told
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
