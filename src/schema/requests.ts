import { z } from 'zod';
import { Config, Chunking, Storage } from './config.ts';
import { overrideKey, block, flattenSection, listOf, MAX_ADDRESS_LENGTH, MAX_LABEL_LENGTH } from './fields.ts';
import { GivenMetadata, ApiInput, ApiSource, DocsEntry, folder, place, Sources, UrlsInput } from './source-entries.ts';
import { EditedChunk, GivenChunk, GivenDocument, GivenEmbeddedChunk } from './items.ts';
import { Filter } from './stored/filter.ts';

const { embedding, ingestion, storage } = Config.shape;
const { docs, urls } = ingestion.shape;

/** Request fields that choose the embedding model. */
export const embedderFields = {
  provider: overrideKey(embedding.shape.provider, 'embedding.provider'),
  model: overrideKey(embedding.shape.model, 'embedding.model'),
};

/** Request fields that choose the collection and its store. */
export const storeFields = {
  vector_db: overrideKey(storage.shape.vector_db, 'storage.vector_db'),
  collection: overrideKey(Config.shape.collection, 'collection'),
  url: overrideKey(storage.shape.url, 'storage.url'),
};

/** Maximum collections that one search covers. */
const MAX_COLLECTIONS = 20;

/** Request fields that choose the collections of a search and their store. */
export const searchedFields = {
  ...storeFields,
  collection: z
    .union([Config.shape.collection, z.array(Config.shape.collection).min(1).max(MAX_COLLECTIONS)])
    .optional()
    .meta({
      description: 'Collection to search, or a list of collections that were embedded with the same model',
      overrides: 'collection',
    }),
};

/** Source settings that a request may override: all but `password`, which names an environment variable of the server. */
const requestableIngestion = z
  .strictObject({ ...ingestion.shape, docs: docs.omit({ password: true }).describe(docs.description!) })
  .describe(ingestion.description!);
const html = { html: overrideKey(ingestion.shape.html, 'ingestion.html') };
const ocr = {
  ocr: overrideKey(docs.shape.ocr, 'ingestion.docs.ocr'),
  ocr_languages: overrideKey(docs.shape.ocr_languages, 'ingestion.docs.ocr_languages'),
};

/** Input of `parse`. The engine checks that exactly one of `files` and `folder` is given. */
export const ParseRequest = z
  .strictObject({
    files: z
      .union([DocsEntry, listOf(DocsEntry)])
      .optional()
      .describe('Files, folders, globs or links'),
    folder: folder.optional(),
    frontmatter: overrideKey(docs.shape.frontmatter, 'ingestion.docs.frontmatter'),
    follow_links: overrideKey(docs.shape.follow_links, 'ingestion.docs.follow_links'),
    gitignore: overrideKey(docs.shape.gitignore, 'ingestion.docs.gitignore'),
    ...ocr,
    ...html,
    kinds: overrideKey(docs.shape.kinds, 'ingestion.docs.kinds'),
  })
  .meta({
    id: 'ParseRequest',
    description: 'Files to parse: exactly one of files and folder',
    examples: [{ files: ['manuals/pump.pdf', { path: 'https://example.com/terms.docx', title: 'Terms of delivery' }] }],
  });
export type ParseRequest = z.infer<typeof ParseRequest>;

/**
 * Input of `upload`: files that were received. `path` is a temporary file of the server and never comes from the caller; `name` is the
 * caller's name for the file.
 */
export const UploadRequest = z
  .strictObject({
    files: z
      .array(
        z.strictObject({
          name: z.string().describe('File name; the extension determines the file type'),
          path: place.describe('Temporary file with the content'),
        }),
      )
      .min(1)
      .describe('Uploaded files'),
    store: z.boolean().optional().describe('Chunk, embed and store the documents too; the result is then that of an ingest'),
    collection: overrideKey(Config.shape.collection, 'collection'),
    metadata: GivenMetadata.optional(),
    title: z.string().max(MAX_LABEL_LENGTH).optional().describe('Title of each document. Default: its own'),
    description: z.string().max(MAX_LABEL_LENGTH).optional().describe('Description of each document'),
    frontmatter: overrideKey(docs.shape.frontmatter, 'ingestion.docs.frontmatter'),
    ...ocr,
    ...html,
  })
  .meta({ id: 'UploadRequest', description: 'Uploaded files to parse, or to ingest' });
export type UploadRequest = z.infer<typeof UploadRequest>;

/** Input of `ingest`; without a source it reads those of the configuration. */
export const IngestRequest = z
  .strictObject({
    ...Sources.shape,
    ingestion: block(requestableIngestion, 'ingestion'),
    chunking: block(Chunking, 'chunking'),
    embedding: block(embedding, 'embedding'),
    storage: z
      .strictObject({ ...flattenSection(Storage, 'storage'), collection: overrideKey(Config.shape.collection, 'collection') })
      .optional()
      .describe('Store for the chunks'),
    concurrency: overrideKey(Config.shape.concurrency, 'concurrency'),
    metadata: GivenMetadata.optional(),
    prune: z.boolean().optional().describe('Remove documents that no longer exist in the given folders, sites and APIs'),
    force: z.boolean().optional().describe('Embed and store everything again, even if unchanged'),
    dry_run: z.boolean().optional().describe('Report what would be done without embedding, writing or removing anything'),
  })
  .meta({
    id: 'IngestRequest',
    description: 'Sources to ingest: at least one of docs, urls, api and markdown',
    examples: [
      {
        docs: { folder: 'manuals' },
        markdown: [{ text: '# Opening hours\n\nFrom nine to five.', source: 'hours', metadata: { year: 2026 } }],
        chunking: { chunk_size: 800 },
        storage: { collection: 'manuals' },
        metadata: { team: 'support' },
        prune: true,
      },
    ],
  });
