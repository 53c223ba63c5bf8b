import { KbError } from '../base/errors.ts';
import type { Run } from '../base/run.ts';
import type { Where } from '../ports/stores.ts';
import type { DeleteRequest, EditRequest, StoreRequest } from '../schema/chunk-requests.ts';
import type { DeleteResult, EditResult, StoreResult } from '../schema/results.ts';
import { editChunks } from '../stages/edit.ts';
import { absolutePath, sourceOf } from '../stages/extract/local-path.ts';
import { deleteChunks, storeChunks, type Target } from '../stages/store.ts';
import { embedderName, openCollection, openEmbedder, targetCollection, withLock } from './collections.ts';
import type { Context } from './context.ts';
import { named } from './manage.ts';

const target = ({ settings }: Context): Target => ({ provider: settings.storage.vector_db, collection: settings.collection });

/** Writes chunks with vectors. */
export async function* store({ embedded_chunks }: StoreRequest, context: Context): Run<StoreResult> {
  return yield* withLock(context, async function* () {
    const given = embedded_chunks.find(({ embedder }) => embedder)?.embedder;
    const { existing, get } = await targetCollection(context, given);
    const { settings, signal } = context;
    return yield* storeChunks(embedded_chunks, {
      ...target(context),
      open: get,
      embedder: await embedderName(context, existing?.info ?? given),
      batch_size: settings.storage.batch_size,
      signal,
    });
  });
}

/** Changes stored chunks. */
export async function* edit({ chunks }: EditRequest, context: Context): Run<EditResult> {
  return yield* withLock(context, async function* () {
    const collection = await openCollection(context);
    const embedder = await openEmbedder(context, collection.info);
    return yield* editChunks(chunks, {
      target: target(context),
      collection,
      embedder,
      batch_size: context.settings.storage.batch_size,
      embedded_at_once: context.settings.embedding.batch_size,
      signal: context.signal,
    });
  });
}

/** Removes stored chunks, whatever embedder they are of. A source that is no stored one may be the path of one, spelled in another way. */
export async function* remove(request: DeleteRequest, context: Context): Run<DeleteResult> {
  const where = whereOf(request);
  return yield* withLock(context, async function* () {
    const collection = await named(context, context.settings.collection);
    const result = await deleteChunks(collection, where, target(context));
    const path = 'source' in where && result.deleted === 0 ? sourceOf(absolutePath(where.source, context), context) : undefined;
    return path === undefined ? result : await deleteChunks(collection, { source: path }, target(context));
  });
}

/** Exactly one way to say what, and not an empty one: an empty filter would remove everything. */
function whereOf({ ids, source, filter }: DeleteRequest): Where {
  const given = [ids, source, filter].filter((value) => value !== undefined);
  const hint = 'Give one of: ids (--id, repeatable), source (--source), filter (--filter).';
  if (given.length !== 1)
    throw new KbError(
      'usage',
      given.length === 0 ? 'Nothing says what is to be deleted.' : 'Only one of ids, source and filter can be given.',
      { hint },
    );
  if (ids) return ids.length > 0 ? { ids } : refuse('ids', hint);
  if (source !== undefined) return source ? { source } : refuse('source', hint);
  return Object.keys(filter!).length > 0
    ? { filter: filter! }
    : refuse('filter', 'An empty filter would delete everything: kb collections drop does that.');
}

function refuse(name: string, hint: string): never {
  throw new KbError('usage', `«${name}» is empty.`, { hint });
}
