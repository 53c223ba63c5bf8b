import { advice, call, field, type Hint } from '../../core/advice/advice.ts';
import { KbError } from '../../core/errors.ts';
import { type Run, progress, throwIfAborted } from '../../core/run.ts';
import type { Collection, StoredChunk, VectorStore } from '../../ports/stores.ts';
import type { CopyRequest, CopyResult } from '../../schema/collection-operations.ts';
import { existingCollection, withDraft, withLock } from '../collections.ts';
import { type Context, inCollection, inStore } from '../context.ts';
import { copyOrigins } from '../collection-memory.ts';
import { isSameStore, storeUrl, targetStorage } from '../store-address.ts';
import { createHash } from 'node:crypto';

/** Takes the place of a checksum of chunks if the store itself keeps checksums of files. */
export const CHECKSUMS_IN_FILES = 'files';

/** Maximum attempts of a copy, each of which another machine may disturb by writing. */
const MAX_TRIES = 5;

interface Target {
  /** The context of the copy: its store and its name. */
  into: Context;
  /** Whether the copy will never be written to. */
  isSealed?: boolean;
  /** Expected checksum of the contents, if chunks are copied one by one. */
  expected?: { sum: string; mismatch: KbError };
}

/** Copies a collection without embedding, replacing that of the target in one step. Returns the number of chunks. The caller holds the write locks of both. */
export async function* copyAs(from: Collection, { into, isSealed, expected }: Target, context: Context): Run<number> {
  const { settings, resources, home } = context;
  const { storage, collection: to } = into.settings;
  const store = await resources.store(storage);
  const storeCopy = isSameStore(storage, settings.storage, home) ? await store.copy?.(from.info.name, to, { isSealed }) : undefined;
  const chunks = yield* storeCopy
    ? withDraft(storeCopy, async function* () {
        return await from.count();
      })
    : withDraft(await store.draft({ ...from.info, name: to }), (draft) => copyChunks(from, { draft, expected }, context));
  await copyOrigins(inCollection(context, from.info.name), into);
  return chunks;
}

async function* copyChunks(
  from: Collection,
  { draft, expected }: Pick<Target, 'expected'> & { draft: Collection },
  { signal }: Context,
): Run<number> {
  const sum = new ContentSum();
  const pages = async function* () {
    for await (const page of from.all({ vectors: true })) {
      sum.add(page);
      yield page;
    }
  };
  const done = yield* fillDraft(draft, pages(), { stage: 'copy', expected: await from.count(), signal });
  if (expected && sum.value !== expected.sum) throw expected.mismatch;
  return done;
}

interface CopyPlan {
  /** Returns the target of a copy with this checksum. */
  contextFor(sum: string): Context;
  isSealed: boolean;
}

/**
 * Copies one state of a collection to the target that `contextFor` returns for its checksum. Locks of some stores exclude writers on the same
 * machine only, so a copy is repeated if another machine has written meanwhile. Throws a KbError (`conflict`) after MAX_TRIES.
 */
export async function* copyConsistently(
  from: Collection,
  { contextFor, isSealed }: CopyPlan,
  context: Context,
): Run<{ to: string; chunks: number }> {
  const store = await context.resources.store(context.settings.storage);
  const isChecked = isSealed ? !store.verify : !store.copy; // a store with its own copy reads one version
  const mismatch = new KbError('conflict', `Another machine writes to "${from.info.name}" faster than it can be copied.`, {
    hint: 'Run it again when less is written.',
    isRetryable: true,
  });
  for (let tries = 1; ; tries++) {
    const sum = isChecked ? yield* sumContents(from, context.signal) : CHECKSUMS_IN_FILES;
    const into = contextFor(sum);
    try {
      const chunks = yield* copyAs(from, { into, isSealed, ...(isChecked ? { expected: { sum, mismatch } } : {}) }, context);
      return { to: into.settings.collection, chunks };
    } catch (error) {
      if (error !== mismatch || tries === MAX_TRIES) throw error;
    }
  }
}

