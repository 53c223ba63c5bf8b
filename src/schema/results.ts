import { z } from 'zod';
import { Chunk, Document, EmbeddedChunk, HistoryEntry, RetrievedItem, Source } from './items.ts';

export const Stage = z.enum([
  'validate',
  'fetch',
  'crawl',
  'request',
  'convert',
  'chunk',
  'embed',
  'store',
  'edit',
  'delete',
  'retrieve',
  'rewrite',
  'rerank',
  'generate',
  'compact',
  'quality',
]);
export type Stage = z.infer<typeof Stage>;

export const ErrorSourceKind = z.enum([
  'path',
  'bytes',
  'url',
  'api',
  'markdown',
  'chunk',
  'embedded_chunk',
  'stored_chunk',
  'query',
  'chat',
]);
export type ErrorSourceKind = z.infer<typeof ErrorSourceKind>;

/** One thing that failed while the rest went on. */
export const ErrorItem = z.object({
  source: z.string().describe('The file, URL, chunk or query concerned; empty when none'),
  source_kind: ErrorSourceKind,
  stage: Stage,
  error: z.string().describe('What went wrong, for people'),
  isRetryable: z.boolean().describe('Whether the same again may succeed'),
  attempts: z.int().describe('How often it was tried'),
  retry_input: z.unknown().optional().describe('What to send again'),
});
export type ErrorItem = z.infer<typeof ErrorItem>;

const failures = { failed: z.int(), errors: z.array(ErrorItem) };

export const DocumentsResult = z.object({ documents: z.int(), outputs: z.array(Document), ...failures });
export type DocumentsResult = z.infer<typeof DocumentsResult>;

export const PagesResult = z.object({ pages: z.int(), outputs: z.array(Document), dlq: z.array(ErrorItem).nullable(), ...failures });
export type PagesResult = z.infer<typeof PagesResult>;

export const ChunkResult = z.object({ inputs: z.int(), chunks: z.int(), items: z.array(Chunk), ...failures });
export type ChunkResult = z.infer<typeof ChunkResult>;

export const EmbedResult = z.object({ inputs: z.int(), embedded: z.int(), items: z.array(EmbeddedChunk), ...failures });
export type EmbedResult = z.infer<typeof EmbedResult>;

/** A chunk in a report that leaves its text out. */
export const ChunkReference = z.object({ id: z.string(), source: z.string() });
export type ChunkReference = z.infer<typeof ChunkReference>;

const written = { items: z.array(ChunkReference), ...failures, provider: z.string(), collection: z.string() };

export const StoreResult = z.object({ inputs: z.int(), stored: z.int(), ...written });
export type StoreResult = z.infer<typeof StoreResult>;
export const EditResult = z.object({ requested: z.int(), edited: z.int(), ...written });
export type EditResult = z.infer<typeof EditResult>;
export const DeleteResult = z.object({ requested: z.int(), deleted: z.int(), ...written });
export type DeleteResult = z.infer<typeof DeleteResult>;

/** A document in the report of an ingest: without its text, which grows with the corpus. */
export const DocumentReference = z.object({
  source: z.string(),
  status: z
    .enum(['new', 'changed', 'unchanged', 'incomplete', 'failed'])
    .describe('Against what was stored before; incomplete: some of its chunks had been missing'),
});
export type DocumentReference = z.infer<typeof DocumentReference>;

const ReferencesResult = z.object({ documents: z.int(), outputs: z.array(DocumentReference), ...failures });
const PageReferencesResult = z.object({ pages: z.int(), outputs: z.array(DocumentReference), ...failures });

/** The report of an ingest. Lists (`items`, `outputs`) end at REPORT_LIMIT entries; the counts are always whole. */
export const IngestResult = z.object({
  sources: z.int().describe('Source documents that entered chunking'),
  unchanged: z.int().describe('Source documents that were stored already, as they are'),
  chunks: z.int(),
  embedded: z.int().describe('Chunks embedded now'),
  reused: z.int().describe('Chunks of changed documents whose text did not change: their vectors were kept'),
  stored: z.int(),
  gone: z.array(z.string()).describe('Sources that are gone and whose chunks are stored still: prune removes them'),
  pruned: z.array(z.string()).describe('Sources whose chunks were removed because they are gone'),
  passed_over: z.array(z.string()).describe('Files in folders that are of no supported kind'),
  source_results: z.object({
    docs: ReferencesResult.optional(),
    urls: PageReferencesResult.optional(),
    api: ReferencesResult.optional(),
    markdown: z.array(Document).optional(),
  }),
  chunk_result: ChunkResult,
  embed_result: z.object({ inputs: z.int(), embedded: z.int(), items: z.array(ChunkReference), ...failures }),
  store_result: StoreResult,
  ...failures,
});
export type IngestResult = z.infer<typeof IngestResult>;

export const RetrieveResult = z.object({
  query: z.string(),
  search_query: z.string().describe('What was searched for: the query, rewritten where asked'),
  retrieved: z.int(),
  items: z.array(RetrievedItem),
  ...failures,
});
export type RetrieveResult = z.infer<typeof RetrieveResult>;

export const LowConfidenceMode = z.enum(['answer_with_caution', 'ask_clarifying_question', 'refuse_grounded_answer', 'return_no_answer']);
export type LowConfidenceMode = z.infer<typeof LowConfidenceMode>;

export const RetrievalQuality = z.object({
  status: z.enum(['passed', 'not_evaluated', 'low_confidence']),
  mode: LowConfidenceMode.optional(),
  input_chunks: z.int().optional(),
  passed_chunks: z.int().optional(),
  rejected_chunks: z.int().optional(),
  min_retrieval_score: z.number().optional(),
  min_rerank_score: z.number().optional(),
});
export type RetrievalQuality = z.infer<typeof RetrievalQuality>;

export const AnswerConfidence = z.object({
  level: z.enum(['high', 'low', 'none']),
  reason: z.enum(['retrieval_quality_pass', 'retrieval_quality_low_confidence', 'errors', 'direct_intent']),
});
export type AnswerConfidence = z.infer<typeof AnswerConfidence>;

export const Intent = z.enum(['rag', 'greeting', 'thanks', 'farewell', 'acknowledgement']);
export type Intent = z.infer<typeof Intent>;

export const ChatResult = z.object({
  answer: z.string(),
  sources: z.array(Source),
  history: z.array(HistoryEntry),
  retrieval: z.object({ query: z.string(), search_query: z.string(), retrieved: z.int(), outputs: z.array(RetrievedItem), ...failures }),
  llm: z
    .object({ provider: z.string(), model: z.string(), input_tokens: z.int(), output_tokens: z.int() })
    .partial()
    .describe('Empty when nothing was generated'),
  errors: z.array(ErrorItem),
  retrieval_quality: RetrievalQuality,
  answer_confidence: AnswerConfidence,
  compacted: z.boolean().describe('Whether older history was summarized in this turn'),
  intent: Intent,
});
export type ChatResult = z.infer<typeof ChatResult>;
