import { advice, call } from '../../core/advice/advice.ts';
import { KbError } from '../../core/errors.ts';
import { progress, type Run, throwIfAborted } from '../../core/run.ts';
import type { Collection } from '../../ports/stores.ts';
import type { CopyRequest, CopyResult } from '../../schema/collection-requests.ts';
import { existingCollection, withDraft, withLock } from '../collections.ts';
import { type Context, inCollection } from '../context.ts';
import { copyOrigins } from '../origins.ts';
import { createContentSum, sumContents } from './content-sum.ts';

/** In the place of a sum of contents: the store keeps checksums of files. */
export const IN_FILES = 'files';

/** How often a copy is begun again because another machine wrote meanwhile. */
const TRIES = 5;

interface Target {
  to: string;
  /** Whether nobody will write to the copy. */
  isSealed?: boolean;
  /** Expected checksum of the contents, if chunks are copied one by one. */
  expected?: { sum: string; otherwise: KbError };
}

/** Copies a collection without embedding, replacing `to` in one step. Returns the number of chunks. The caller holds the write locks of both. */
export async function* copyAs(from: Collection, { to, isSealed, expected }: Target, context: Context): Run<number> {
  const { settings, resources, home } = context;
  const store = await resources.store(settings.storage);
  const ready = await store.copy?.(from.info.name, to, { isSealed });
  const chunks = yield* ready
    ? withDraft(ready, async function* () {
        return await from.count();
      })
    : withDraft(await store.draft({ ...from.info, name: to }), (draft) => copyChunks(from, { draft, expected }, context));
  await copyOrigins({ settings, home }, { from: from.info.name, to });
  return chunks;
}

interface Copying extends Pick<Target, 'expected'> {
  draft: Collection;
}

async function* copyChunks(from: Collection, { draft, expected }: Copying, { signal }: Context): Run<number> {
  const [sum, count] = [createContentSum(), await from.count()];
  let done = 0;
  for await (const page of from.all({ vectors: true })) {
    throwIfAborted(signal);
    sum.add(page);
    await draft.upsert(page);
    yield progress('copy', { done: (done += page.length), expected: count });
  }
  if (expected && sum.value() !== expected.sum) throw expected.otherwise;
  await draft.optimize();
  return done;
}

/**
 * Copies one state of a collection under the name that `nameOf` makes of its checksum. Locks of some stores hold for one machine only. So
 * the collection is read twice: a copy is repeated if another machine has written in between. Throws a KbError (`conflict`) if that happens
 * again and again.
 */
export async function* copyPresent(
  from: Collection,
  { nameOf, isSealed }: { nameOf(sum: string): string; isSealed: boolean },
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
    const to = nameOf(sum);
    try {
      return { to, chunks: yield* copyAs(from, { to, isSealed, ...(isSummed ? { expected: { sum, otherwise } } : {}) }, context) };
    } catch (error) {
      if (error !== otherwise || tries === TRIES) throw error;
    }
  }
}

/** Copies a collection to a free name. */
export async function* copyCollection({ name, to }: CopyRequest, context: Context): Run<CopyResult> {
  const { settings, resources } = context;
  const from = await existingCollection(context, name);
  const taken = new KbError('conflict', `There is a collection «${to}» already.`, {
    hint: advice`Copy under another name, or remove it with «${call('drop_collection', { name: to })}».`,
  });
  if (name === to) throw taken;
  const [first, second] = [name, to].toSorted(); // two who copy in opposite directions do not wait for each other
  return yield* withLock(inCollection(context, first!), () =>
    withLock(inCollection(context, second!), async function* () {
      if (await (await resources.store(settings.storage)).open(to)) throw taken;
      const { chunks } = yield* copyPresent(from, { nameOf: () => to, isSealed: false }, context);
      return { name, to, copied: chunks };
    }),
  );
}
