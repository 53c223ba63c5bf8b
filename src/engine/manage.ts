import { KbError } from '../core/errors.ts';
import { progress, throwIfAborted, type Run } from '../core/run.ts';
import type { Embedder } from '../ports/models.ts';
import type { Collection, StoredChunk } from '../ports/stores.ts';
import type {
  CollectionNameRequest,
  CollectionRequest,
  CollectionsResult,
  CollectionSummary,
  DropResult,
  OptimizeResult,
  ReembedResult,
} from '../schema/collection-operations.ts';
import { embedBatches } from '../stages/ingest/embed-chunks.ts';
import { embedderName, existingCollection, openEmbedder, permittedCollections, withDraft, withLock } from './collections.ts';
import { type Context, inCollection } from './context.ts';
import { compactMemory, dropOrigins, dropMemory } from './collection-memory.ts';

/** Figures of a collection or snapshot that cannot be read, for lists. */
export const UNKNOWN_SUMMARY = { embedding: { provider: '', model: '' }, dimensions: 0, chunks: 0, sources: 0, bytes: null };

/** Summarizes an open collection. */
export async function summaryOf(collection: Collection): Promise<CollectionSummary> {
  const { name, provider, model, dimensions } = collection.info;
  const [chunks, sources, bytes] = await Promise.all([collection.count(), collection.sourcePage({ limit: 0 }), collection.bytes()]);
  return { name, embedding: { provider, model }, dimensions, chunks, sources: sources.total, bytes };
}

/** Lists the collections that the caller may use, by name. */
export async function* listCollections(_request: object, context: Context): Run<CollectionsResult> {
  const collections = [];
  for (const name of await permittedCollections(context)) {
    const configured = name === context.settings.collection;
    try {
      collections.push({ ...(await summaryOf(await existingCollection(context, name))), configured });
    } catch (error) {
      if (!(error instanceof KbError) || error.code !== 'configuration') throw error;
      collections.push({ name, ...UNKNOWN_SUMMARY, configured, error: error.message });
    }
  }
  return { collections };
}

/** Summarizes one collection. Throws a KbError (`not_found`) if it does not exist. */
export async function* showCollection({ name }: CollectionRequest, context: Context): Run<CollectionSummary> {
  return await summaryOf(await existingCollection(context, name));
}

/** Removes a collection with its contents. */
export async function* dropCollection({ name }: CollectionRequest, context: Context): Run<DropResult> {
  await existingCollection(context, name);
  const { settings, resources } = context;
  const collectionContext = inCollection(context, name);
  return yield* withLock(collectionContext, async function* () {
    const dropped = await (await resources.store(settings.storage)).drop(name);
    await Promise.all([dropMemory(collectionContext), dropOrigins(collectionContext)]);
    return { name, dropped };
  });
}

/** Embeds every chunk with the configured model into a draft that then replaces the collection in one step. */
export async function* reembed({ name }: CollectionRequest, context: Context): Run<ReembedResult> {
  const { settings, resources, signal } = context;
  const old = await existingCollection(context, name);
  const embedding = await embedderName(context);
  const embedder = await openEmbedder(context);
  const store = await resources.store(settings.storage);
  return yield* withLock(inCollection(context, name), async function* () {
    const dimensions = embedder ? (await embedder.embed(['length'], { input_type: 'document', signal }))[0]!.length : 0;
    return yield* withDraft(await store.draft({ name, ...embedding, dimensions }), async function* (collection) {
      let embedded = 0;
      const expected = await old.count();
      for await (const page of old.all()) {
        throwIfAborted(signal);
        const vectors: Float32Array[] = [];
        for await (const batch of embedder ? embedPage(page, embedder, context) : []) {
          vectors.push(...batch);
          yield progress('reembed', { done: embedded + vectors.length, expected });
        }
        await collection.upsert(page.map((chunk, i) => ({ ...chunk, vector: vectors[i] })));
        embedded += page.length;
        yield progress('reembed', { done: embedded, expected });
      }
      await collection.optimize();
      return { name, embedding, dimensions, embedded };
    });
  });
}

/** Embeds a page of chunks in batches. Throws if a vector cannot be made, since the collection would lack its chunk. */
async function* embedPage(
  page: readonly StoredChunk[],
  embedder: Embedder,
  { settings, signal }: Context,
): AsyncGenerator<Float32Array[], void, void> {
  const texts = page.map(({ embed_text, text }) => embed_text ?? text);
  const { batch_size } = settings.embedding;
  for await (const batch of embedBatches(texts, { embedder, batch_size, input_type: 'document', signal })) {
    yield batch.map((vector) => {
      if (vector instanceof KbError) throw vector;
      return vector;
    });
  }
}

/** Optimizes the configured collection: updates indexes, merges files, and removes old versions and whatever is left of deleted documents. */
export async function* optimizeCollection(_request: CollectionNameRequest, context: Context): Run<OptimizeResult> {
  const { collection: name } = context.settings;
  return yield* withLock(context, async function* () {
    const collection = await existingCollection(context, name);
    const before = await collection.bytes();
    await collection.optimize({ whole: true });
    await compactMemory(context, await collection.sources());
    return { name, chunks: await collection.count(), bytes_before: before, bytes: await collection.bytes() };
  });
}
