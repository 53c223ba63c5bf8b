import { z } from 'zod';
import { Config } from './config.ts';
import { EmbedderName } from './items.ts';

/** What is known of a collection. */
export const CollectionSummary = z
  .object({
    name: z.string().describe('Name of the collection'),
    embedding: EmbedderName.describe('Embedder of its vectors'),
    dimensions: z.int().min(0).describe('Vector dimensions; 0 without vectors'),
    chunks: z.int().min(0).describe('Number of chunks'),
    sources: z.int().min(0).describe('Number of documents'),
    bytes: z.int().min(0).describe('Bytes on disk; 0 if the store does not report it'),
  })
  .meta({ id: 'CollectionSummary', description: 'Summary of a collection' });
export type CollectionSummary = z.infer<typeof CollectionSummary>;

export const CollectionsResult = z
  .object({ collections: z.array(CollectionSummary).describe('Collections, sorted by name') })
  .meta({ id: 'CollectionsResult', description: 'The collections of the store' });
export type CollectionsResult = z.infer<typeof CollectionsResult>;

const name = Config.shape.collection.describe('Name of the collection');
export const CollectionRequest = z
  .strictObject({ name })
  .meta({ id: 'CollectionRequest', description: 'A collection', examples: [{ name: 'manuals' }] });
export type CollectionRequest = z.infer<typeof CollectionRequest>;
export const CollectionsRequest = z.strictObject({}).meta({ id: 'CollectionsRequest', description: 'No parameters', examples: [{}] });

/** `lines` are those of an export: a header with the fingerprint, a chunk each, and the line that closes it. */
export const ImportRequest = z.strictObject({
  name,
  lines: z.custom<AsyncIterable<string>>().describe('The lines of an export'),
  force: z.boolean().optional().describe('Import what is readable of an export that was cut off or changed'),
});
export type ImportRequest = z.infer<typeof ImportRequest>;

export const DropResult = z
  .object({ name, dropped: z.boolean().describe('Whether the collection existed') })
  .meta({ id: 'DropResult', description: 'Result of dropping a collection' });
export type DropResult = z.infer<typeof DropResult>;
export const ExportResult = z
  .object({ name, exported: z.int().min(0).describe('Chunks written') })
  .meta({ id: 'ExportResult', description: 'Result of an export' });
export type ExportResult = z.infer<typeof ExportResult>;
export const ImportResult = z
  .object({ name, imported: z.int().min(0).describe('Chunks read') })
  .meta({ id: 'ImportResult', description: 'Result of an import' });
export type ImportResult = z.infer<typeof ImportResult>;
export const ReembedResult = z
  .object({
    name,
    embedding: EmbedderName.describe('Embedder of the new vectors'),
    dimensions: z.int().min(0).describe('Vector dimensions; 0 without vectors'),
    embedded: z.int().min(0).describe('Chunks embedded'),
  })
  .meta({ id: 'ReembedResult', description: 'Result of embedding a collection with another model' });
export type ReembedResult = z.infer<typeof ReembedResult>;

/** The first line of an export. */
export const ExportHeader = z.object({
  kb_export: z.literal(1),
  name: z.string(),
  provider: z.string(),
  model: z.string(),
  dimensions: z.int().min(0),
});
export type ExportHeader = z.infer<typeof ExportHeader>;

/** The last line of an export: what tells a whole one from one that was cut off or changed. */
export const ExportEnd = z.object({
  kb_export_end: z.literal(1),
  chunks: z.int().min(0),
  /** Of all lines before, each with its line feed, in hexadecimal. */
  sha256: z.string(),
});
export type ExportEnd = z.infer<typeof ExportEnd>;

/** Every line between: a chunk with its vector, and what makes a later ingest of its document incremental. */
export const ExportedChunk = z.object({
  id: z.string().min(1),
  text: z.string(),
  embed_text: z.string().optional(),
  source: z.string(),
  metadata: z.record(z.string(), z.unknown()),
  embedding: z.array(z.number()).optional(),
  version: z.string().optional(),
  chunk_count: z.int().optional(),
});
export type ExportedChunk = z.infer<typeof ExportedChunk>;
