import type { Hint } from '../../core/advice/advice.ts';
import { progress, type Run, throwIfAborted } from '../../core/run.ts';
import type { Collection, StoredChunk, VectorStore } from '../../ports/stores.ts';
import { KbError } from '../../core/errors.ts';

/** Chunks after which the indexes of a draft are brought up to date in between: each write looks for its ids in them. */
const INDEXED_EVERY = 10_000;

interface Filling {
  /** What the progress is called: `copy`, `import`. */
  stage: string;
  /** How many chunks are to come, where that is known. */
  expected?: number;
  signal: AbortSignal | undefined;
}

/** Writes batches of chunks into a draft, and its indexes in the end. Returns the number of chunks. */
export async function* fillDraft(
  draft: Collection,
  batches: AsyncIterable<StoredChunk[]>,
  { stage, expected, signal }: Filling,
): Run<number> {
  let [done, indexed] = [0, 0];
  for await (const batch of batches) {
    throwIfAborted(signal);
    await draft.upsert(batch);
    done += batch.length;
    if (done - indexed >= INDEXED_EVERY) {
      await draft.optimize({ hasMore: true });
      indexed = done;
    }
    yield progress(stage, { done, ...(expected === undefined ? {} : { expected }) });
  }
  await draft.optimize();
  return done;
}

/** Throws a KbError (`conflict`) where the store has a collection of the name. */
export async function assertFree(store: VectorStore, name: string, hint: Hint): Promise<void> {
  if (!(await store.open(name))) return;
  throw new KbError('conflict', `There is a collection «${name}» already.`, { hint });
}
