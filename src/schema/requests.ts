import { z } from 'zod';
import { ApiIngestion, Chunking, Config, HistoryCompaction, QueryRewrite, RetrievalQualityConfig, Storage } from './config.ts';
import { block, flattened, overriding } from './fields.ts';
import { Chunk, Document, EmbeddedChunk, HistoryEntry, Metadata } from './items.ts';

const { embedding, storage, retrieval, rerank, chat, ingestion } = Config.shape;
const query = z.string().describe('What is asked or looked for');

/** `{"field": value}`, `{"field": {"in": […]}}`, `{"field": {"gte": …, "lt": …}}`; all keys must hold. Fields: `source`, `title`, any metadata key. */
export const Filter = z
  .record(
    z.string(),
    z.union([
      z.string(),
      z.number(),
      z.boolean(),
      z.strictObject({ in: z.array(z.union([z.string(), z.number(), z.boolean()])).min(1) }),
      z
        .strictObject({
          gt: z.union([z.string(), z.number()]),
          gte: z.union([z.string(), z.number()]),
          lt: z.union([z.string(), z.number()]),
          lte: z.union([z.string(), z.number()]),
        })
        .partial()
        .refine((range) => Object.keys(range).length > 0, 'one of gt, gte, lt, lte'),
    ]),
  )
  .describe('Narrows before the search: {"field": value | {"in": [..]} | {"gte": .., "lt": ..}}');
export type Filter = z.infer<typeof Filter>;

/** A file, folder, glob or link; with a title and a description of its own. */
export const DocsEntry = z.union([
  z.string().min(1),
  z.strictObject({ path: z.string().min(1), title: z.string().optional(), description: z.string().optional() }),
]);
export type DocsEntry = z.infer<typeof DocsEntry>;
export const DocsInput = z.union([DocsEntry, z.array(DocsEntry), z.strictObject({ folder: z.string().min(1) })]);
export type DocsInput = z.infer<typeof DocsInput>;

const UrlObject = z.strictObject({
  url: z.string().min(1),
  mode: z.enum(['each', 'full']).optional(),
  max_depth: z.int().min(0).optional(),
  max_pages: z.int().min(1).optional(),
});
export const UrlsEntry = z.union([z.string().min(1), UrlObject]);
export type UrlsEntry = z.infer<typeof UrlsEntry>;
export const UrlsInput = z.union([UrlsEntry, z.array(UrlsEntry)]);
export type UrlsInput = z.infer<typeof UrlsInput>;

export const ApiSource = ApiIngestion.partial().extend({ url: z.string().min(1).describe('Address of the API') });
export type ApiSource = z.infer<typeof ApiSource>;
export const ApiInput = z.union([z.string().min(1), ApiSource, z.array(z.union([z.string().min(1), ApiSource]))]);
export type ApiInput = z.infer<typeof ApiInput>;

export const MarkdownEntry = z.union([
  z.string(),
  z.object({ text: z.string(), source: z.string().optional(), title: z.string().optional(), metadata: Metadata.optional() }),
]);
export type MarkdownEntry = z.infer<typeof MarkdownEntry>;
export const MarkdownInput = z.union([z.string(), z.array(MarkdownEntry)]);
export type MarkdownInput = z.infer<typeof MarkdownInput>;

export const ParseRequest = z.strictObject({
  files: z
    .union([DocsEntry, z.array(DocsEntry)])
    .optional()
    .describe('Files, folders, globs or links'),
  folder: z.string().min(1).optional().describe('A folder: every supported file in it'),
  frontmatter: overriding(ingestion.shape.docs.shape.frontmatter, 'ingestion.docs.frontmatter'),
});
export type ParseRequest = z.infer<typeof ParseRequest>;

export const IngestRequest = z.strictObject({
  docs: DocsInput.optional().describe('Files, folders, globs, links to documents'),
  urls: UrlsInput.optional().describe('Web pages'),
  api: ApiInput.optional().describe('HTTP APIs'),
  markdown: MarkdownInput.optional().describe('Markdown text'),
  ingestion: block(ingestion, 'ingestion'),
  chunking: block(Chunking, 'chunking'),
  embedding: block(embedding, 'embedding'),
  storage: z.strictObject({ ...flattened(Storage, 'storage'), collection: overriding(Config.shape.collection, 'collection') }).optional(),
  concurrency: overriding(Config.shape.concurrency, 'concurrency'),
  prune: z.boolean().optional().describe('Remove the chunks of documents that are gone from the folder, site or API given'),
  force: z.boolean().optional().describe('Embed and write everything again, unchanged or not'),
  dry_run: z.boolean().optional().describe('Say what would be done; embed, write and remove nothing'),
});
export type IngestRequest = z.infer<typeof IngestRequest>;

/** A document as people write it: only the text is needed. */
export const GivenDocument = Document.partial().extend({ text: z.string() });

export const ChunkRequest = z.strictObject({
  markdown: z.union([z.string(), z.array(z.union([z.string(), GivenDocument]))]).describe('Text, or documents as kb parse gives them'),
  title: z.string().optional(),
  source: z.string().optional(),
  ...flattened(Chunking, 'chunking'),
});
export type ChunkRequest = z.infer<typeof ChunkRequest>;

const embedderFields = {
  provider: overriding(embedding.shape.provider, 'embedding.provider'),
  model: overriding(embedding.shape.model, 'embedding.model'),
};
const storeFields = {
  vector_db: overriding(storage.shape.vector_db, 'storage.vector_db'),
  collection: overriding(Config.shape.collection, 'collection'),
  url: overriding(storage.shape.url, 'storage.url'),
};
const writeFields = {
  ...storeFields,
  batch_size: overriding(storage.shape.batch_size, 'storage.batch_size'),
  ensure_collection: overriding(storage.shape.ensure_collection, 'storage.ensure_collection'),
  options: overriding(storage.shape.options, 'storage.options'),
};
/** A chunk as people write it: an id and a text are needed. */
export const GivenChunk = Chunk.extend({ id: z.string().min(1), source: z.string().default(''), metadata: Metadata.default({}) });

