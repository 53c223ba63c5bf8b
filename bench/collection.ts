import { documentId } from '../src/core/ids.ts';
import { settle } from '../src/core/run.ts';
import type { Embedder } from '../src/ports/models.ts';
import type { Collection, VectorStore } from '../src/ports/stores.ts';
import { DEFAULTS } from '../src/schema/config.ts';
import type { Document, RetrievedItem } from '../src/schema/items.ts';
import { chunkDocument } from '../src/stages/chunk/chunk.ts';
import { embedTexts } from '../src/stages/ingest/embed-chunks.ts';
import { retrievePassages, type RetrieveInput, type RetrieveParts } from '../src/stages/retrieve/retrieve.ts';
import type { BenchDocument, BenchSet } from './beir.ts';

/** Chunks that are embedded and written at once. */
const BATCH = 512;

/** As `kb ingest --markdown` takes it: the title stands in the text. */
function toDocument({ _id, title, text }: BenchDocument): Document {
  return {
    id: documentId(_id),
    source: _id,
    title: title || _id,
    text: title ? `# ${title}\n\n${text}` : text,
    metadata: { source_kind: 'markdown' },
  };
}

/** The set's corpus as a collection, chunked with the defaults: the one that is in the store already, or a new one. */
export async function collectionOf({ name, corpus }: BenchSet, store: VectorStore, embedder: Embedder): Promise<Collection> {
  const known = await store.open(name);
  if (known) return known;
  const { provider, model, dimensions } = embedder;
  const collection = await store.create({ name, provider, model, dimensions });
  const chunks = corpus.flatMap((document) => {
    const cut = chunkDocument(toDocument(document), DEFAULTS.chunking);
    return cut.map((chunk) => ({ ...chunk, siblings: cut.length }));
  });
  for (let at = 0; at < chunks.length; at += BATCH) {
    const batch = chunks.slice(at, at + BATCH);
    const vectors = await embedTexts(
      batch.map(({ embed_text, text }) => embed_text ?? text),
      { embedder, input_type: 'document' },
    );
    await collection.upsert(
      batch.map((chunk, i) => {
        const vector = vectors[i]!;
        if (vector instanceof Error) throw vector;
        return { ...chunk, vector };
      }),
    );
    process.stderr.write(`\r${name}: ${at + batch.length} of ${chunks.length} chunks`);
  }
  process.stderr.write('\n');
  await collection.optimize();
  return collection;
}

/** What is retrieved; an error ends the bench. */
export async function found(input: RetrieveInput, parts: RetrieveParts): Promise<RetrievedItem[]> {
  const { items, errors } = await settle(retrievePassages(input, parts));
  if (errors[0]) throw new Error(`${input.query}: ${errors[0].error}`);
  return items;
}
