import { KbError } from '../../core/errors.ts';
import { prefetch, groupConcurrently } from '../../core/concurrency.ts';
import type { Collection, Replacement } from '../../ports/stores.ts';
import type { IngestDocument } from './read-documents.ts';

/** Outcome of a document: stored (some of its chunks may be lost), unchanged, or refused by the store. */
export interface Written {
  work: IngestDocument;
  stored: boolean;
  refused?: KbError;
}

interface StoreDocumentsOptions {
  /** The collection, made at the first call with the dimensions of the vectors. */
  collection: (dimensions: number) => Promise<Collection>;
  /** Nothing was stored before this run. Otherwise a new document's chunks are looked for too: an edit may have given them another source. */
  was_empty: boolean;
  /** Chunks written in one step, about. */
  batch_size: number;
  /** Called for each document, in order, as soon as its outcome is known. */
  onWritten: (written: Written) => void;
  /** Called with the fatal error before the input iterator is closed (closing waits for in-flight work). */
  onFailure?: (error: unknown) => void;
}

/** Documents that may wait to be written while the embedder goes on. */
const WAITING = 64;

/**
 * Milliseconds that a document waits for others to be written with it: slow input is stored all the same, and stays if the run is killed.
 */
const PATIENCE = 1_000;
const weight = ({ chunks }: IngestDocument): number => Math.max(1, chunks.length);

/** Writes documents in groups, each group in one step, while the embedder works on the next. Yields after each: where nobody reads on, nothing more is written. */
export async function* storeDocuments(
  works: AsyncIterable<IngestDocument>,
  { collection, was_empty, batch_size, onWritten, onFailure }: StoreDocumentsOptions,
): AsyncGenerator<void, void, void> {
  for await (const group of groupConcurrently(prefetch(works, WAITING), batch_size, { weight, patience: PATIENCE })) {
    const ready = group.filter(shouldStore);
    const refused = await writeReady(ready, { collection, was_empty }).catch((error: unknown) => {
      onFailure?.(error);
      throw error;
    });
    for (const work of group) {
      const error = refused.get(work);
      onWritten({ work, stored: ready.includes(work) && !error, ...(error ? { refused: error } : {}) });
    }
    yield;
  }
}

const writeReady = async (
  ready: readonly IngestDocument[],
  { collection, was_empty }: Pick<StoreDocumentsOptions, 'collection' | 'was_empty'>,
): Promise<Map<IngestDocument, KbError>> =>
  ready.length > 0 ? writeGroup(ready, await collection(dimensionsOf(ready)), { was_empty }) : new Map();

const dimensionsOf = (works: readonly IngestDocument[]): number =>
  works.flatMap(({ chunks }) => chunks).find(({ vector }) => vector)?.vector?.length ?? 0;

/**
 * Whether to store a document that lost chunks. If an old version exists and a retry may help, the old version stays. Otherwise the rest is
 * stored, and counts as incomplete until a later run completes it.
 */
function shouldStore({ status, chunks, lost }: IngestDocument): boolean {
  if (status === 'unchanged' || chunks.length === 0) return false;
  return lost.length === 0 || status !== 'changed' || lost.every(({ error }) => !error.isRetryable);
}

type How = Pick<StoreDocumentsOptions, 'was_empty'>;

/** Writes a group in one step; if the store rejects its contents, one by one, so that one document does not affect the others. */
async function writeGroup(works: readonly IngestDocument[], collection: Collection, how: How): Promise<Map<IngestDocument, KbError>> {
  try {
    await write(works, collection, how);
    return new Map();
  } catch (error) {
    if (!(error instanceof KbError) || error.code !== 'invalid') throw error;
    if (works.length === 1) return new Map([[works[0]!, error]]);
  }
  const refused = new Map<IngestDocument, KbError>();
  for (const work of works) for (const [key, error] of await writeGroup([work], collection, how)) refused.set(key, error);
  return refused;
}

async function write(works: readonly IngestDocument[], collection: Collection, { was_empty }: How): Promise<void> {
  const sharing = works.filter((work) => work.shares_source);
  const own: Replacement[] = works
    .filter((work) => !work.shares_source)
    .map(({ source, chunks, status }) => ({ source, chunks, isNew: was_empty && status === 'new' }));
  if (own.length > 0) await collection.replace(own);
  // first what goes: were this stopped in between, the next run would find chunks missing and write them, but none too many
  await collection.delete({ ids: sharing.flatMap(({ outdated }) => outdated) });
  await collection.upsert(sharing.flatMap(({ chunks }) => chunks));
}