export const EmbedRequest = z.strictObject({
  chunks: z.array(GivenChunk),
  ...embedderFields,
  input_type: z.enum(['document', 'query']).optional().describe('What the texts are, for models that tell the two apart'),
  batch_size: overriding(embedding.shape.batch_size, 'embedding.batch_size'),
  options: overriding(embedding.shape.options, 'embedding.options'),
});
export type EmbedRequest = z.infer<typeof EmbedRequest>;

export const GivenEmbeddedChunk = EmbeddedChunk.extend({
  id: z.string().min(1),
  source: z.string().default(''),
  metadata: Metadata.default({}),
});

export const StoreRequest = z.strictObject({
  embedded_chunks: z.array(GivenEmbeddedChunk),
  ...writeFields,
});
export type StoreRequest = z.infer<typeof StoreRequest>;

/** What changes about a stored chunk: its text, and its metadata where they are given. */
export const EditedChunk = GivenChunk.extend({ source: z.string().optional(), metadata: Metadata.optional() });

export const EditRequest = z.strictObject({
  chunks: z.array(EditedChunk),
  ...embedderFields,
  ...writeFields,
});
export type EditRequest = z.infer<typeof EditRequest>;

export const DeleteRequest = z.strictObject({
  ids: z.array(z.string().min(1)).optional().describe('Chunks'),
  source: z.string().optional().describe('All chunks of a document'),
  filter: Filter.optional().describe('All chunks that it holds for'),
  ...storeFields,
});
export type DeleteRequest = z.infer<typeof DeleteRequest>;

export const RetrieveRequest = z.strictObject({
  query: query.min(1),
  ...embedderFields,
  ...storeFields,
  top_k: overriding(retrieval.shape.top_k, 'retrieval.top_k'),
  mode: overriding(retrieval.shape.mode, 'retrieval.mode'),
  filter: Filter.optional(),
  use_rerank: overriding(rerank.shape.enabled, 'rerank.enabled'),
  reranker: overriding(rerank.shape.provider, 'rerank.provider'),
  reranker_model: overriding(rerank.shape.model, 'rerank.model'),
  rerank_top_k: overriding(rerank.shape.top_k, 'rerank.top_k'),
  options: overriding(storage.shape.options, 'storage.options'),
  embedder_options: overriding(embedding.shape.options, 'embedding.options'),
  reranker_options: overriding(rerank.shape.options, 'rerank.options'),
  explain: z.boolean().optional().describe('Tell with every hit how its rank came about'),
});
export type RetrieveRequest = z.infer<typeof RetrieveRequest>;

export const ChatRequest = z.strictObject({
  query: z.unknown().describe('The question'),
  history: z.array(HistoryEntry).optional().describe('Prior turns'),
  llm_provider: overriding(chat.shape.llm.shape.provider, 'chat.llm.provider'),
  llm_model: overriding(chat.shape.llm.shape.model, 'chat.llm.model'),
  max_tokens: overriding(chat.shape.llm.shape.max_tokens, 'chat.llm.max_tokens'),
  embedder_provider: embedderFields.provider,
  embedder_model: embedderFields.model,
  ...storeFields,
  top_k: overriding(retrieval.shape.top_k, 'retrieval.top_k'),
  mode: overriding(retrieval.shape.mode, 'retrieval.mode'),
  filter: Filter.optional(),
  rerank: overriding(rerank.shape.enabled, 'rerank.enabled'),
  reranker: overriding(rerank.shape.provider, 'rerank.provider'),
  reranker_model: overriding(rerank.shape.model, 'rerank.model'),
  rerank_top_k: overriding(rerank.shape.top_k, 'rerank.top_k'),
  query_rewrite: block(QueryRewrite, 'chat.query_rewrite'),
  history_compaction: block(HistoryCompaction, 'chat.history_compaction'),
  intent_routing: block(chat.shape.intent_routing, 'chat.intent_routing'),
  retrieval_quality: block(RetrievalQualityConfig, 'chat.retrieval_quality'),
  persona: overriding(chat.shape.persona, 'chat.persona'),
  options: overriding(chat.shape.llm.shape.options, 'chat.llm.options'),
  embedder_options: overriding(embedding.shape.options, 'embedding.options'),
  reranker_options: overriding(rerank.shape.options, 'rerank.options'),
});
export type ChatRequest = z.infer<typeof ChatRequest>;

export const ScrapeRequest = z.strictObject({
  url: UrlsInput.describe('Pages'),
  mode: overriding(ingestion.shape.urls.shape.mode, 'ingestion.urls.mode'),
  max_depth: overriding(ingestion.shape.urls.shape.max_depth, 'ingestion.urls.max_depth'),
  max_pages: overriding(ingestion.shape.urls.shape.max_pages, 'ingestion.urls.max_pages'),
  frontmatter: overriding(ingestion.shape.urls.shape.frontmatter, 'ingestion.urls.frontmatter'),
  verbose: overriding(ingestion.shape.urls.shape.verbose, 'ingestion.urls.verbose'),
});
export type ScrapeRequest = z.infer<typeof ScrapeRequest>;

/** One API config (service.md 2.2), or a list of them under `apis`. */
export const FetchRequest = ApiSource.partial().extend({ apis: ApiInput.optional().describe('Several APIs') });
export type FetchRequest = z.infer<typeof FetchRequest>;
