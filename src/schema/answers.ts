import { z } from 'zod';
import { LowConfidenceMode } from './config-chat.ts';
import { ErrorItem, HistoryEntry, RetrievedItem, Source } from './items.ts';

const tokens = (meaning: string) => z.int().describe(`Tokens ${meaning}, as counted by the provider; 0 if it does not report them`);

const thresholds = {
  min_retrieval_score: z.number().optional().describe('Minimum score of a good passage, 0 to 1'),
  min_rerank_score: z.number().optional().describe("Minimum rerank score of a good passage, on the reranker's own scale"),
};

/** Explanation of one turn: the thresholds, what became of each passage, model calls and prompts, and the duration of each stage. */
export const ChatExplain = z
  .object({
    thresholds: z.object(thresholds).describe('Thresholds of the quality gate'),
    searched: z
      .array(z.string())
      .optional()
      .describe('Queries searched for: the whole query and each question in it; absent if it was searched for as one'),
    passages: z
      .array(
        z.object({
          id: z.string().describe('Identifier of the chunk'),
          title: z.string().describe('Title of its document'),
          source: z.string().describe('Path, address or name of its document'),
          rank: z.int().describe('Rank among the results, from 1'),
          score: z.number().describe('Similarity to the query, 0 to 1'),
          rerank_score: z.number().optional().describe('Present after reranking'),
          arms: z.record(z.string(), z.unknown()).optional().describe('Rank and score in each search arm, and the fused score'),
          rejected: z
            .enum(['min_retrieval_score', 'min_rerank_score', 'room'])
            .optional()
            .describe('Why the passage was left out: a threshold, or no room (max_context_chunks, context window)'),
          citation: z.int().optional().describe('Number of the passage in the prompt'),
          cited: z.boolean().describe('Whether the answer cites it'),
        }),
      )
      .describe('Retrieved chunks, best first, and how they were used'),
    declined: z.string().optional().describe('Why there is no answer from the sources, in a sentence; absent if there is one'),
    stages: z
      .array(z.object({ stage: z.string().describe('Stage of the turn'), milliseconds: z.number().describe('Duration in milliseconds') }))
      .describe('Duration of each stage'),
    calls: z
      .array(
        z.object({
          stage: z
            .enum(['compact', 'rewrite', 'rerank', 'generate'])
            .describe('Purpose of the call: a summary, a search query, grades of passages, the answer'),
          provider: z.string().describe('Provider of the model'),
          model: z.string().describe('Language model'),
          input_tokens: tokens('of the input'),
          output_tokens: tokens('of the output'),
          milliseconds: z.number().describe('Duration in milliseconds'),
          messages: z
            .array(
              z.object({
                role: z.enum(['system', 'user', 'assistant']).describe('Role of the message'),
                content: z.string().describe('Text of the message'),
              }),
            )
            .optional()
            .describe('The prompt, if show_prompt is set; empty if the answer is quoted without a model'),
        }),
      )
      .describe('Calls to the language model, in order'),
    window: z
      .object({
        context_window: z.int().describe('Assumed context window of the model, in tokens'),
        max_tokens: z.int().describe('Tokens reserved for the answer'),
      })
      .optional()
      .describe('Token budget of the prompt; absent for local'),
  })
  .meta({ id: 'ChatExplain', description: 'Explanation of a turn' });
export type ChatExplain = z.infer<typeof ChatExplain>;

const search = {
  query: z.string().describe('The query'),
  search_query: z.string().describe('The query that was searched for: rewritten if requested, with spelling corrected'),
  retrieved: z.int().min(0).describe('Number of chunks found'),
};
const chunks = z.array(RetrievedItem).describe('Chunks, best first');
const failures = {
  failed: z.int().min(0).describe('Number of failed search steps'),
  errors: z.array(ErrorItem).describe('What failed and why'),
};

/** Result of `retrieve` and `query`: the chunks found, best first, and the search steps that failed. */
export const RetrieveResult = z
  .object({
    ...search,
    items: chunks,
    ...failures,
    notice: z.string().optional().describe('Which field of the filter no chunk has'),
  })
  .meta({ id: 'RetrieveResult', description: 'Chunks found for a query' });