/** Copies a collection to a free name, in its own store or in another; `replace`: to any other name than its own. */
export async function* copyCollection({ name, to, replace = false, ...place }: CopyRequest, context: Context): Run<CopyResult> {
  const { settings, resources, home } = context;
  const from = await existingCollection(context, name);
  const sourceContext = inCollection(context, name);
  const into = inStore(context, targetStorage(place, settings.storage), to);
  if (name === to && isSameStore(into.settings.storage, settings.storage, home))
    throw new KbError('conflict', `"${name}" can't be copied to itself.`, {
      hint: 'Copy under another name, or to another store.',
    });
  const [first, second] = [sourceContext, into].toSorted((a, b) => (lockKey(a) < lockKey(b) ? -1 : 1)) as [Context, Context];
  return yield* withLock(first, () =>
    withLock(second, async function* () {
      const hint = advice`Copy under another name, replace it with ${field('replace')}, or remove it with "${call('drop_collection', { name: to })}".`;
      if (!replace) await assertFree(await resources.store(into.settings.storage), to, hint);
      const { chunks } = yield* copyConsistently(from, { contextFor: () => into, isSealed: false }, context);
      return { name, to, copied: chunks };
    }),
  );
}

/** Key that orders locks, so that two copies in opposite directions do not wait for each other. */
const lockKey = ({ settings, home }: Context): string =>
  JSON.stringify([settings.storage.vector_db, storeUrl(settings.storage, home), settings.collection]);

/** Chunks after which the indexes of a draft are updated: each write looks up its ids in them. */
const INDEX_INTERVAL = 10_000;

interface FillOptions {
  /** Stage of the progress events: `copy`, `import`. */
  stage: string;
  /** Expected number of chunks, if known. */
  expected?: number;
  signal: AbortSignal | undefined;
}

/** Writes batches of chunks into a draft, and then its indexes. Returns the number of chunks. */
export async function* fillDraft(
  draft: Collection,
  batches: AsyncIterable<StoredChunk[]>,
  { stage, expected, signal }: FillOptions,
): Run<number> {
  let [done, indexed] = [0, 0];
  for await (const batch of batches) {
    throwIfAborted(signal);
    await draft.upsert(batch);
    done += batch.length;
    if (done - indexed >= INDEX_INTERVAL) {
      await draft.optimize({ hasMore: true });
      indexed = done;
    }
    yield progress(stage, { done, ...(expected === undefined ? {} : { expected }) });
  }
  await draft.optimize();
  return done;
}

/** Throws a KbError (`conflict`) if the store has a collection of that name. */
export async function assertFree(store: VectorStore, name: string, hint: Hint): Promise<void> {
  if (!(await store.open(name))) return;
  throw new KbError('conflict', `There is a collection "${name}" already.`, { hint });
}

const BITS = 160;

/** A checksum of chunks that does not depend on their order: the sum of their hashes (SHA-256, cut to 160 bits), modulo 2^160. */
class ContentSum {
  #sum = 0n;
  #count = 0;

  add(chunks: readonly StoredChunk[]): void {
    for (const chunk of chunks) this.#sum = BigInt.asUintN(BITS, this.#sum + hashOf(chunk));
    this.#count += chunks.length;
  }

  /** The number of chunks, and 40 hexadecimal digits: `178-05f2…`. */
  get value(): string {
    return `${this.#count}-${this.#sum.toString(16).padStart(BITS / 4, '0')}`;
  }
}

function hashOf({ id, text, embed_text, source, metadata, version, chunk_count, vector }: StoredChunk): bigint {
  const hash = createHash('sha256').update(JSON.stringify([id, text, embed_text, source, metadata, version, chunk_count]));
  if (vector) hash.update(new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength));
  return BigInt(`0x${hash.digest('hex').slice(0, BITS / 4)}`);
}

/** Computes the checksum of all chunks of a collection. */
export async function* sumContents(collection: Collection, signal?: AbortSignal): Run<string> {
  const [sum, expected] = [new ContentSum(), await collection.count()];
  let done = 0;
  for await (const page of collection.all({ vectors: true })) {
    throwIfAborted(signal);
    sum.add(page);
    yield progress('copy', { done: (done += page.length), expected });
  }
  return sum.value;
}