export type IngestRequest = z.infer<typeof IngestRequest>;

/** Input of `scrape`. */
export const ScrapeRequest = z
  .strictObject({
    url: UrlsInput.describe('Pages'),
    mode: overrideKey(urls.shape.mode, 'ingestion.urls.mode'),
    max_depth: overrideKey(urls.shape.max_depth, 'ingestion.urls.max_depth'),
    max_pages: overrideKey(urls.shape.max_pages, 'ingestion.urls.max_pages'),
    include: overrideKey(urls.shape.include, 'ingestion.urls.include'),
    exclude: overrideKey(urls.shape.exclude, 'ingestion.urls.exclude'),
    render: overrideKey(urls.shape.render, 'ingestion.urls.render'),
    frontmatter: overrideKey(urls.shape.frontmatter, 'ingestion.urls.frontmatter'),
    ...html,
    verbose: overrideKey(urls.shape.verbose, 'ingestion.urls.verbose'),
  })
  .meta({
    id: 'ScrapeRequest',
    description: 'Web pages to read',
    examples: [{ url: ['https://example.com/docs/intro', 'https://example.com/docs/install'], frontmatter: true }],
  });
export type ScrapeRequest = z.infer<typeof ScrapeRequest>;

/** Input of `fetch`: one API config (service.md 2.2), or a list of them under `apis`. */
export const FetchRequest = ApiSource.partial()
  .extend({ apis: ApiInput.optional().describe('Several APIs') })
  .meta({
    id: 'FetchRequest',
    description: 'HTTP APIs to read: one by its url, or several under apis',
    examples: [
      {
        url: 'https://example.com/api/articles',
        params: { lang: 'en' },
        pagination: { type: 'page', param: 'page', items_path: 'results' },
        max_pages: 20,
        timeout: 10,
      },
    ],
  });
export type FetchRequest = z.infer<typeof FetchRequest>;

/** Maximum characters of an identifier that an error message quotes. */
const MAX_QUOTED_ID = 100;

const writeFields = {
  ...storeFields,
  batch_size: overrideKey(storage.shape.batch_size, 'storage.batch_size'),
  ensure_collection: overrideKey(storage.shape.ensure_collection, 'storage.ensure_collection'),
  options: overrideKey(storage.shape.options, 'storage.options'),
};

/** Input of `chunk`. */
export const ChunkRequest = z
  .strictObject({
    markdown: z.union([z.string(), listOf(z.union([z.string(), GivenDocument]))]).describe('Text, or documents as kb parse writes them'),
    title: z.string().max(MAX_LABEL_LENGTH).optional().describe('Title for documents without one'),
    source: z.string().max(MAX_ADDRESS_LENGTH).optional().describe('Source (path, address or name) for documents without one'),
    ...flattenSection(Chunking, 'chunking'),
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
    batch_size: overrideKey(embedding.shape.batch_size, 'embedding.batch_size'),
    options: overrideKey(embedding.shape.options, 'embedding.options'),
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

/** Adds an issue to a list that changes one chunk twice, because it is unclear which change is meant. */
function rejectDuplicates({ value, issues }: z.core.ParsePayload<{ id: string }[]>): void {
  const seen = new Set<string>();
  const duplicate = value.findIndex(({ id }) => seen.size === seen.add(id).size);
  if (duplicate < 0) return;
  const id = value[duplicate]!.id;
  const name = id.length > MAX_QUOTED_ID ? `${id.slice(0, MAX_QUOTED_ID)}…` : id;
  issues.push({ code: 'custom', message: `The chunk "${name}" is given twice: give each chunk once.`, input: id, path: [duplicate, 'id'] });
}

/** Input of `edit`. */
export const EditRequest = z
  .strictObject({
    chunks: listOf(EditedChunk).check(rejectDuplicates).describe('Changed chunks by id, each at most once'),
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
    ids: listOf(z.string().min(1).max(MAX_ADDRESS_LENGTH)).optional().describe('Identifiers of chunks'),
    source: z.string().max(MAX_ADDRESS_LENGTH).optional().describe('Source of a document, all of whose chunks are removed'),
    filter: Filter.optional().describe('Filter; all chunks that match are removed'),
    ...storeFields,
  })
  .meta({
    id: 'DeleteRequest',
    description: 'Chunks to remove: exactly one of ids, source and filter',
    examples: [{ source: 'house/doors.md', collection: 'house' }],
  });
export type DeleteRequest = z.infer<typeof DeleteRequest>;
