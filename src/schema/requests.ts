import { z } from 'zod';
import { Chunking, Config, Storage } from './config.ts';
import { block, flattened, listOf, overriding } from './fields.ts';
import { GivenMetadata } from './stored/given-metadata.ts';
import { ApiInput, ApiSource, DocsEntry, folder, place, Sources, UrlsInput } from './source-entries.ts';

const { embedding, ingestion } = Config.shape;
const { docs, urls } = ingestion.shape;
/** Source settings that a request may override: all but `password`, which names an environment variable of the server. */
const requested = z
  .strictObject({ ...ingestion.shape, docs: docs.omit({ password: true }).describe(docs.description!) })
  .describe(ingestion.description!);
const ocr = {
  ocr: overriding(docs.shape.ocr, 'ingestion.docs.ocr'),
  ocr_languages: overriding(docs.shape.ocr_languages, 'ingestion.docs.ocr_languages'),
};

/** Input of `parse`. The engine checks that exactly one of `files` and `folder` is given. */
export const ParseRequest = z
  .strictObject({
    files: z
      .union([DocsEntry, listOf(DocsEntry)])
      .optional()
      .describe('Files, folders, globs or links'),
    folder: folder.optional(),
    frontmatter: overriding(docs.shape.frontmatter, 'ingestion.docs.frontmatter'),
    follow_links: overriding(docs.shape.follow_links, 'ingestion.docs.follow_links'),
    ...ocr,
    kinds: overriding(docs.shape.kinds, 'ingestion.docs.kinds'),
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
    collection: overriding(Config.shape.collection, 'collection'),
    metadata: GivenMetadata.optional(),
    title: z.string().optional().describe('Title of each document. Default: its own'),
    description: z.string().optional().describe('Description of each document'),
    frontmatter: overriding(docs.shape.frontmatter, 'ingestion.docs.frontmatter'),
    ...ocr,
  })
  .meta({ id: 'UploadRequest', description: 'Uploaded files to parse, or to ingest' });
export type UploadRequest = z.infer<typeof UploadRequest>;

/** Input of `ingest`; without a source it reads those of the configuration. */
export const IngestRequest = z
  .strictObject({
    ...Sources.shape,
    ingestion: block(requested, 'ingestion'),
    chunking: block(Chunking, 'chunking'),
    embedding: block(embedding, 'embedding'),
    storage: z
      .strictObject({ ...flattened(Storage, 'storage'), collection: overriding(Config.shape.collection, 'collection') })
      .optional()
      .describe('Store for the chunks'),
    concurrency: overriding(Config.shape.concurrency, 'concurrency'),
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
    mode: overriding(urls.shape.mode, 'ingestion.urls.mode'),
    max_depth: overriding(urls.shape.max_depth, 'ingestion.urls.max_depth'),
    max_pages: overriding(urls.shape.max_pages, 'ingestion.urls.max_pages'),
    include: overriding(urls.shape.include, 'ingestion.urls.include'),
    exclude: overriding(urls.shape.exclude, 'ingestion.urls.exclude'),
    render: overriding(urls.shape.render, 'ingestion.urls.render'),
    frontmatter: overriding(urls.shape.frontmatter, 'ingestion.urls.frontmatter'),
    verbose: overriding(urls.shape.verbose, 'ingestion.urls.verbose'),
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
