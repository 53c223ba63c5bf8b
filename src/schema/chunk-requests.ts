import { z } from 'zod';
import { Chunking, Config } from './config.ts';
import { flattened, listOf, overriding } from './fields.ts';
import { EditedChunk, GivenChunk, GivenDocument, GivenEmbeddedChunk } from './items.ts';
import { Filter } from './stored/filter.ts';
import { embedderFields, storeFields } from './request-targets.ts';

const { embedding, storage } = Config.shape;

/** Maximum characters of an identifier that an error message quotes. */
const LONGEST_NAME = 100;

const writeFields = {
  ...storeFields,
  batch_size: overriding(storage.shape.batch_size, 'storage.batch_size'),
  ensure_collection: overriding(storage.shape.ensure_collection, 'storage.ensure_collection'),
  options: overriding(storage.shape.options, 'storage.options'),
};

/** Input of `chunk`. */
export const ChunkRequest = z
  .strictObject({
    markdown: z.union([z.string(), listOf(z.union([z.string(), GivenDocument]))]).describe('Text, or documents as kb parse writes them'),
    title: z.string().optional().describe('Title for documents without one'),
    source: z.string().optional().describe('Source (path, address or name) for documents without one'),
    ...flattened(Chunking, 'chunking'),
  })
  .meta({
    id: 'ChunkRequest',
    description: 'Documents to split into chunks',
    examples: [
      {
        markdown: '# Front door\n\nThe door is locked at ten in the evening. The key hangs in the office.',
        source: 'house/doors.md',
        title: 'Doors of the house',
        chunk_size: 800,
      },
    ],
  });
export type ChunkRequest = z.infer<typeof ChunkRequest>;

const chunk = {
  id: 'doors-1',
  text: 'The door is locked at ten in the evening.',
  source: 'house/doors.md',
  metadata: { title: 'Doors of the house' },
};

/** Input of `embed`. */
export const EmbedRequest = z
  .strictObject({
    chunks: listOf(GivenChunk).describe('Chunks as kb chunk writes them'),
    ...embedderFields,
    input_type: z
      .enum(['document', 'query'])
      .optional()
      .describe('Whether the texts are documents or queries, for models that distinguish the two'),
    batch_size: overriding(embedding.shape.batch_size, 'embedding.batch_size'),
    options: overriding(embedding.shape.options, 'embedding.options'),
  })
  .meta({
    id: 'EmbedRequest',
    description: 'Chunks to embed',
    examples: [{ chunks: [chunk], provider: 'local', input_type: 'document' }],
  });
export type EmbedRequest = z.infer<typeof EmbedRequest>;

/** Input of `store`. */
export const StoreRequest = z
  .strictObject({
    embedded_chunks: listOf(GivenEmbeddedChunk).describe('Chunks with vectors, as kb embed writes them'),
    ...writeFields,
  })
  .meta({
    id: 'StoreRequest',
    description: 'Chunks to store in a collection',
    examples: [
      {
        embedded_chunks: [{ ...chunk, embedding: [0.6, 0, 0.8], embedder: { provider: 'openai', model: 'text-embedding-3-small' } }],
        collection: 'house',
      },
    ],
  });
export type StoreRequest = z.infer<typeof StoreRequest>;

/** Rejects a list that changes one chunk twice: it would be unclear which change is meant. */
function eachOnce({ value, issues }: z.core.ParsePayload<{ id: string }[]>): void {
  const met = new Set<string>();
  const twice = value.findIndex(({ id }) => met.size === met.add(id).size);
  if (twice < 0) return;
  const id = value[twice]!.id;
  const name = id.length > LONGEST_NAME ? `${id.slice(0, LONGEST_NAME)}…` : id;
  issues.push({ code: 'custom', message: `The chunk «${name}» is given twice: give each chunk once.`, input: id, path: [twice, 'id'] });
}

/** Input of `edit`. */
export const EditRequest = z
  .strictObject({
    chunks: listOf(EditedChunk).check(eachOnce).describe('Changed chunks by id, each at most once'),
    ...embedderFields,
    ...writeFields,
  })
  .meta({
    id: 'EditRequest',
    description: 'Changes to stored chunks',
    examples: [{ chunks: [{ id: 'doors-1', text: 'The door is locked at eleven in the evening.' }], collection: 'house' }],
  });
export type EditRequest = z.infer<typeof EditRequest>;

/** Input of `delete`. The engine checks that exactly one of `ids`, `source` and `filter` is given. */
export const DeleteRequest = z
  .strictObject({
    ids: listOf(z.string().min(1)).optional().describe('Identifiers of chunks'),
    source: z.string().optional().describe('Source of a document, all of whose chunks are removed'),
    filter: Filter.optional().describe('Filter; all chunks that match are removed'),
    ...storeFields,
  })
  .meta({
    id: 'DeleteRequest',
    description: 'Chunks to remove: exactly one of ids, source and filter',
    examples: [{ source: 'house/doors.md', collection: 'house' }],
  });
export type DeleteRequest = z.infer<typeof DeleteRequest>;
