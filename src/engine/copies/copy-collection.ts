import { advice, call, field } from '../../core/advice/advice.ts';
import { KbError } from '../../core/errors.ts';
import type { Run } from '../../core/run.ts';
import type { Collection } from '../../ports/stores.ts';
import type { CopyRequest, CopyResult } from '../../schema/collection-requests.ts';
import { existingCollection, withDraft, withLock } from '../collections.ts';
import { type Context, inCollection, inStore } from '../context.ts';
import { copyOrigins } from '../origins.ts';
import { isSameStore, storeUrl, targetStorage } from '../store-address.ts';
import { createContentSum, sumContents } from './content-sum.ts';
import { assertFree, fillDraft } from './fill-draft.ts';

/** In the place of a sum of contents: the store keeps checksums of files. */
export const IN_FILES = 'files';

/** How often a copy is begun again because another machine wrote meanwhile. */
const TRIES = 5;

interface Target {
  /** The context of the copy: its store and its name. */
  into: Context;
  /** Whether nobody will write to the copy. */
  isSealed?: boolean;
  /** Expected checksum of the contents, if chunks are copied one by one. */
  expected?: { sum: string; otherwise: KbError };
}

/** Copies a collection without embedding, replacing that of the target in one step. Returns the number of chunks. The caller holds the write locks of both. */
export async function* copyAs(from: Collection, { into, isSealed, expected }: Target, context: Context): Run<number> {
  const { settings, resources, home } = context;
  const { storage, collection: to } = into.settings;
  const store = await resources.store(storage);
  const ready = isSameStore(storage, settings.storage, home) ? await store.copy?.(from.info.name, to, { isSealed }) : undefined;
  const chunks = yield* ready
    ? withDraft(ready, async function* () {
        return await from.count();
      })
    : withDraft(await store.draft({ ...from.info, name: to }), (draft) => copyChunks(from, { draft, expected }, context));
  await copyOrigins(inCollection(context, from.info.name), into);
  return chunks;
}

interface Copying extends Pick<Target, 'expected'> {
  draft: Collection;
}

async function* copyChunks(from: Collection, { draft, expected }: Copying, { signal }: Context): Run<number> {
  const sum = createContentSum();
  const pages = async function* () {
    for await (const page of from.all({ vectors: true })) {
      sum.add(page);
      yield page;
    }
  };
  const done = yield* fillDraft(draft, pages(), { stage: 'copy', expected: await from.count(), signal });
  if (expected && sum.value() !== expected.sum) throw expected.otherwise;
  return done;
}

interface Present {
  /** Where the copy of the contents with this sum goes. */
  placeOf(sum: string): Context;
  isSealed: boolean;
}

/**
 * Copies one state of a collection to the place that `placeOf` makes of its checksum. Locks of some stores hold for one machine only. So
 * the collection is read twice: a copy is repeated if another machine has written in between. Throws a KbError (`conflict`) if that happens
 * again and again.
 */
export async function* copyPresent(
  from: Collection,
  { placeOf, isSealed }: Present,
  context: Context,
): Run<{ to: string; chunks: number }> {
  const store = await context.resources.store(context.settings.storage);
  const isSummed = isSealed ? !store.verify : !store.copy; // a store that copies reads one version
  const otherwise = new KbError('conflict', `Another machine writes to «${from.info.name}» faster than it can be copied.`, {
    hint: 'Run it again when less is written.',
    isRetryable: true,
  });
  for (let tries = 1; ; tries++) {
    const sum = isSummed ? yield* sumContents(from, context.signal) : IN_FILES;
    const into = placeOf(sum);
    try {
      const chunks = yield* copyAs(from, { into, isSealed, ...(isSummed ? { expected: { sum, otherwise } } : {}) }, context);
      return { to: into.settings.collection, chunks };
    } catch (error) {
      if (error !== otherwise || tries === TRIES) throw error;
    }
  }
}

/** Copies a collection to a free name, in its own store or in another; `replace`: to any other name than its own. */
export async function* copyCollection({ name, to, replace = false, ...place }: CopyRequest, context: Context): Run<CopyResult> {
  const { settings, resources, home } = context;
  const from = await existingCollection(context, name);
  const its = inCollection(context, name);
  const into = inStore(context, targetStorage(place, settings.storage), to);
  if (name === to && isSameStore(into.settings.storage, settings.storage, home))
    throw new KbError('conflict', `«${name}» can't be copied to itself.`, {
      hint: 'Copy under another name, or to another store.',
    });
  const [first, second] = [its, into].toSorted((a, b) => (lockKey(a) < lockKey(b) ? -1 : 1)) as [Context, Context];
  return yield* withLock(first, () =>
    withLock(second, async function* () {
      const hint = advice`Copy under another name, replace it with ${field('replace')}, or remove it with «${call('drop_collection', { name: to })}».`;
      if (!replace) await assertFree(await resources.store(into.settings.storage), to, hint);
      const { chunks } = yield* copyPresent(from, { placeOf: () => into, isSealed: false }, context);
      return { name, to, copied: chunks };
    }),
  );
}

/** Two who copy in opposite directions take the locks in one order, so that they do not wait for each other. */
const lockKey = ({ settings, home }: Context): string =>
  JSON.stringify([settings.storage.vector_db, storeUrl(settings.storage, home), settings.collection]);
