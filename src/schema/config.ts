import { z } from 'zod';
import { Bytes, MAX_NAME_LENGTH, MAX_PATH_LENGTH, options } from './fields.ts';
import { Chat } from './config-chat.ts';
import { ApiIngestion, DocsIngestion, HtmlExtent, Network, UrlsIngestion, Watching } from './config-sources.ts';
import { EmbeddingProvider, RerankProvider, VectorDb } from './provider-names.ts';
import { ConfiguredSources } from './source-entries.ts';
import { Filter } from './stored/filter.ts';

declare module 'zod' {
  interface GlobalMeta {
    /** Command-line flag of a configuration key, without dashes, if it has one. */
    flag?: string;
    /** Dotted path of the configuration key that a request field overrides. */
    overrides?: string;
    /** Unit that may follow the number in writing (`10 MB`). */
    unit?: 'bytes';
  }
}

/** Rights of a token: searching and asking, changing what is stored (which includes the first), dropping collections. */
export const TokenScope = z.enum(['read', 'write', 'admin']);
export type TokenScope = z.infer<typeof TokenScope>;

/** One token of `server.tokens_file`. */
export const TokenRow = z.strictObject({
  name: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_.@-]{0,62}$/, 'a name of letters, digits, _ . @ - (at most 63)'),
  hash: z.string().regex(/^[0-9a-f]{64}$/, 'the SHA-256 of the token, as 64 hexadecimal digits in lower case'),
  scopes: z.array(TokenScope).min(1),
  collections: z.array(z.string().regex(/^(?:\*|[A-Za-z0-9][A-Za-z0-9_.-]{0,62})$/, 'the name of a collection, or *')).min(1),
  filter: Filter.optional(),
});
export type TokenRow = z.infer<typeof TokenRow>;

