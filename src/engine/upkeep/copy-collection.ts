import { KbError } from '../../core/errors.ts';
import { progress, type Run, throwIfAborted } from '../../core/run.ts';
import type { Collection } from '../../ports/stores.ts';
import type { CollectionNameRequest, CopyRequest, CopyResult, OptimizeResult } from '../../schema/collection-requests.ts';
import { existingCollection, withDraft, withLock } from '../collections.ts';
import { type Context, inCollection } from '../context.ts';
import { copyOrigins } from '../origins.ts';

/**
 * Copies a collection to the name `to`, replacing what is there in one step. Nothing is embedded. Returns the number of chunks. The caller holds the
 * write locks of both.
 */
export async function* copyAs(from: Collection, to: string, { settings, resources, signal, home }: Context): Run<number> {
  const store = await resources.store(settings.storage);
  const ready = await store.copy?.(from.info.name, to);
  const chunks = yield* withDraft(ready ?? (await store.draft({ ...from.info, name: to })), async function* (collection) {
    const expected = await from.count();
    if (ready) return expected;
    let done = 0;
    for await (const page of from.all({ vectors: true })) {
      throwIfAborted(signal);
      await collection.upsert(page);
      yield progress('copy', { done: (done += page.length), expected });
    }
    return done;
  });
  await copyOrigins({ settings, home }, { from: from.info.name, to });
  return chunks;
}

/** Copies a collection to a free name. */
export async function* copyCollection({ name, to }: CopyRequest, context: Context): Run<CopyResult> {
  const { settings, resources } = context;
  const from = await existingCollection(context, name);
  const taken = new KbError('conflict', `There is a collection «${to}» already.`, {
    hint: `Copy under another name, or remove it with «kb collections drop ${to}».`,
  });
  if (name === to) throw taken;
  const [first, second] = [name, to].toSorted(); // two who copy in opposite directions do not wait for each other
  return yield* withLock(inCollection(context, first!), () =>
    withLock(inCollection(context, second!), async function* () {
      if (await (await resources.store(settings.storage)).open(to)) throw taken;
      return { name, to, copied: yield* copyAs(from, to, context) };
    }),
  );
}

/** Optimizes the configured collection: updates indexes, merges files and removes old versions. */
export async function* optimizeCollection(_request: CollectionNameRequest, context: Context): Run<OptimizeResult> {
  const { collection: name } = context.settings;
  return yield* withLock(context, async function* () {
    const collection = await existingCollection(context, name);
    const before = await collection.bytes();
    await collection.optimize({ whole: true });
    return { name, chunks: await collection.count(), bytes_before: before, bytes: await collection.bytes() };
  });
}
