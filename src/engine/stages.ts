import type { Run } from '../base/run.ts';
import { hash } from '../base/ids.ts';
import type { Document } from '../schema/items.ts';
import type { ChunkRequest, EmbedRequest } from '../schema/chunk-requests.ts';
import type { ChunkResult, EmbedResult } from '../schema/results.ts';
import { runChunk } from '../stages/chunk/run.ts';
import { embedChunks } from '../stages/embed.ts';
import { toDocument } from '../stages/extract/document.ts';
import { BARE_SOURCE, bareId } from '../stages/extract/markdown.ts';
import { openEmbedder } from './collections.ts';
import type { Context } from './context.ts';

/** Splits texts and documents. */
export async function* chunk({ markdown, title, source }: ChunkRequest, { settings }: Context): Run<ChunkResult> {
  const all = [markdown].flat().map((given) => (typeof given === 'string' ? { text: given } : given));
  const nameOf = (given: { source?: string | undefined }) => given.source || source || BARE_SOURCE;
  const named = Map.groupBy(all, nameOf);
  const documents = all.map((given): Document => {
    const { text, ...known } = given;
    const name = nameOf(given);
    const isShared = name === BARE_SOURCE || named.get(name)!.length > 1;
    const id = known.id || (isShared ? bareId(text, name) : undefined);
    const made = toDocument(
      { text, metadata: known.metadata ?? {} },
      { id, source: name, source_kind: 'markdown', file_type: 'markdown', content_hash: hash(text), title: known.title ?? title },
    );
    return { ...made, metadata: { ...made.metadata, ...known.metadata }, ...(known.marks ? { marks: known.marks } : {}) };
  });
  return yield* runChunk({ documents, chunking: settings.chunking });
}

/** Embeds chunks; with the provider `none` they pass as they are. */
export async function* embed({ chunks, input_type = 'document' }: EmbedRequest, context: Context): Run<EmbedResult> {
  const embedder = await openEmbedder(context);
  if (!embedder) return { inputs: chunks.length, embedded: 0, items: chunks, failed: 0, errors: [] };
  return yield* embedChunks({ chunks, embedder, batch_size: context.settings.embedding.batch_size, input_type, signal: context.signal });
}
