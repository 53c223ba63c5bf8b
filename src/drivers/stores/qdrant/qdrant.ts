import { operatorAdvice } from '../../../core/advice/advice.ts';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { keepUnlessFailed } from '../../../core/concurrency.ts';
import { KbError } from '../../../core/errors.ts';
import type { VectorStore } from '../../../ports/stores.ts';
import { type Ask, type RequestKind, PATIENCE, REST_PORT, serverAt, KEY_VARIABLE } from './qdrant-connection.ts';
import { type CollectionHolder, holdCollection, type MayWritePoints } from './collection-holder.ts';
import { type State, stateAt } from './collection-state.ts';
import {
  aliasOf,
  createDraftTable,
  createTable,
  discardDraft,
  listTables,
  putInPlace,
  removeTable,
  stateToWrite,
} from './qdrant-tables.ts';
import { ChunkCache } from '../chunk-cache.ts';
import { hash } from '../../../core/ids.ts';
import type { RetryOptions } from '../../../core/retry.ts';
import { serverAddress, serverName } from '../../../http/server-address.ts';
import { qdrantCollection } from './qdrant-collection.ts';
import { readOptions } from './qdrant-options.ts';
import { dispatcherFor, firstToAnswer } from './qdrant-servers.ts';
import { qdrantProblems, removeOrphans, describeServer } from './qdrant-problems.ts';
import { lockForWriting, type WriterLock } from '../writer-lock.ts';

/** Timeout in seconds for the check whether a node has caught up. */
const READY_WITHIN = 2;

interface ReachOptions {
  key: string | undefined;
  options: QdrantOptions['options'];
  patience: RetryOptions | undefined;
}

const patienceOf = (attempts: number): Record<RequestKind, RetryOptions> => ({
  read: { ...PATIENCE.read, attempts },
  write: { ...PATIENCE.write, attempts },
});

/** Connects to the server, or to the first node of a cluster that answers. */
function reach(url: string, { key, options, patience: given }: ReachOptions): Ask {
  const { parameters, reach: reached } = readOptions(options);
  const { timeout, retries, urls, ...connecting } = reached;
  const patience = given ? { read: given, write: given } : retries === undefined ? PATIENCE : patienceOf(retries + 1);
  const dispatcher = keepUnlessFailed(() => dispatcherFor(connecting));
  const others = urls.map((other) => serverAddress(other, { port: REST_PORT })).filter((other) => other !== url);
  const isOne = others.length === urls.length; // the list does not contain this address
  const servers = [url, ...(isOne ? [] : others)];
  const common = { key, timeout, parameters, dispatcher };
  if (servers.length === 1) return serverAt({ ...common, url, patience });
  const nodes = servers.map((address) => {
    const node = { ...common, url: address, patience: patienceOf(1) };
    return { ask: serverAt(node), askBriefly: serverAt({ ...node, timeout: Math.min(timeout ?? READY_WITHIN, READY_WITHIN) }) };
  });
  return firstToAnswer(nodes, patience);
}

interface QdrantOptions {
  /** http or https; without a port, 6333. */
  url: string;
  /** Whether the key may be sent to the address. Default: true. */
  isTrusted?: boolean;
  /** `storage.options`, as in qdrant-options.ts. */
  options?: Record<string, unknown> | undefined;
  /** With `QDRANT_API_KEY`, which is sent only to a trusted `url`, and `XDG_STATE_HOME`, the folder of the locks. */
  environment?: NodeJS.ProcessEnv;
  /** Retries of failed requests. */
  patience?: RetryOptions;
}

/**
 * Opens a store in a Qdrant server (1.16 or later). Nothing is sent before the first use. Writers may work on several machines at once: nothing is lost, and
 * the last version of a source stays (`replacePoints`). Writers on this machine wait for each other by a file in its state folder. Throws a KbError:
 * `configuration` for an invalid address or option, `setup` if the key is missing or wrong, `unavailable` if the server does not answer.
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
    collections: () => listTables(ask),
    open: async (name) => {
      const state = await stateAt(ask, aliasOf(name));
      return state && qdrantCollection(holders.of(state));
    },
    create: async (info) => {
      await removeOrphans(ask);
      return qdrantCollection(holders.of(await createTable(ask, info), true));
    },
    draft: async (info) => {
      await removeOrphans(ask);
      const draft = await createDraftTable(ask, info);
      const holder = holders.ofDraft(draft.state);
      const commit = async () => {
        await mayWrite(info.name);
        await putInPlace(ask, draft);
      };
      return { collection: qdrantCollection(holder), commit, discard: () => discardDraft(ask, draft) };
    },
    drop: async (name) => {
      await mayWrite(name);
      return await removeTable(ask, name);
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
    problems: () => qdrantProblems(ask),
    close: async () => {}, // idle connections keep no process alive, and end by themselves
  };
}

/** All who open a collection share one queue of writes. */
function holdersOf(ask: Ask, mayWrite: MayWritePoints) {
  const held = new Map<string, CollectionHolder>();
  const toWrite = (load: () => Promise<State>) => stateToWrite(ask, load);
  const common = { ask, mayWrite, stateToWrite: toWrite, chunks: new ChunkCache() };
  return {
    /** `isNew`: this process has just made it. */
    of: (state: State, isNew = false): CollectionHolder => {
      const address = aliasOf(state.name);
      const known = isNew ? undefined : held.get(address);
      known?.update(state);
      const holder = known ?? holdCollection(address, { ...common, state, isNew });
      held.set(address, holder);
      return holder;
    },
    ofDraft: (state: State): CollectionHolder => holdCollection(state.table, { ...common, state, isNew: true }),
  };
}

const lockFolder = (environment: NodeJS.ProcessEnv): string =>
  join(environment['XDG_STATE_HOME'] || join(homedir(), '.local', 'state'), 'kb', 'locks');

const unlockable =
  (environment: NodeJS.ProcessEnv) =>
  (error: unknown): never => {
    if (error instanceof KbError) throw error;
    throw new KbError('configuration', `No lock can be kept in ${lockFolder(environment)}: ${(error as Error).message}.`, {
      hint: operatorAdvice`Set XDG_STATE_HOME to a folder that you may write to.`,
      cause: error,
    });
  };
