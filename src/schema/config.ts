import { z } from 'zod';
import { LowConfidenceMode } from './results.ts';

declare module 'zod' {
  interface GlobalMeta {
    /** The flag that sets a key of the configuration, where it has one of its own (without dashes). */
    flag?: string;
    /** The key of the configuration that a field of a request lays itself over, as a dotted path. */
    overrides?: string;
  }
}

const options = () => z.record(z.string(), z.unknown()).optional();

export const Storage = z.strictObject({
  vector_db: z.enum(['lancedb']).describe('Vector database: lancedb is embedded, nothing else has to run').meta({ flag: 'vector-db' }),
  url: z
    .string()
    .optional()
    .describe('Where it is; for lancedb a path (.kb/lancedb beside the configuration file where absent) or s3://, gs://, az://')
    .meta({ flag: 'storage-url' }),
  batch_size: z.int().min(1).max(10_000).describe('Chunks written in one step').meta({ flag: 'storage-batch-size' }),
  ensure_collection: z.boolean().describe('Make the collection where it does not exist').meta({ flag: 'ensure-collection' }),
  options: options().describe('What the database alone understands'),
});

export const DocsIngestion = z.strictObject({
  frontmatter: z.boolean().describe('Put a YAML block (title, source, description …) before the text of each document'),
});

export const UrlsIngestion = z.strictObject({
  mode: z
    .enum(['each', 'full'])
    .describe('each: the pages given; full: crawl from them (not part of this version yet)')
    .meta({ flag: 'crawl-mode' }),
  max_depth: z.int().min(0).max(100).describe('How many links away from the start page a crawl goes').meta({ flag: 'max-depth' }),
  max_pages: z.int().min(1).max(1_000_000).describe('How many pages a crawl reads at most').meta({ flag: 'max-pages' }),
  verbose: z.boolean().describe('Report every page'),
  frontmatter: z.boolean().describe('Put a YAML block before the text of each page'),
});

export const Pagination = z.strictObject({
  type: z.enum(['page', 'offset', 'cursor', 'link']),
  param: z.string().optional().describe('The parameter that names the page, offset or cursor'),
  start: z.int().optional(),
  size_param: z.string().optional(),
  size: z.int().min(1).optional(),
  cursor_path: z.string().optional().describe('Where in the answer the next cursor is'),
  items_path: z.string().optional().describe('Where in the answer the records are'),
});

export const ApiIngestion = z.strictObject({
  title: z.string().optional().describe('Title of the documents'),
  description: z.string().optional().describe('What they are about'),
  method: z.string().describe('HTTP method'),
  headers: z.record(z.string(), z.string()).optional().describe('Sent to the fetched endpoint alone'),
  params: z.record(z.string(), z.unknown()).optional().describe('Query parameters'),
  body: z.unknown().optional().describe('Request body'),
  pagination: Pagination.optional().describe('How further pages are asked for'),
  max_pages: z.int().min(1).max(1_000_000).describe('How many pages are fetched at most'),
  timeout: z.number().positive().describe('Seconds for one request'),
  frontmatter: z.boolean().describe('Put a YAML block before the text of each document'),
});

export const Chunking = z.strictObject({
  chunk_size: z.int().min(50).max(100_000).describe('Characters of a chunk, at most where the text allows it').meta({ flag: 'chunk-size' }),
  chunk_overlap: z
    .int()
    .min(0)
    .max(50_000)
    .describe('Characters repeated from the chunk before, within a section')
    .meta({ flag: 'chunk-overlap' }),
  min_chunk_length: z
    .int()
    .min(0)
    .max(50_000)
    .describe('Characters under which a piece joins its neighbour')
    .meta({ flag: 'min-chunk-length' }),
});
export type Chunking = z.infer<typeof Chunking>;

export const Embedding = z.strictObject({
  provider: z
    .enum(['local', 'openai', 'openai_compatible', 'none'])
    .describe('Who embeds: local is the bundled model; none searches by words alone')
    .meta({ flag: 'embedding-provider' }),
  model: z.string().optional().describe("Embedding model; the provider's default where absent").meta({ flag: 'embedding-model' }),
  batch_size: z.int().min(1).max(2048).describe('Texts in one request').meta({ flag: 'embedding-batch-size' }),
  options: options().describe('What the provider alone understands: base_url, dimensions'),
});
export type Embedding = z.infer<typeof Embedding>;

export const Retrieval = z.strictObject({
  mode: z
    .enum(['hybrid', 'vector', 'text'])
    .describe('hybrid: by meaning and by words; vector: by meaning; text: by words')
    .meta({ flag: 'mode' }),
  top_k: z.int().min(1).max(1000).describe('Chunks retrieved').meta({ flag: 'top-k' }),
});

export const Rerank = z.strictObject({
  enabled: z.boolean().describe('Reorder the retrieved chunks').meta({ flag: 'rerank' }),
  provider: z.enum(['local']).describe('Who reorders: local compares words and meaning, without a model call').meta({ flag: 'reranker' }),
  model: z.string().optional().describe('Reranking model').meta({ flag: 'reranker-model' }),
  top_k: z.int().min(1).max(1000).describe('Chunks kept after reranking').meta({ flag: 'rerank-top-k' }),
  options: options().describe('What the reranker alone understands'),
});

