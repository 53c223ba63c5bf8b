import type { StoredChunk } from '../../../ports/stores.ts';
import { type CollectionHolder, pages } from './collection-holder.ts';
import { isOfPresentForm } from './collection-state.ts';
import { CHUNK, DENSE, INDEXES, TEXT, toChunk } from './points.ts';
import { addIndexes } from './qdrant-tables.ts';

/** Chunks of a page: each may take 60 kB as JSON. */
const AT_ONCE = 256;

/**
 * Brings what earlier versions have stored to the present form: it lacks indexes, and the words that chunks are found by, which Qdrant weighed. `rewrite` writes
 * chunks with their words. Does nothing where all is of that form.
 */
export async function bringForward(holder: CollectionHolder, rewrite: (chunks: StoredChunk[]) => Promise<void>): Promise<void> {
  const state = await holder.read(async (present) => present);
  if (isOfPresentForm(state)) return;
  await addIndexes(holder.ask, state.table, Object.keys(INDEXES) as (keyof typeof INDEXES)[]);
  const unweighed = { collection_name: state.table, sparse_vectors: { [TEXT]: { modifier: 'none' as const } } };
  await holder.ask((api, init) => api.updateCollection(unweighed, init), 'write');
  const vectors = holder.info.dimensions > 0 ? [DENSE] : [];
  const conditions = [{ is_empty: { key: 'words' } }];
  for await (const page of pages(holder, { conditions, payload: CHUNK, vectors, size: AT_ONCE })) await rewrite(page.map(toChunk));
  await holder.write((changeState) => changeState(async (present) => ({ ...present, words_counted: true })));
}
