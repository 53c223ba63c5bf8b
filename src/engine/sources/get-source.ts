import type { Run } from '../../core/run.ts';
import type { Collection, StoredChunk } from '../../ports/stores.ts';
import { Location } from '../../schema/items.ts';
import type { DeleteResult } from '../../schema/results.ts';
import type { DeleteSourceRequest, GetSourceRequest, GetSourceResult } from '../../schema/stored/stored-sources.ts';
import type { Passage } from '../../stages/chunk/join-chunks.ts';
import { deleteChunks } from '../../stages/ingest/store-chunks.ts';
import { existingCollection, withLock } from '../collections.ts';
import { type Context, inCollection } from '../context.ts';
import { narrowText } from './narrow-text.ts';
import { describeSource, findSource } from './stored-source.ts';

interface OrderedChunk extends Passage {
  id: string;
}

/** Returns a stored document: its text or the requested part, and its chunks. */
export async function* getSource({ name, id, ...part }: GetSourceRequest, context: Context): Run<GetSourceResult> {
  const collection = await existingCollection(context, name);
  const source = await findSource(id, collection, context);
  const stored: StoredChunk[] = [];
  for await (const page of collection.all({ source })) stored.push(...page);
  const documents = documentsIn(stored);
  const characters = stored.reduce((sum, { text }) => sum + text.length, 0);
  const described = describeSource(source, { metadata: stored[0]?.metadata ?? {}, characters, chunks: stored.length });
  const text = narrowText(part, documents, source);
  return { ...described, text, chunks: documents.flat() };
}

/** Chunks in the order of the text. Documents with the same source follow each other. */
function documentsIn(stored: readonly StoredChunk[]): OrderedChunk[][] {
  const documents = [...Map.groupBy(stored, ({ metadata }) => metadata.content_hash).values()];
  return documents.map((chunks) =>
    chunks
      .map(({ id, text, metadata }) => ({ id, text, location: Location.safeParse(metadata.location ?? {}).data ?? {} }))
      .toSorted((a, b) => (a.location.offset ?? Infinity) - (b.location.offset ?? Infinity) || 0),
  );
}

/** Removes a document with its chunks. The next ingest of its source stores it again. */
export async function* deleteSource({ name, id }: DeleteSourceRequest, context: Context): Run<DeleteResult> {
  const { settings } = context;
  const its = inCollection(context, name);
  return yield* withLock(its, async function* () {
    const collection: Collection = await existingCollection(its, name);
    const source = await findSource(id, collection, its);
    return await deleteChunks(collection, { source }, { provider: settings.storage.vector_db, collection: name });
  });
}