export const Llm = z.strictObject({
  provider: z
    .enum(['local', 'openai', 'openai_compatible'])
    .describe('Who answers: local quotes the sentences that answer')
    .meta({ flag: 'llm-provider' }),
  model: z.string().optional().describe("Language model; the provider's default where absent").meta({ flag: 'llm-model' }),
  max_tokens: z.int().min(1).max(1_000_000).describe('Tokens of an answer').meta({ flag: 'max-tokens' }),
  timeout: z.number().positive().describe('Seconds without a token after which an answer is given up'),
  options: options().describe('What the provider alone understands: base_url'),
});
export type Llm = z.infer<typeof Llm>;

export const HistoryCompaction = z.strictObject({
  enabled: z.boolean().describe('Summarize older turns'),
  history_limit: z.int().min(2).max(10_000).describe('Messages beyond which older ones are summarized'),
  keep_recent: z.int().min(0).max(10_000).describe('Messages kept word for word, of those given'),
});

export const QueryRewrite = z.strictObject({
  enabled: z
    .boolean()
    .optional()
    .describe('Rewrite follow-up questions to stand alone; off, but on in the kb chat REPL')
    .meta({ flag: 'query-rewrite' }),
  session_context: z.string().optional().describe('What the conversation is about, for the rewriting'),
});

export const RetrievalQualityConfig = z.strictObject({
  enabled: z.boolean().describe('Keep weak passages out of the answer'),
  min_retrieval_score: z
    .number()
    .min(0)
    .max(1)
    .optional()
    .describe("Score under which a chunk is weak; the embedder's calibrated one where absent")
    .meta({ flag: 'min-retrieval-score' }),
  min_rerank_score: z
    .number()
    .optional()
    .describe("Rerank score under which a chunk is weak; the reranker's calibrated one where absent")
    .meta({ flag: 'min-rerank-score' }),
  low_confidence_mode: LowConfidenceMode.describe('What happens when nothing is good enough').meta({ flag: 'low-confidence-mode' }),
  max_context_chunks: z.int().min(1).max(200).describe('Chunks given to the language model').meta({ flag: 'max-context-chunks' }),
});

export const Chat = z.strictObject({
  llm: Llm,
  persona: z.string().describe('A sentence that tells the model who answers, and how'),
  history_compaction: HistoryCompaction,
  query_rewrite: QueryRewrite,
  intent_routing: z.strictObject({ enabled: z.boolean().describe('Answer greetings, thanks and farewells without retrieval') }),
  retrieval_quality: RetrievalQualityConfig,
});

export const Network = z.strictObject({
  allow_private: z
    .union([z.enum(['auto']), z.boolean(), z.array(z.string())])
    .describe('Whether private addresses may be fetched: auto (those the user named), true, false, or a list of origins'),
  timeout: z.number().positive().describe('Seconds for one request'),
  max_bytes: z.int().min(1).describe('Bytes of one answer'),
  max_redirects: z.int().min(0).max(50).describe('Redirects followed'),
  user_agent: z.string().describe('How kb names itself'),
});
export type Network = z.infer<typeof Network>;

/** Everything that can be configured. `DEFAULTS` holds what is set where nobody says anything. */
export const Config = z.strictObject({
  collection: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,62}$/, 'letters, digits, _ . - (at most 63, the first a letter or digit)')
    .describe('Name of the collection that is written and searched')
    .meta({ flag: 'collection' }),
  storage: Storage,
  ingestion: z.strictObject({ docs: DocsIngestion, urls: UrlsIngestion, api: ApiIngestion }),
  chunking: Chunking,
  embedding: Embedding,
  concurrency: z
    .enum(['serial', 'parallel'])
    .describe('Whether docs, urls and api are read one kind after another or side by side')
    .meta({ flag: 'concurrency' }),
  retrieval: Retrieval,
  rerank: Rerank,
  chat: Chat,
  network: Network,
});
export type Config = z.infer<typeof Config>;

/** The one table of defaults. A key that is absent here is chosen by its provider, or unset. */
export const DEFAULTS = {
  collection: 'default',
  storage: { vector_db: 'lancedb', batch_size: 512, ensure_collection: true },
  ingestion: {
    docs: { frontmatter: false },
    urls: { mode: 'each', max_depth: 3, max_pages: 200, verbose: false, frontmatter: false },
    api: { method: 'GET', max_pages: 100, timeout: 30, frontmatter: false },
  },
  chunking: { chunk_size: 1000, chunk_overlap: 100, min_chunk_length: 100 },
  embedding: { provider: 'local', batch_size: 64 },
  concurrency: 'serial',
  retrieval: { mode: 'hybrid', top_k: 10 },
  rerank: { enabled: false, provider: 'local', top_k: 5 },
  chat: {
    llm: { provider: 'local', max_tokens: 1024, timeout: 60 },
    persona: '',
    history_compaction: { enabled: true, history_limit: 15, keep_recent: 5 },
    query_rewrite: {},
    intent_routing: { enabled: true },
    retrieval_quality: { enabled: true, low_confidence_mode: 'answer_with_caution', max_context_chunks: 5 },
  },
  network: { allow_private: 'auto', timeout: 30, max_bytes: 104_857_600, max_redirects: 10, user_agent: 'kb' },
} satisfies Config;