/** `server` of the configuration. */
export const Server = z.strictObject({
  host: z
    .string()
    .min(1)
    .describe(
      'Address that kb serve listens on. Any address except loopback needs KB_SERVER_TOKEN in the environment, tokens_file, or auth: gateway',
    )
    .meta({ flag: 'host' }),
  port: z.int().min(0).max(65_535).describe('Port that kb serve listens on; 0 picks a free one').meta({ flag: 'port' }),
  auth: z
    .enum(['token', 'gateway'])
    .describe(
      'Who authenticates clients: token (the server, by KB_SERVER_TOKEN and tokens_file if they are set) or gateway (a proxy in front, which alone can reach the server)',
    ),
  tokens_file: z
    .string()
    .min(1)
    .optional()
    .describe(
      'File with further tokens: a list of {name, hash, scopes, collections, filter}, which kb token create writes. Relative to this file, outside allowed_roots, readable by its owner alone (mode 0600). Default: a file for this folder in the configuration folder of the user',
    ),
  allowed_hosts: z
    .array(
      z
        .string()
        .regex(/^(?:\*\.)?[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/i, 'a name such as kb.example or *.kb.example, without a scheme and a port'),
    )
    .describe('Host names accepted without a token, besides those of this machine: kb.example, *.kb.example'),
  allowed_roots: z
    .array(z.string().min(1))
    .min(1)
    .optional()
    .describe(
      "Folders that requests may read, relative to this file. Default: the working directory. kb's own files in them are never read",
    ),
  allowed_store_urls: z
    .array(z.string().min(1))
    .describe('Store URLs that requests may name, besides the configured one and the local defaults'),
  cors_origins: z
    .array(z.string().regex(/^https?:\/\/[^/\s]+$/, 'an origin such as https://app.example, without a path'))
    .describe('Web origins that may call the server from a browser, such as https://app.example'),
  body_limit: Bytes.describe('Maximum size of a request body'),
  upload_limit: Bytes.describe('Maximum size of an uploaded file'),
  max_files: z.int().min(1).max(10_000).describe('Maximum files per upload'),
  request_timeout: z.number().positive().max(86_400).describe('Timeout per request, in seconds; jobs may take longer'),
  max_concurrent: z
    .int()
    .min(1)
    .max(1000)
    .describe('Maximum requests processed at once, counted separately for searches and ingests; others wait'),
  mcp_write: z.boolean().describe('Offer agents at /mcp the tools that add and remove documents'),
  page: z.boolean().describe('Serve the page at /, on which people ask and search in a browser'),
  rate_limit: z.int().min(0).describe('Maximum requests per minute and client; 0: unlimited'),
});
export type Server = z.infer<typeof Server>;

/** `storage` of the configuration. */
export const Storage = z
  .strictObject({
    vector_db: VectorDb.meta({ flag: 'vector-db' }),
    url: z
      .string()
      .max(MAX_PATH_LENGTH)
      .regex(/^[^\u0000-\u001f\u007f]+$/, 'an address or a path, without control characters')
      .optional()
      .describe(
        'Location of the store. lancedb: a path (default .kb/lancedb beside the configuration file) or s3://, gs://, az://. qdrant: a URL (default http://127.0.0.1:6333)',
      )
      .meta({ flag: 'storage-url' }),
    batch_size: z
      .int()
      .min(1)
      .max(10_000)
      .describe('Chunks written per step; kb store writes at least 5,000')
      .meta({ flag: 'storage-batch-size' }),
    ensure_collection: z.boolean().describe('Create the collection if it does not exist').meta({ flag: 'ensure-collection' }),
    options: options().describe(
      'Options of the database. lancedb: access to s3://, gs:// or az:// (region, endpoint …), index_cache_mb, metadata_cache_mb, read_interval (seconds), not allowed in HTTP requests. qdrant: docs/qdrant.md lists them: how it is reached (timeout, urls, ca_file …), read (consistency, hnsw_ef …) and made (shard_number, replication_factor, quantization …)',
    ),
  })
  .describe('Store for the chunks');

/** Maximum characters of a chunk, if the embedding model reads as much at once. */
export const DEFAULT_CHUNK_SIZE = 1000;

/** `chunking` of the configuration; all sizes are characters. */
export const Chunking = z
  .strictObject({
    chunk_size: z
      .int()
      .min(50)
      .max(100_000)
      .optional()
      .describe(
        `Maximum characters per chunk, where the text allows it. Default: ${DEFAULT_CHUNK_SIZE}, or what the embedding model reads at once if that is less`,
      )
      .meta({ flag: 'chunk-size' }),
    chunk_overlap: z
      .int()
      .min(0)
      .max(50_000)
      .describe('Characters repeated from the previous chunk of the same section')
      .meta({ flag: 'chunk-overlap' }),
    min_chunk_length: z
      .int()
      .min(0)
      .max(50_000)
      .describe('A piece with fewer characters is joined to its neighbour')
      .meta({ flag: 'min-chunk-length' }),
  })
  .describe('How documents are split into chunks');
export type Chunking = z.infer<typeof Chunking>;

/** `embedding` of the configuration. */
export const Embedding = z
  .strictObject({
    provider: EmbeddingProvider.optional().describe(EmbeddingProvider.description!).meta({ flag: 'embedding-provider' }),
    model: z
      .string()
      .max(MAX_NAME_LENGTH)
      .optional()
      .describe(
        "Embedding model. Default: the model of the collection; for a new collection, the provider's default. local has all-minilm-l6-v2 (English, the default) and multilingual-e5-small (about 45 languages)",
      )
      .meta({ flag: 'embedding-model' }),
    batch_size: z
      .int()
      .min(1)
      .max(2048)
      .describe('Texts per request; fewer if the provider accepts fewer')
      .meta({ flag: 'embedding-batch-size' }),
    options: options().describe('Options of the provider: base_url, dimensions'),
  })
  .describe('Embedding provider and model');

/** `retrieval` of the configuration. */
const Retrieval = z
  .strictObject({
    mode: z
      .enum(['hybrid', 'vector', 'text'])
      .describe('vector: by meaning (embeddings); text: by keywords (BM25); hybrid: both')
      .meta({ flag: 'mode' }),
    top_k: z.int().min(1).max(1000).describe('Number of chunks to retrieve').meta({ flag: 'top-k' }),
  })
  .describe('How the collection is searched');

/** `rerank` of the configuration. */
export const Rerank = z
  .strictObject({
    enabled: z.boolean().describe('Rerank the retrieved chunks').meta({ flag: 'rerank' }),
    provider: RerankProvider.meta({ flag: 'reranker' }),
    model: z
      .string()
      .max(MAX_NAME_LENGTH)
      .optional()
      .describe(
        "Reranking model. Default: the provider's default; for llm, the model of chat.llm; for local, the bundled model of the collection, else all-minilm-l6-v2",
      )
      .meta({ flag: 'reranker-model' }),
    top_k: z.int().min(1).max(1000).describe('Chunks kept after reranking').meta({ flag: 'rerank-top-k' }),
    options: options().describe('Options of the reranker: base_url'),
  })
  .describe('Reranking of the retrieved chunks');

/** The whole configuration. `DEFAULTS` holds its default values. */
export const Config = z.strictObject({
  collection: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,62}$/, 'a name of letters, digits, _ . - (at most 63, the first a letter or digit)')
    .describe('Collection to write to and search')
    .meta({ flag: 'collection' }),
  storage: Storage,
  ingestion: z
    .strictObject({ docs: DocsIngestion, urls: UrlsIngestion, api: ApiIngestion, html: HtmlExtent })
    .describe('How sources are read'),
  chunking: Chunking,
  embedding: Embedding,
  concurrency: z
    .enum(['serial', 'parallel'])
    .describe('Read docs, urls and api one after another (serial) or at the same time (parallel)')
    .meta({ flag: 'concurrency' }),
  retrieval: Retrieval,
  rerank: Rerank,
  chat: Chat,
  network: Network,
  server: Server,
  sources: ConfiguredSources,
  watch: Watching,
});
export type Config = z.infer<typeof Config>;

