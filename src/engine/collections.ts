import { advice, call, optionalAdvice, setting, operatorAdvice } from '../core/advice/advice.ts';
import { didYouMean } from '../core/nearest.ts';
import { DEFAULT_EMBEDDER } from '../drivers/registry.ts';
import { KbError } from '../core/errors.ts';
import { withHeartbeat } from '../core/concurrency.ts';
import { progress, type Run } from '../core/run.ts';
import type { Embedder } from '../ports/models.ts';
import type { Collection, CollectionInfo, Draft, VectorStore } from '../ports/stores.ts';
import type { Config } from '../schema/config.ts';
import type { EmbedderName } from '../schema/items.ts';
import type { Context, ChosenEmbedder } from './context.ts';
import { mayUse } from '../core/access-rights.ts';

/** Chooses the embedder: of the settings, else of the collection, else the default. The collection's model applies only to its own provider. */
function chooseEmbedder({ provider, model, options }: Config['embedding'], storedEmbedder: EmbedderName | undefined): ChosenEmbedder {
  if (provider !== undefined)
    return { provider, model: model ?? (provider === storedEmbedder?.provider ? storedEmbedder.model || undefined : undefined), options };
  const keepsProvider = storedEmbedder && (storedEmbedder.provider !== 'none' || model === undefined); // with a configured model, a collection without vectors does not decide
  return {
    provider: keepsProvider ? storedEmbedder.provider : DEFAULT_EMBEDDER,
    model: model ?? (storedEmbedder?.model || undefined),
    options,
  };
}

/** Names the embedder for a collection, which may be stored with one already. The model of `none` is empty. */
export async function embedderName(
  { settings, resources }: Pick<Context, 'settings' | 'resources'>,
  storedEmbedder?: EmbedderName,
): Promise<EmbedderName> {
  const embedder = chooseEmbedder(settings.embedding, storedEmbedder);
  const { provider } = embedder;
  return { provider, model: provider === 'none' ? '' : await resources.modelOf(embedder) };
}

/** The provider and its model, as in `jina / jina-embeddings-v3`; `none`. */
export const embedderLabel = ({ provider, model }: EmbedderName): string => (model ? `${provider} / ${model}` : provider);

/** Throws a KbError (`conflict`) if the collection was embedded with another embedder than the configured one. */
async function assertSameEmbedder({ info: { name, ...collectionEmbedder } }: Collection, context: Context): Promise<void> {
  const { provider, model } = context.settings.embedding;
  if (provider === undefined && (model === undefined || model === collectionEmbedder.model)) return;
  const configured = await embedderName(context, collectionEmbedder);
  if (collectionEmbedder.provider === configured.provider && collectionEmbedder.model === configured.model) return;
  throw new KbError(
    'conflict',
    `The collection "${name}" was embedded with ${embedderLabel(collectionEmbedder)}; the configuration says ${embedderLabel(configured)}.`,
    {
      hint: [
        advice`Vectors of two models can't be compared: set ${setting('embedding.provider')} and ${setting('embedding.model')} back.`,
        operatorAdvice`To change the model, embed the collection again with "${call('reembed_collection', { name })}".`,
      ],
    },
  );
}

const collectionNotFound = (name: string, existingNames: readonly string[] = []): KbError => {
  return new KbError('not_found', `There is no collection "${name}".`, {
    hint: [
      didYouMean(name, existingNames) ?? '',
      advice`Create it with "${call('ingest', { docs: 'FOLDER', collection: name })}".`,
      optionalAdvice`"${call('list_collections')}" lists all collections.`,
    ],
    isRetryable: true,
  });
};

async function findCollection(context: Context): Promise<Collection | undefined> {
  const { settings, resources } = context;
  const collection = await (await resources.store(settings.storage)).open(settings.collection);
  if (collection) await assertSameEmbedder(collection, context);
  return collection;
}

/** Opens the configured collection; throws if it does not exist. */
export async function openCollection(context: Context): Promise<Collection> {
  const collection = await findCollection(context);
  if (!collection) throw collectionNotFound(context.settings.collection, await permittedCollections(context));
  return collection;
}

/** Opens a collection of any embedder by name; throws if it does not exist. */
export async function existingCollection({ settings, resources }: Context, name: string): Promise<Collection> {
  const collection = await (await resources.store(settings.storage)).open(name);
  if (!collection) throw collectionNotFound(name);
  return collection;
}

/** The names of the collections that the caller may use, in order and without the snapshots. */
export async function permittedCollections({
  settings,
  resources,
  access,
}: Pick<Context, 'settings' | 'resources' | 'access'>): Promise<string[]> {
  const store = await resources.store(settings.storage);
  const names = (await store.collections()).map(({ name }) => name);
  return names.filter((name) => !isSnapshot(name) && mayUse(access, name)).toSorted();
}

