import { operatorAdvice } from '../../../core/advice/advice.ts';
import { join } from 'node:path';
import { keepUnlessFailed } from '../../../core/concurrency.ts';
import { KbError } from '../../../core/errors.ts';
import type { VectorStore } from '../../../ports/stores.ts';
import { type SendRequest, type RequestKind, RETRY_LIMITS, REST_PORT, openServer, KEY_VARIABLE } from './qdrant-connection.ts';
import { type CollectionHolder, holdCollection, type AssertLockHeld } from './collection-holder.ts';
import { type CollectionState, readState } from './collection-state.ts';
import {
  aliasOf,
  createDraftTable,
  createTable,
  discardDraft,
  listTables,
  commitDraft,
  removeTable,
  loadWritableState,
} from './qdrant-tables.ts';
import { ChunkCache } from '../chunk-cache.ts';
import { hash } from '../../../core/ids.ts';
import { userFolder } from '../../../core/user-folders.ts';
import type { RetryOptions } from '../../../core/retry.ts';
import { serverAddress, serverName } from '../../../http/server-address.ts';
import { qdrantCollection } from './qdrant-collection.ts';
import { readOptions } from './qdrant-options.ts';
import { createDispatcher, sendToFirstReady } from './qdrant-servers.ts';
import { findQdrantProblems, removeOrphans, describeServer } from './qdrant-problems.ts';
import { lockForWriting, type WriterLock } from '../writer-lock.ts';

/** Timeout in seconds for the check whether a node is ready. */
const READY_TIMEOUT = 2;

interface ConnectOptions {
  key: string | undefined;
  options: QdrantOptions['options'];
  retryLimits: RetryOptions | undefined;
}

const limitRetries = (attempts: number): Record<RequestKind, RetryOptions> => ({
  read: { ...RETRY_LIMITS.read, attempts },
  write: { ...RETRY_LIMITS.write, attempts },
});

/** Connects to the server, or to the first node of a cluster that answers. */
function connect(url: string, { key, options, retryLimits: given }: ConnectOptions): SendRequest {
  const { parameters, connection } = readOptions(options);
  const { timeout, retries, urls, ...connecting } = connection;
  const retryLimits = given ? { read: given, write: given } : retries === undefined ? RETRY_LIMITS : limitRetries(retries + 1);
  const dispatcher = keepUnlessFailed(() => createDispatcher(connecting));
  const others = urls.map((other) => serverAddress(other, { port: REST_PORT })).filter((other) => other !== url);
  const isUnlisted = others.length === urls.length; // `urls` must contain storage.url; otherwise the list belongs to another server
  const servers = [url, ...(isUnlisted ? [] : others)];
  const common = { key, timeout, parameters, dispatcher };
  if (servers.length === 1) return openServer({ ...common, url, retryLimits });
  const nodes = servers.map((address) => {
    const node = { ...common, url: address, retryLimits: limitRetries(1) };
    return { send: openServer(node), sendBriefly: openServer({ ...node, timeout: Math.min(timeout ?? READY_TIMEOUT, READY_TIMEOUT) }) };
  });
  return sendToFirstReady(nodes, retryLimits);
}

interface QdrantOptions {
  /** http or https; without a port, 6333. */
  url: string;
  /** Whether the key may be sent to the address. Default: true. */
  isTrusted?: boolean;
  /** `storage.options`, as in qdrant-options.ts. */
  options?: Record<string, unknown> | undefined;
  /** Provides `QDRANT_API_KEY`, which is sent only to a trusted `url`, and `XDG_STATE_HOME`, the folder of the locks. */
  environment?: NodeJS.ProcessEnv | undefined;
  /** Retries of failed requests. */
  retryLimits?: RetryOptions;
}

/**
 * Opens a store in a Qdrant server (1.16 or later). Nothing is sent before the first use. Several machines may write at once: nothing is lost, and the last
 * version of a source stays (`replacePoints`). Writers on one machine wait for each other by a lock file in its state folder. Throws a KbError:
 * `configuration` for an invalid address or option, `setup` if the key is missing or wrong, `unavailable` if the server does not answer.
 */
export async function openQdrant(given: QdrantOptions): Promise<VectorStore> {
  const { isTrusted = true, environment = process.env, retryLimits } = given;
  const url = serverAddress(given.url, { port: REST_PORT });
  const key = (isTrusted && environment[KEY_VARIABLE]) || undefined;
  const send = connect(url, { key, options: given.options, retryLimits });
  const locks = new Map<string, WriterLock>();
  const assertLockHeld: AssertLockHeld = async (name) => locks.get(name)?.assertHeld();
  const holders = createHolders(send, assertLockHeld);
  return {
    provider: 'qdrant',
    collections: () => listTables(send),
    open: async (name) => {
      const state = await readState(send, aliasOf(name));
      return state && qdrantCollection(holders.of(state));
    },
    create: async (info) => {
      await removeOrphans(send);
      return qdrantCollection(holders.of(await createTable(send, info), true));
    },
    draft: async (info) => {
      await removeOrphans(send);
      const draft = await createDraftTable(send, info);
      const holder = holders.ofDraft(draft.state);
      const commit = async () => {
        await assertLockHeld(info.name);
        await commitDraft(send, draft);
      };
      return { collection: qdrantCollection(holder), commit, discard: () => discardDraft(send, draft) };
    },
    drop: async (name) => {
      await assertLockHeld(name);
      return await removeTable(send, name);
    },
    lock: async (name, options) => {
      const lock = await lockForWriting(lockFolder(environment), hash(serverName(url), name).slice(0, 32), options).catch(
        throwLockFailure(environment),
      );
      locks.set(name, lock);
      return async () => {
        if (locks.get(name) === lock) locks.delete(name);
        await lock.release();
      };
    },
    describe: () => describeServer(send),
    problems: () => findQdrantProblems(send),
    close: async () => {}, // idle connections do not keep the process alive, and close by themselves
  };
}

/** Creates the holders of collections; all callers that open one collection share a holder, and thus a queue of writes. */
function createHolders(send: SendRequest, assertLockHeld: AssertLockHeld) {
  const held = new Map<string, CollectionHolder>();
  const loadWritable = (load: () => Promise<CollectionState>) => loadWritableState(send, load);
  const common = { send, assertLockHeld, loadWritable, chunks: new ChunkCache() };
  return {
    /** `isNew`: this process has just created the collection. */
    of: (state: CollectionState, isNew = false): CollectionHolder => {
      const address = aliasOf(state.name);
      const known = isNew ? undefined : held.get(address);
      known?.update(state);
      const holder = known ?? holdCollection(address, { ...common, state, isNew });
      held.set(address, holder);
      return holder;
    },
    ofDraft: (state: CollectionState): CollectionHolder => holdCollection(state.table, { ...common, state, isNew: true }),
  };
}

const lockFolder = (environment: NodeJS.ProcessEnv): string => join(userFolder('state', environment), 'locks');

const throwLockFailure =
  (environment: NodeJS.ProcessEnv) =>
  (error: unknown): never => {
    if (error instanceof KbError) throw error;
    throw new KbError('configuration', `No lock can be kept in ${lockFolder(environment)}: ${(error as Error).message}.`, {
      hint: operatorAdvice`Set XDG_STATE_HOME to a folder that you may write to.`,
      cause: error,
    });
  };