/** The one table of defaults. A key that is absent here is chosen by its provider, or unset. */
export const DEFAULTS = {
  collection: 'default',
  storage: { vector_db: 'lancedb', batch_size: 512, ensure_collection: true },
  ingestion: {
    docs: { frontmatter: false, follow_links: false, gitignore: true, ocr: 'report', password: 'KB_PDF_PASSWORD', kinds: ['documents'] },
    urls: {
      mode: 'each',
      max_depth: 3,
      max_pages: 200,
      include: [],
      exclude: [],
      render: 'auto',
      verbose: false,
      frontmatter: false,
    },
    api: { method: 'GET', max_pages: 100, timeout: 30, frontmatter: false },
    html: 'main',
  },
  chunking: { chunk_overlap: 100, min_chunk_length: 100 },
  embedding: { batch_size: 64 },
  concurrency: 'serial',
  retrieval: { mode: 'hybrid', top_k: 10 },
  rerank: { enabled: false, provider: 'local', top_k: 5 },
  chat: {
    llm: { provider: 'local', max_tokens: 1024, temperature: 0, timeout: 60 },
    persona: '',
    history_compaction: { enabled: true, history_limit: 15, keep_recent: 5 },
    query_rewrite: {},
    intent_routing: { enabled: true },
    retrieval_quality: { enabled: true, low_confidence_mode: 'answer_with_caution', max_context_chunks: 5 },
  },
  network: { allow_private: 'auto', timeout: 30, max_bytes: 104_857_600, max_redirects: 10, user_agent: 'kb', sites: [] },
  server: {
    host: '127.0.0.1',
    port: 8000,
    auth: 'token',
    allowed_hosts: [],
    allowed_store_urls: [],
    cors_origins: [],
    body_limit: 10 * 2 ** 20,
    upload_limit: 100 * 2 ** 20,
    max_files: 100,
    request_timeout: 600,
    max_concurrent: 32,
    mcp_write: false,
    page: true,
    rate_limit: 0,
  },
  sources: {},
  watch: { interval: 3600 },
} satisfies Config;