/** Finds the collection to write into. `get` creates it on first use, with the vector length and the embedder of the settings, else `embedder`. */
export async function targetCollection(
  context: Context,
  embedder?: EmbedderName,
): Promise<{ existing: Collection | undefined; get(dimensions: number): Promise<Collection> }> {
  const { settings, resources } = context;
  const existing = await findCollection(context);
  if (!existing && !settings.storage.ensure_collection) throw collectionNotFound(settings.collection);
  let collection = existing ? Promise.resolve(existing) : undefined;
  const create = async (dimensions: number) =>
    createOrOpen(await resources.store(settings.storage), {
      name: settings.collection,
      ...(await embedderName(context, embedder)),
      dimensions,
    });
  return { existing, get: (dimensions) => (collection ??= create(dimensions)) };
}

/** Creates the collection, or opens one that another run has just created. Throws a KbError (`conflict`) if that has other vectors. */
async function createOrOpen(store: VectorStore, info: CollectionInfo): Promise<Collection> {
  try {
    return await store.create(info);
  } catch (error) {
    const existing = error instanceof KbError && error.code === 'conflict' ? await store.open(info.name) : undefined;
    if (!existing) throw error;
    const { provider, model, dimensions } = existing.info;
    if (provider === info.provider && model === info.model && dimensions === info.dimensions) return existing;
    throw new KbError('conflict', `Another run has just created "${info.name}", embedded with ${embedderLabel(existing.info)}.`, {
      hint: `Run it again with that embedder, or name another collection. This run embedded with ${embedderLabel(info)}.`,
      cause: error,
    });
  }
}

/** Opens the embedder for a collection, which may be stored with one already; undefined if it is searched by words only. */
export async function openEmbedder({ settings, resources }: Context, storedEmbedder?: EmbedderName): Promise<Embedder | undefined> {
  const embedder = chooseEmbedder(settings.embedding, storedEmbedder);
  return embedder.provider === 'none' ? undefined : resources.embedder(embedder);
}

/** Runs `work` while holding the write lock of the configured collection; reports when it has to wait. */
export async function* withLock<R>({ settings, resources, signal }: Context, work: () => Run<R>): Run<R> {
  const store = await resources.store(settings.storage);
  let mustWait = false;
  const locking = store.lock(settings.collection, { signal, onWait: () => void (mustWait = true) });
  try {
    for await (const locked of withHeartbeat([locking], 200)) {
      if (locked || !mustWait) continue;
      mustWait = false;
      yield progress('store', { waiting: true }, `Another run is writing to "${settings.collection}"; waiting until it is done.`);
    }
    return yield* work();
  } finally {
    const release = await locking.catch(() => undefined); // also releases a lock that was granted after the wait was stopped
    await release?.();
  }
}

/** Fills a draft and commits it, which replaces the collection of its name in one step. On failure the draft is removed. */
export async function* withDraft<R>(draft: Draft, fill: (collection: Collection) => Run<R>): Run<R> {
  let isCommitted = false;
  try {
    const result = yield* fill(draft.collection);
    await draft.commit();
    isCommitted = true;
    return result;
  } finally {
    if (!isCommitted) await draft.discard().catch(() => {}); // the first error is thrown; `kb doctor` finds the draft
  }
}

/** A snapshot, as encoded in its name. */
export interface SnapshotName {
  collection: string;
  /** Creation time, in milliseconds. */
  created: number;
  name: string;
  /** The sum of its contents; `files` where the store keeps checksums itself. */
  sum: string;
}

// A snapshot is a collection of the same store. No request can name it: names of collections begin with a letter or a digit.
const PREFIX = '.snapshot.';

const isSnapshot = (stored: string): boolean => stored.startsWith(PREFIX);

/** The name of the collection that stores a snapshot. Snapshot names and sums have no dot. */
export const snapshotCollectionName = ({ collection, created, name, sum }: SnapshotName): string =>
  `${PREFIX}${collection}.${created.toString(36)}.${name}.${sum}`;

/** Parses the name of a snapshot's collection; undefined for other collections. */
export function parseSnapshotName(stored: string): SnapshotName | undefined {
  const [, collection, created, name, sum] = /^\.snapshot\.(.+)\.([0-9a-z]+)\.([^.]+)\.([^.]+)$/.exec(stored) ?? [];
  return sum === undefined ? undefined : { collection: collection!, created: Number.parseInt(created!, 36), name: name!, sum };
}
