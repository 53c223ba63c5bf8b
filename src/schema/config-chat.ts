import { z } from 'zod';
import { LONGEST_WAIT, options } from './fields.ts';
import { LlmProvider } from './provider-names.ts';

// The sections of the configuration that say how questions are answered.

export const LowConfidenceMode = z.enum(['answer_with_caution', 'ask_clarifying_question', 'refuse_grounded_answer', 'return_no_answer']);
export type LowConfidenceMode = z.infer<typeof LowConfidenceMode>;

export const LlmConfig = z
  .strictObject({
    provider: LlmProvider.meta({ flag: 'llm-provider' }),
    model: z.string().optional().describe("Language model; the provider's default where absent").meta({ flag: 'llm-model' }),
    max_tokens: z.int().min(1).max(1_000_000).describe('Tokens of an answer').meta({ flag: 'max-tokens' }),
    context_window: z
      .int()
      .min(1000)
      .max(100_000_000)
      .optional()
      .describe(
        'Tokens that the model reads and writes at once; a careful guess for the provider where absent. max_tokens takes at most half',
      ),
    timeout: z.number().positive().max(LONGEST_WAIT).describe('Seconds without a token after which an answer is given up'),
    options: options().describe('What the provider alone understands: base_url'),
  })
  .describe('Which language model answers');
export type LlmConfig = z.infer<typeof LlmConfig>;

export const HistoryCompaction = z
  .strictObject({
    enabled: z.boolean().describe('Summarize older turns'),
    history_limit: z
      .int()
      .min(3)
      .max(10_000)
      .describe('Messages that the history may have with the new turn in it; beyond that, older ones are summarized'),
    keep_recent: z
      .int()
      .min(0)
      .max(10_000)
      .describe('Messages kept word for word, of those given; fewer where history_limit leaves less room'),
  })
  .describe('When older turns are summarized');

export const QueryRewrite = z
  .strictObject({
    enabled: z
      .boolean()
      .optional()
      .describe('Rewrite follow-up questions to stand alone; off, but on in the kb chat REPL')
      .meta({ flag: 'query-rewrite' }),
    session_context: z.string().optional().describe('What the conversation is about, for the rewriting'),
  })
  .describe('Whether follow-up questions are rewritten for the search');

export const RetrievalQualityConfig = z
  .strictObject({
    enabled: z.boolean().describe('Keep weak passages out of the answer'),
    min_retrieval_score: z
      .number()
      .min(0)
      .max(1)
      .optional()
      .describe("Score under which a chunk is weak; where absent the embedder's calibrated one, for answers without a model .1 less")
      .meta({ flag: 'min-retrieval-score' }),
    min_rerank_score: z
      .number()
      .optional()
      .describe("Rerank score under which a chunk is weak; the reranker's calibrated one where absent")
      .meta({ flag: 'min-rerank-score' }),
    low_confidence_mode: LowConfidenceMode.describe('What happens when nothing is good enough').meta({ flag: 'low-confidence-mode' }),
    max_context_chunks: z.int().min(1).max(200).describe('Chunks given to the language model').meta({ flag: 'max-context-chunks' }),
  })
  .describe('Which passages an answer may be built from');

export const Chat = z.strictObject({
  llm: LlmConfig,
  persona: z.string().describe('A sentence that tells the model who answers, and how'),
  history_compaction: HistoryCompaction,
  query_rewrite: QueryRewrite,
  intent_routing: z
    .strictObject({ enabled: z.boolean().describe('Answer greetings, thanks and farewells without retrieval') })
    .describe('What is answered without retrieval'),
  retrieval_quality: RetrievalQualityConfig,
  verify_citations: z
    .boolean()
    .describe('Mark cited sentences whose words and figures their sources do not hold; in another language than the source, all are')
    .meta({ flag: 'verify-citations' }),
});
