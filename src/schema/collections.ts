import { z } from 'zod';
import { Config } from './config.ts';
import { EmbedderName } from './items.ts';

/** What is known of a collection. */
export const CollectionSummary = z.object({
  name: z.string(),
  embedding: EmbedderName.describe('The embedder that its vectors are of'),
  dimensions: z.int().describe('Length of its vectors; 0 without vectors'),
  chunks: z.int(),
  sources: z.int().describe('Documents'),
  bytes: z.int().describe('On disk; 0 where the store does not tell'),
});
export type CollectionSummary = z.infer<typeof CollectionSummary>;

export const CollectionsResult = z.object({ collections: z.array(CollectionSummary) });
export type CollectionsResult = z.infer<typeof CollectionsResult>;

const name = Config.shape.collection.describe('Name of the collection');
export const CollectionRequest = z.strictObject({ name });
export type CollectionRequest = z.infer<typeof CollectionRequest>;
export const CollectionsRequest = z.strictObject({});

/** `lines` are those of an export: a header with the fingerprint, then a chunk each. */
export const ImportRequest = z.strictObject({ name, lines: z.custom<AsyncIterable<string>>() });
export type ImportRequest = z.infer<typeof ImportRequest>;

export const DropResult = z.object({ name: z.string(), dropped: z.boolean() });
export type DropResult = z.infer<typeof DropResult>;
export const ExportResult = z.object({ name: z.string(), exported: z.int().describe('Chunks') });
export type ExportResult = z.infer<typeof ExportResult>;
export const ImportResult = z.object({ name: z.string(), imported: z.int().describe('Chunks') });
export type ImportResult = z.infer<typeof ImportResult>;
export const ReembedResult = z.object({
  name: z.string(),
  embedding: EmbedderName,
  dimensions: z.int(),
  embedded: z.int().describe('Chunks'),
});
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

/** Every further line: a chunk with its vector, and what makes a later ingest of its document incremental. */
export const ExportedChunk = z.object({
  id: z.string().min(1),
  text: z.string(),
  embed_text: z.string().optional(),
  source: z.string(),
  metadata: z.record(z.string(), z.unknown()),
  embedding: z.array(z.number()).optional(),
  version: z.string().optional(),
  siblings: z.int().optional(),
});
export type ExportedChunk = z.infer<typeof ExportedChunk>;