export type RetrieveResult = z.infer<typeof RetrieveResult>;

/** Verdict of the quality gate on the retrieved passages, with the thresholds that it applied. */
export const RetrievalQuality = z
  .object({
    status: z.enum(['passed', 'not_evaluated', 'low_confidence']).describe('Verdict of the quality gate'),
    mode: LowConfidenceMode.optional().describe('How weak passages were handled'),
    input_chunks: z.int().optional().describe('Passages evaluated'),
    passed_chunks: z.int().optional().describe('Passages that passed'),
    rejected_chunks: z.int().optional().describe('Passages that were rejected'),
    ...thresholds,
  })
  .describe('Quality of the retrieved passages');
export type RetrievalQuality = z.infer<typeof RetrievalQuality>;

/** How far an answer can be trusted, and why. */
export const AnswerConfidence = z
  .object({
    level: z.enum(['high', 'low', 'none']).describe('low: answered with caution; none: no answer from sources'),
    reason: z
      .enum([
        'retrieval_quality_pass',
        'retrieval_quality_low_confidence',
        'answer_uncertain',
        'citations_unsupported',
        'errors',
        'direct_intent',
      ])
      .describe(
        'Reason for the level. answer_uncertain: the passages are about the question, but may not answer it, or not all of it; citations_unsupported: no citation, a sentence that is repeated, or sentences that no source supports; direct_intent: a greeting, thanks, a farewell, or the list of documents, which need no search',
      ),
    probability: z
      .number()
      .min(0)
      .max(1)
      .optional()
      .describe('Calibrated probability that the answer is right; absent if unknown, as with a language model'),
  })
  .describe('Confidence in the answer');
export type AnswerConfidence = z.infer<typeof AnswerConfidence>;

/** Kind of a chat message: `rag` needs the sources, `sources` asks which there are, the others are small talk; only `rag` is searched for. */
export const Intent = z.enum(['rag', 'greeting', 'thanks', 'farewell', 'acknowledgement', 'sources']);
export type Intent = z.infer<typeof Intent>;

/** A sentence of a model that its sources do not support. */
export const Unsupported = z
  .object({
    sentence: z.string().describe('The sentence as in the answer'),
    citations: z.array(z.int()).describe('Citation numbers that the model wrote in the sentence'),
  })
  .meta({ id: 'Unsupported', description: 'A sentence whose words or figures are not in the sources that it cites, or in any' });
export type Unsupported = z.infer<typeof Unsupported>;

/** Result of `chat`, and the data of the `final` event of its stream. */
export const ChatResult = z
  .object({
    answer: z.string().describe('The answer, with citations such as [1]; empty if there is none'),
    sources: z.array(Source).describe('Chunks used for the answer'),
    highlight: z.string().optional().describe('In a quoted answer, the sentence, row or line that answers best'),
    history: z.array(HistoryEntry).describe('History including this turn; send it with the next request'),
    retrieval: z.object({ ...search, outputs: chunks, ...failures }).describe('Result of the search'),
    llm: z
      .object({
        provider: z.string().describe('Provider of the model'),
        model: z.string().describe('Language model'),
        input_tokens: z.int().describe('Input tokens'),
        output_tokens: z.int().describe('Output tokens'),
        cut_off: z.enum(['max_tokens', 'window']).describe('Why the answer stopped early, if it did'),
      })
      .partial()
      .describe('Model and token usage; empty if nothing was generated'),
    errors: z.array(ErrorItem).describe('Everything that failed in this turn and why'),
    retrieval_quality: RetrievalQuality,
    answer_confidence: AnswerConfidence,
    compacted: z.boolean().describe('Whether older history was summarized in this turn'),
    intent: Intent.describe(
      'Kind of the message; rag: a question that is answered from the sources; sources: a question for the list of documents',
    ),
    unsupported: z.array(Unsupported).optional().describe('Sentences of a model that no source supports; absent for quotations'),
    explain: ChatExplain.optional().describe('Explanation of the answer, if explain is set'),
  })
  .meta({ id: 'ChatResult', description: 'One turn of a conversation' });
export type ChatResult = z.infer<typeof ChatResult>;
