import { KbError } from '../base/errors.ts';
import { nearest } from '../base/nearest.ts';
import { pulsed } from '../base/pool.ts';
import { progress, type Run } from '../base/run.ts';
import { drivers } from '../drivers/registry.ts';
import type { Embedder } from '../ports/models.ts';
import type { Collection, CollectionInfo, VectorStore } from '../ports/stores.ts';
import type { Config } from '../schema/config.ts';
import type { EmbedderName } from '../schema/items.ts';
import type { Context } from './context.ts';

/** The embedder that the settings name, without opening it: `none` has no model. */
export const embedderName = ({ provider, model }: Config['embedding']): EmbedderName =>
  provider === 'none' ? { provider, model: '' } : { provider, model: model ?? drivers.embedders[provider].model };

/** `openai / text-embedding-3-small`, `none`. */
export const spelled = ({ provider, model }: EmbedderName): string => (model ? `${provider} / ${model}` : provider);

/** Throws where vectors of the collection and of the configured embedder don't belong together. */
function assertSameEmbedder(collection: Collection, settings: Config): void {
  const wanted = embedderName(settings.embedding);
  const { name, ...made } = collection.info;
  if (made.provider === wanted.provider && made.model === wanted.model) return;
  throw new KbError('conflict', `The collection «${name}» was embedded with ${spelled(made)}; the configuration says ${spelled(wanted)}.`, {
    hint: `Vectors of two models can't be compared: set embedding.provider and embedding.model back, or embed the collection anew with «kb collections reembed ${name}».`,
  });
}

/** That there is no such collection, and which of those that there are was probably meant. */
export const noCollection = (name: string, there: readonly string[] = []): KbError => {
  const meant = nearest(name, there);
  return new KbError('not_found', `There is no collection «${name}».`, {
    hint: `${meant ? `Did you mean «${meant}»? ` : ''}Make it with «kb ingest --docs FOLDER --collection ${name}»; «kb collections list» shows those that there are.`,
    isRetryable: true,
  });
};

/** The collection that the settings name, if there is one. Throws where it was made with another embedder. */
export async function findCollection({ settings, resources }: Context): Promise<Collection | undefined> {
  const collection = await (await resources.store(settings.storage)).open(settings.collection);
  if (collection) assertSameEmbedder(collection, settings);
  return collection;
}

/** The same, for reading: throws where there is none. */
export async function openCollection(context: Context): Promise<Collection> {
  const collection = await findCollection(context);
  if (!collection) throw noCollection(context.settings.collection, await names(context));
  return collection;
}

async function names({ settings, resources }: Context): Promise<string[]> {
  const store = await resources.store(settings.storage);
  return (await store.collections()).map(({ name }) => name);
}

/** The collection to write into: the one there is, or one that is made when it is first asked for, with vectors of that length. */
export async function targetCollection(
  context: Context,
): Promise<{ existing: Collection | undefined; get(dimensions: number): Promise<Collection> }> {
  const { settings, resources } = context;
  const existing = await findCollection(context);
  if (!existing && !settings.storage.ensure_collection) throw noCollection(settings.collection);
  let made = existing ? Promise.resolve(existing) : undefined;
  const make = async (dimensions: number) =>
    (await resources.store(settings.storage)).create({ name: settings.collection, ...embedderName(settings.embedding), dimensions });
  return { existing, get: (dimensions) => (made ??= make(dimensions)) };
}

/** The configured embedder; undefined where the collection is searched by words alone. */
export async function openEmbedder({ settings, resources }: Context): Promise<Embedder | undefined> {
  const { provider } = settings.embedding;
  return provider === 'none' ? undefined : resources.embedder({ ...settings.embedding, provider });
}

/** Runs `work` while no one else writes to the collection that the settings name; says so when it must wait. */
export async function* withLock<R>({ settings, resources, signal }: Context, work: () => Run<R>): Run<R> {
  const store = await resources.store(settings.storage);
  let mustWait = false;
  const locking = store.lock(settings.collection, { signal, onWait: () => void (mustWait = true) });
  try {
    for await (const locked of pulsed([locking], 200)) {
      if (locked || !mustWait) continue;
      mustWait = false;
      yield progress('store', { waiting: true }, `Another run is writing to «${settings.collection}»; waiting until it is done.`);
    }
    return yield* work();
  } finally {
    const release = await locking.catch(() => undefined); // also where nobody waits for it any more
    await release?.();
  }
}

/**
 * Has a collection filled that nobody sees, and puts it in the place of its name in one step. Where that fails, or nobody waits for it any more,
 * nothing of it is left and the old one stays.
 */
export async function* withDraft<R>(store: VectorStore, info: CollectionInfo, fill: (collection: Collection) => Run<R>): Run<R> {
  const draft = await store.draft(info);
  let isInPlace = false;
  try {
    const result = yield* fill(draft.collection);
    await draft.collection.optimize();
    await draft.commit();
    isInPlace = true;
    return result;
  } finally {
    if (!isInPlace) await draft.discard();
  }
}
