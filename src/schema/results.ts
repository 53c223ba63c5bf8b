import { z } from 'zod';
import { Chunk, Document, EmbeddedChunk, ErrorItem } from './items.ts';

const count = (meaning: string) => z.int().min(0).describe(meaning);
const failures = { failed: count('Items that failed'), errors: z.array(ErrorItem).describe('What failed and why') };
const notices = z.array(z.string()).describe('Notices although nothing failed, for example a crawl that was cut off');
const documents = {
  documents: count('Documents read'),
  outputs: z.array(Document).describe('Documents, in order'),
  notices,
  ...failures,
};

/** Result of `parse`, `fetch`, and of `upload` without `store`. */
export const DocumentsResult = z.object(documents).meta({ id: 'DocumentsResult', description: 'Documents converted to Markdown' });
export type DocumentsResult = z.infer<typeof DocumentsResult>;

/** Result of `scrape`. */
export const PagesResult = z
  .object({
    pages: count('Pages read'),
    outputs: documents.outputs,
    notices,
    dlq: z.array(ErrorItem).nullable().describe('Failures that may succeed on retry; null if there are none'),
    ...failures,
  })
  .meta({ id: 'PagesResult', description: 'Web pages converted to Markdown' });
export type PagesResult = z.infer<typeof PagesResult>;

/** Result of `chunk`, and part of the report of an ingest. */
export const ChunkResult = z
  .object({
    inputs: count('Documents that came in'),
    chunks: count('Chunks made'),
    items: z.array(Chunk).describe('Chunks, in the order of their documents'),
    ...failures,
  })
  .meta({ id: 'ChunkResult', description: 'Documents split into chunks' });
export type ChunkResult = z.infer<typeof ChunkResult>;

const embedded = { inputs: count('Input chunks'), embedded: count('Chunks embedded') };

/** Result of `embed`. */
export const EmbedResult = z
  .object({ ...embedded, items: z.array(EmbeddedChunk).describe('Chunks with their vectors, in order'), ...failures })
  .meta({ id: 'EmbedResult', description: 'Chunks with their vectors' });
export type EmbedResult = z.infer<typeof EmbedResult>;

/** A chunk in a report, without its text. */
export const ChunkReference = z.object({
  id: z.string().describe('Identifier of the chunk'),
  source: z.string().describe('Path, address or name of its document'),
});

const written = {
  items: z.array(ChunkReference).describe('Chunks concerned'),
  ...failures,
  provider: z.string().describe('Vector database'),
  collection: z.string().describe('Name of the collection'),
};

/** Result of `store`, and part of the report of an ingest. */
export const StoreResult = z
  .object({ inputs: count('Input chunks'), stored: count('Chunks written'), ...written })
  .meta({ id: 'StoreResult', description: 'Result of storing chunks' });
export type StoreResult = z.infer<typeof StoreResult>;
/** Result of `edit`. */
export const EditResult = z
  .object({ requested: count('Chunks requested'), edited: count('Chunks changed'), ...written })
  .meta({ id: 'EditResult', description: 'Result of an edit' });
export type EditResult = z.infer<typeof EditResult>;
/** Result of `delete` and `delete_source`. */
export const DeleteResult = z
  .object({ requested: count('Chunks requested'), deleted: count('Chunks removed'), ...written })
  .meta({ id: 'DeleteResult', description: 'Result of a deletion' });
export type DeleteResult = z.infer<typeof DeleteResult>;

/** A document in the report of an ingest, without its text: the report must not grow with the corpus. */
export const DocumentReference = z.object({
  source: z.string().describe('Path, address or name'),
  status: z
    .enum(['new', 'changed', 'unchanged', 'incomplete', 'failed'])
    .describe('Compared with the stored version; incomplete: some of its chunks were missing'),
  left_out: z
    .number()
    .optional()
    .describe('Of a web page: share of its visible words left out besides navigation, headers and footers, if over 2%'),
});

const outputs = z.array(DocumentReference).describe('Documents, in order, without their text');
const ReferencesResult = z.object({ documents: documents.documents, outputs, ...failures });
const PageReferencesResult = z.object({ pages: count('Pages read'), outputs, ...failures });
const sources = (meaning: string) => z.array(z.string()).describe(meaning);

/** Result of `ingest`. Lists (`items`, `outputs`) end at REPORT_LIMIT entries; the counts are always complete. */
export const IngestResult = z
  .object({
    sources: count('Source documents that entered chunking'),
    unchanged: count('Source documents that were stored already, as they are'),
    chunks: count('Chunks made'),
    embedded: count('Chunks embedded now'),
    reused: count(
      'Chunks whose text was stored already, in the same document or in one that was moved, renamed or copied: their vectors were kept',
    ),
    stored: count('Chunks written'),
    gone: sources('Sources that are gone and whose chunks are stored still: prune removes them'),
    pruned: sources('Sources whose chunks were removed because they are gone, or files without text now'),
    passed_over: sources(
      'What was found and not read: files of no supported kind, empty ones, links that lead out of a folder, what .gitignore and .kbignore exclude; notices say why',
    ),
    notices,
    source_results: z
      .object({
        docs: ReferencesResult.optional().describe('Result for docs'),
        urls: PageReferencesResult.optional().describe('Result for urls'),
        api: ReferencesResult.optional().describe('Result for api'),
        markdown: z.array(Document).optional().describe('Documents from markdown'),
      })
      .describe('What was read, by kind of source'),
    chunk_result: ChunkResult,
    embed_result: z
      .object({ ...embedded, items: z.array(ChunkReference).describe('Chunks, without text and vectors'), ...failures })
      .describe('Result of embedding'),
    store_result: StoreResult,
    ...failures,
  })
  .meta({ id: 'IngestResult', description: 'Report of an ingest. Lists may be truncated; counts are complete' });
export type IngestResult = z.infer<typeof IngestResult>;

/** Result of `upload`. */
export const UploadResult = z
  .union([DocumentsResult, IngestResult])
  .meta({ id: 'UploadResult', description: 'Documents converted to Markdown; with store, the report of their ingest' });

const time = (meaning: string) => z.iso.datetime().nullable().describe(meaning);

/** Result of `watch`: what it has done so far. */
export const WatchResult = z
  .object({
    runs: count('Runs that came to their end'),
    stored: count('Chunks written'),
    pruned: count('Documents removed because they are gone, or have no text any more'),
    failed: count('Failures: items, and runs that were cut short'),
    last_run: time('End of the last run; null before the first'),
    next_run: time('When all sources are read again'),
  })
  .meta({ id: 'WatchResult', description: 'What a watch has done' });
export type WatchResult = z.infer<typeof WatchResult>;

/**
 * An event of a running operation, and the envelope of every stream. An `item` carries a record, such as a chunk of an export. `sequence`
 * increases and may skip values.
 */
export const Event = z
  .object({
    type: z.enum(['progress', 'page', 'item', 'token', 'error', 'final']),
    stage: z
      .string()
      .describe(
        'Current stage: chat, intent, rewrite, retrieval, quality, generation; ingest, watch, crawl, parse, chunk, embed, store; edit, import, export, copy, reembed, setup, evaluate; for an error, the stage of its item; complete in the final event',
      ),
    message: z.string(),
    data: z.record(z.string(), z.unknown()),
    sequence: z.int(),
  })
  .meta({ id: 'Event', description: 'Progress event of an operation' });
export type Event = z.infer<typeof Event>;
