import { KbError, toErrorItem } from '../base/errors.ts';
import { progress, type Run } from '../base/run.ts';
import type { Collection, Embedder, StoredChunk } from '../ports.ts';
import type { EditRequest } from '../schema/requests.ts';
import type { EditResult, ErrorItem } from '../schema/results.ts';
import { embedTexts } from './embed.ts';
import type { Target } from './store.ts';

export interface EditParts {
  target: Target;
  collection: Collection;
  /** Undefined where the collection is searched by words alone. */
  embedder: Embedder | undefined;
  batch_size: number;
  signal?: AbortSignal | undefined;
}

type Given = EditRequest['chunks'][number];

/** Gives stored chunks another text or metadata, embeds them anew and writes them under their ids. An unknown id is a failed item, and nothing is made of it. */
export async function* editChunks(
  chunks: readonly Given[],
  { collection, embedder, batch_size, signal, target }: EditParts,
): Run<EditResult> {
  const errors: ErrorItem[] = [];
  const items: { id: string; source: string }[] = [];
  const fail = (id: string, error: unknown) => errors.push(toErrorItem(error, { source: id, source_kind: 'stored_chunk', stage: 'edit' }));
  for (let i = 0; i < chunks.length; i += batch_size) {
    const batch = chunks.slice(i, i + batch_size);
    const stored = new Map((await collection.get(batch.map(({ id }) => id))).map((chunk) => [chunk.id, chunk]));
    const edited: StoredChunk[] = [];
    for (const given of batch) {
      const before = stored.get(given.id);
      if (before) edited.push(changed(before, given));
      else
        fail(
          given.id,
          new KbError('not_found', `There is no chunk «${given.id}» in the collection «${target.collection}».`, {
            hint: 'kb retrieve --json shows the ids of chunks.',
          }),
        );
    }
    const ready = embedder ? await withVectors(edited, { embedder, signal, fail }) : edited;
    await collection.upsert(ready);
    items.push(...ready.map(({ id, source }) => ({ id, source })));
    yield progress('edit', { edited: items.length, requested: chunks.length });
  }
  if (items.length > 0) await collection.optimize();
  return { requested: chunks.length, edited: items.length, items, failed: errors.length, ...target, errors };
}

/** The stored chunk with what was given in place of what it had; what places it in its document stays. */
function changed(before: StoredChunk, { text, embed_text, source, metadata }: Given): StoredChunk {
  const context = before.embed_text?.endsWith(before.text) ? before.embed_text.slice(0, before.embed_text.length - before.text.length) : '';
  return {
    ...before,
    text,
    embed_text: embed_text ?? context + text,
    source: source || before.source,
    metadata: metadata ?? before.metadata,
  };
}

async function withVectors(
  chunks: readonly StoredChunk[],
  parts: { embedder: Embedder; signal: AbortSignal | undefined; fail: (id: string, error: unknown) => void },
): Promise<StoredChunk[]> {
  const vectors = await embedTexts(
    chunks.map(({ embed_text, text }) => embed_text ?? text),
    { embedder: parts.embedder, input_type: 'document', signal: parts.signal },
  );
  return chunks.flatMap((chunk, i) => {
    const vector = vectors[i]!;
    if (!(vector instanceof KbError)) return [{ ...chunk, vector }];
    parts.fail(chunk.id, vector);
    return [];
  });
}
