import { z } from 'zod';
import { MAX_NAME_LENGTH, MAX_QUERY_LENGTH, MAX_WAIT, options } from './fields.ts';
import { LlmProvider } from './provider-names.ts';

// The sections of the configuration that say how questions are answered.

/** What to do with a question if no passage passes the quality gate. */
export const LowConfidenceMode = z.enum(['answer_with_caution', 'ask_clarifying_question', 'refuse_grounded_answer', 'return_no_answer']);

/** `chat.llm` of the configuration. */
export const LlmConfig = z
  .strictObject({
    provider: LlmProvider.meta({ flag: 'llm-provider' }),
    model: z
      .string()
      .max(MAX_NAME_LENGTH)
      .optional()
      .describe("Language model. Default: the provider's default")
      .meta({ flag: 'llm-model' }),
    max_tokens: z.int().min(1).max(1_000_000).describe('Maximum tokens of an answer').meta({ flag: 'max-tokens' }),
    context_window: z
      .int()
      .min(1000)
      .max(100_000_000)
      .optional()
      .describe(
        'Context window of the model in tokens (input and output). Default: a cautious value for the provider. max_tokens takes at most half',
      ),
    temperature: z
      .number()
      .min(0)
      .max(2)
      .describe('Randomness of the answer; 0: the same answer each time. Left out where a model refuses it'),
    timeout: z.number().positive().max(MAX_WAIT).describe('Seconds without a token before an answer is given up'),
    options: options().describe('Options of the provider: base_url'),
  })
  .describe('Language model that answers');
export type LlmConfig = z.infer<typeof LlmConfig>;

/** `chat.history_compaction` of the configuration. */
export const HistoryCompaction = z
  .strictObject({
    enabled: z.boolean().describe('Summarize older turns'),
    history_limit: z
      .int()
      .min(3)
      .max(10_000)
      .describe('Maximum messages in the history, including the new turn; older ones are summarized'),
    keep_recent: z.int().min(0).max(10_000).describe('Recent messages that are not summarized; fewer if history_limit leaves less room'),
  })
  .describe('Summarizing of older turns');

/** `chat.query_rewrite` of the configuration. */
export const QueryRewrite = z
  .strictObject({
    enabled: z
      .boolean()
      .optional()
      .describe('Rewrite follow-up questions so that they stand alone. Default: off, but on in kb chat conversations')
      .meta({ flag: 'query-rewrite' }),
    session_context: z.string().max(MAX_QUERY_LENGTH).optional().describe('Topic of the conversation, as context for the rewriting'),
  })
  .describe('Rewriting of follow-up questions for the search');

/** `chat.retrieval_quality` of the configuration: thresholds and limits of the quality gate. */
export const RetrievalQualityConfig = z
  .strictObject({
    enabled: z.boolean().describe('Keep weak passages out of the answer'),
    min_retrieval_score: z
      .number()
      .min(0)
      .max(1)
      .optional()
      .describe(
        "Chunks with a lower score are rejected as weak. Default: the embedder's calibrated threshold, .1 less for answers without a model",
      )
      .meta({ flag: 'min-retrieval-score' }),
    min_rerank_score: z
      .number()
      .optional()
      .describe("Chunks with a lower rerank score are rejected as weak. Default: the reranker's calibrated threshold")
      .meta({ flag: 'min-rerank-score' }),
    low_confidence_mode: LowConfidenceMode.describe('What to do if no chunk is good enough').meta({ flag: 'low-confidence-mode' }),
    max_context_chunks: z
      .int()
      .min(1)
      .max(200)
      .describe('Maximum chunks that an answer is made from, with a language model or without')
      .meta({ flag: 'max-context-chunks' }),
  })
  .describe('Quality gate: which passages an answer may use');

/** `chat` of the configuration. */
export const Chat = z.strictObject({
  llm: LlmConfig,
  persona: z.string().max(MAX_QUERY_LENGTH).describe('Instruction for the model: who it is and how it answers'),
  history_compaction: HistoryCompaction,
  query_rewrite: QueryRewrite,
  intent_routing: z
    .strictObject({ enabled: z.boolean().describe('Answer greetings, thanks and farewells without retrieval') })
    .describe('Messages answered without retrieval'),
  retrieval_quality: RetrievalQualityConfig,
});
