import { cleanChunk } from '../../text/clean-text.ts';
import { KbError, toErrorItem } from '../../core/errors.ts';
import { progress, throwIfAborted, type Run } from '../../core/run.ts';
import type { Embedder } from '../../ports/models.ts';
import type { Collection, StoredChunk } from '../../ports/stores.ts';
import type { EditRequest } from '../../schema/chunk-requests.ts';
import type { EditResult } from '../../schema/results.ts';
import type { ErrorItem, Location, Metadata } from '../../schema/items.ts';
import { embedBatches, type EmbedOptions } from './embed-chunks.ts';
import type { StoreTarget } from './store-chunks.ts';

interface EditParts {
  target: StoreTarget;
  collection: Collection;
  /** Undefined where the collection is searched by words alone. */
  embedder: Embedder | undefined;
  /** Chunks written in one step. */
  batch_size: number;
  /** Texts in one request to the embedder. */
  embedded_at_once: number;
  signal?: AbortSignal | undefined;
}

type Given = EditRequest['chunks'][number];

/** Gives stored chunks another text or metadata, embeds them anew and writes them under their ids. An unknown id is a failed item, and nothing is made of it. */
export async function* editChunks(
  chunks: readonly Given[],
  { collection, embedder, batch_size, embedded_at_once, signal, target }: EditParts,
): Run<EditResult> {
  const errors: ErrorItem[] = [];
  const items: { id: string; source: string }[] = [];
  const fail = (id: string, error: unknown) => errors.push(toErrorItem(error, { source: id, source_kind: 'stored_chunk', stage: 'edit' }));
  for (let i = 0; i < chunks.length; i += batch_size) {
    const batch = chunks.slice(i, i + batch_size).map(cleanChunk);
    const stored = new Map((await collection.get(batch.map(({ id }) => id))).map((chunk) => [chunk.id, chunk]));
    const edited: StoredChunk[] = [];
    for (const given of batch) {
      const before = stored.get(given.id);
      if (before && given.text.trim() !== '') edited.push(changed(before, given));
      else fail(given.id, before ? emptied(given.id) : unknown(given.id, target));
    }
    throwIfAborted(signal);
    const ready = embedder ? await withVectors(edited, { embedder, batch_size: embedded_at_once, signal, fail }) : edited;
    await collection.upsert(ready);
    items.push(...ready.map(({ id, source }) => ({ id, source })));
    yield progress('edit', { edited: items.length, requested: chunks.length });
  }
  if (items.length > 0) await collection.optimize();
  return { requested: chunks.length, edited: items.length, items, failed: errors.length, ...target, errors };
}

const unknown = (id: string, { collection }: StoreTarget): KbError =>
  new KbError('not_found', `There is no chunk «${id}» in the collection «${collection}».`, {
    hint: 'The items of a retrieval (kb retrieve --json) have the ids of their chunks.',
  });

const emptied = (id: string): KbError =>
  new KbError('invalid', `The new text of the chunk «${id}» is empty.`, {
    hint: `To remove the chunk, delete it by its id: kb delete --id ${id}.`,
  });

/** The stored chunk with what was given in place of what it had; what places it in its document stays. */
function changed(before: StoredChunk, { text, embed_text, source, metadata }: Given): StoredChunk {
  const context = before.embed_text?.endsWith(before.text) ? before.embed_text.slice(0, before.embed_text.length - before.text.length) : '';
  return {
    ...before,
    text,
    embed_text: embed_text ?? context + text,
    source: source || before.source,
    metadata: metadata ?? placed(before, text),
  };
}

/** The metadata of a chunk with another text: where that does not begin with what the chunk repeats of the one before, it repeats nothing. */
function placed({ text: old, metadata }: StoredChunk, text: string): Metadata {
  const location = metadata.location as Location | undefined;
  if (!location?.overlap || text.startsWith(old.slice(0, location.overlap))) return metadata;
  const { overlap: _overlap, ...rest } = location;
  return { ...metadata, location: rest };
}

async function withVectors(
  chunks: readonly StoredChunk[],
  { fail, ...options }: Pick<EmbedOptions, 'embedder' | 'signal'> & { batch_size: number; fail: (id: string, error: unknown) => void },
): Promise<StoredChunk[]> {
  const texts = chunks.map(({ embed_text, text }) => embed_text ?? text);
  const vectors = (await Array.fromAsync(embedBatches(texts, { ...options, input_type: 'document' }))).flat();
  return chunks.flatMap((chunk, i) => {
    const vector = vectors[i]!;
    if (!(vector instanceof KbError)) return [{ ...chunk, vector }];
    fail(chunk.id, vector);
    return [];
  });
}
