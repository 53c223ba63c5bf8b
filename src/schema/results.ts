import { z } from 'zod';
import { Chunk, Document, EmbeddedChunk, ErrorItem } from './items.ts';

const count = (meaning: string) => z.int().min(0).describe(meaning);
const failures = { failed: count('Items that failed'), errors: z.array(ErrorItem).describe('What failed, and why') };
const notices = z.array(z.string()).describe('What a person should know although nothing failed: a crawl that was cut off, for example');
const documents = {
  documents: count('Documents read'),
  outputs: z.array(Document).describe('The documents, in order'),
  notices,
  ...failures,
};

export const DocumentsResult = z.object(documents).meta({ id: 'DocumentsResult', description: 'Normalized documents' });
export type DocumentsResult = z.infer<typeof DocumentsResult>;

export const PagesResult = z
  .object({
    pages: count('Pages read'),
    outputs: documents.outputs,
    notices,
    dlq: z.array(ErrorItem).nullable().describe('The failures that may pass when they are sent again; null without any'),
    ...failures,
  })
  .meta({ id: 'PagesResult', description: 'Normalized documents of web pages' });
export type PagesResult = z.infer<typeof PagesResult>;

export const ChunkResult = z
  .object({
    inputs: count('Documents that came in'),
    chunks: count('Chunks made'),
    items: z.array(Chunk).describe('The chunks, in the order of their documents'),
    ...failures,
  })
  .meta({ id: 'ChunkResult', description: 'Documents split into chunks' });
export type ChunkResult = z.infer<typeof ChunkResult>;

const embedded = { inputs: count('Chunks that came in'), embedded: count('Chunks embedded') };

export const EmbedResult = z
  .object({ ...embedded, items: z.array(EmbeddedChunk).describe('The chunks with their vectors, in order'), ...failures })
  .meta({ id: 'EmbedResult', description: 'Chunks with their vectors' });
export type EmbedResult = z.infer<typeof EmbedResult>;

/** A chunk in a report that leaves its text out. */
export const ChunkReference = z.object({
  id: z.string().describe('Identifier of the chunk'),
  source: z.string().describe('Path, address or name of its document'),
});
export type ChunkReference = z.infer<typeof ChunkReference>;

const written = {
  items: z.array(ChunkReference).describe('The chunks concerned'),
  ...failures,
  provider: z.string().describe('Vector database'),
  collection: z.string().describe('Name of the collection'),
};

export const StoreResult = z
  .object({ inputs: count('Chunks that came in'), stored: count('Chunks written'), ...written })
  .meta({ id: 'StoreResult', description: 'What was written into a collection' });
export type StoreResult = z.infer<typeof StoreResult>;
export const EditResult = z
  .object({ requested: count('Chunks that were to be changed'), edited: count('Chunks changed'), ...written })
  .meta({ id: 'EditResult', description: 'What was changed in a collection' });
export type EditResult = z.infer<typeof EditResult>;
export const DeleteResult = z
  .object({ requested: count('Chunks that were to be removed'), deleted: count('Chunks removed'), ...written })
  .meta({ id: 'DeleteResult', description: 'What was removed from a collection' });
export type DeleteResult = z.infer<typeof DeleteResult>;

/** A document in the report of an ingest: without its text, which grows with the corpus. */
export const DocumentReference = z.object({
  source: z.string().describe('Path, address or name'),
  status: z
    .enum(['new', 'changed', 'unchanged', 'incomplete', 'failed'])
    .describe('Against what was stored before; incomplete: some of its chunks had been missing'),
  left_out: z
    .number()
    .optional()
    .describe('Of a web page that is a story: the share of its words that was left out beside navigation, where it is over a tenth'),
});
export type DocumentReference = z.infer<typeof DocumentReference>;

const outputs = z.array(DocumentReference).describe('The documents, in order, without their text');
const ReferencesResult = z.object({ documents: documents.documents, outputs, ...failures });
const PageReferencesResult = z.object({ pages: count('Pages read'), outputs, ...failures });
const sources = (meaning: string) => z.array(z.string()).describe(meaning);

/** The report of an ingest. Lists (`items`, `outputs`) end at REPORT_LIMIT entries; the counts are always whole. */
export const IngestResult = z
  .object({
    sources: count('Source documents that entered chunking'),
    unchanged: count('Source documents that were stored already, as they are'),
    chunks: count('Chunks made'),
    embedded: count('Chunks embedded now'),
    reused: count('Chunks of changed documents whose text did not change: their vectors were kept'),
    stored: count('Chunks written'),
    gone: sources('Sources that are gone and whose chunks are stored still: prune removes them'),
    pruned: sources('Sources whose chunks were removed because they are gone'),
    passed_over: sources(
      'What was found and not read: files of no supported kind, empty ones, links that lead out of a folder; notices say why',
    ),
    notices,
    source_results: z
      .object({
        docs: ReferencesResult.optional().describe('What came of docs'),
        urls: PageReferencesResult.optional().describe('What came of urls'),
        api: ReferencesResult.optional().describe('What came of api'),
        markdown: z.array(Document).optional().describe('The documents of markdown'),
      })
      .describe('What was read, under the keys that the request gave'),
    chunk_result: ChunkResult,
    embed_result: z
      .object({ ...embedded, items: z.array(ChunkReference).describe('The chunks, without text and vectors'), ...failures })
      .describe('How embedding went'),
    store_result: StoreResult,
    ...failures,
  })
  .meta({ id: 'IngestResult', description: 'The report of an ingest. Its lists may end early; its counts are always whole' });
export type IngestResult = z.infer<typeof IngestResult>;

/** What a run says while it works; the envelope of every stream. An `item` is a record that the run hands out, such as a chunk of an export. Numbers in `sequence` grow and may skip values. */
export const Event = z
  .object({
    type: z.enum(['progress', 'page', 'item', 'token', 'error', 'final']),
    stage: z
      .string()
      .describe(
        'What it is at: chat, intent, rewrite, retrieval, quality, generation; ingest, crawl, parse, chunk, embed, store; edit, import, export, reembed, setup, evaluate; of an error the stage of its item; complete in the final event',
      ),
    message: z.string(),
    data: z.record(z.string(), z.unknown()),
    sequence: z.int(),
  })
  .meta({ id: 'Event', description: 'What a run says while it works' });
export type Event = z.infer<typeof Event>;
