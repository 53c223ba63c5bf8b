import { z } from 'zod';
import { LowConfidenceMode } from './config-chat.ts';
import { ErrorItem, HistoryEntry, RetrievedItem, Source } from './items.ts';

const tokens = (meaning: string) => z.int().describe(`Tokens of what ${meaning}, as its provider counts; 0 where it does not say`);

/** How a turn of a conversation came about. */
export const ChatExplain = z
  .object({
    thresholds: z
      .object({
        min_retrieval_score: z.number().describe('Score from which a passage was good enough, 0 to 1'),
        min_rerank_score: z.number().describe("Rerank score from which it was, on the reranker's own scale"),
      })
      .partial()
      .describe('What passages were measured against'),
    searched: z
      .array(z.string())
      .optional()
      .describe('What was searched for: the query and each of the questions that are asked in it; absent where it was searched for as one'),
    passages: z
      .array(
        z.object({
          id: z.string().describe('Identifier of the chunk'),
          title: z.string().describe('Title of its document'),
          source: z.string().describe('Path, address or name of its document'),
          rank: z.int().describe('Its place among what was found, from 1'),
          score: z.number().describe('Similarity to what was searched for, 0 to 1'),
          rerank_score: z.number().optional().describe('Present when the chunks were reranked'),
          arms: z.record(z.string(), z.unknown()).optional().describe('Rank and score in each kind of search, and what they were fused to'),
          rejected: z
            .enum(['min_retrieval_score', 'min_rerank_score', 'room'])
            .optional()
            .describe('What kept it out: a threshold, or max_context_chunks and the window of the model (room)'),
          citation: z.int().optional().describe('The number under which the model was given it'),
          cited: z.boolean().describe('Whether the answer cites it'),
        }),
      )
      .describe('What was found, best first, and what became of it'),
    declined: z.string().optional().describe('Why there is no answer from the sources, as a sentence; absent where there is one'),
    stages: z
      .array(z.object({ stage: z.string().describe('Part of the turn'), milliseconds: z.number().describe('How long it took') }))
      .describe('Where the time went'),
    calls: z
      .array(
        z.object({
          stage: z
            .enum(['compact', 'rewrite', 'rerank', 'generate'])
            .describe('What the model was asked for: a summary, a search query, grades of passages, the answer'),
          provider: z.string().describe('Who was asked'),
          model: z.string().describe('Which language model'),
          input_tokens: tokens('it was given'),
          output_tokens: tokens('it wrote'),
          milliseconds: z.number().describe('How long it took'),
          messages: z
            .array(
              z.object({
                role: z.enum(['system', 'user', 'assistant']).describe('Who says it'),
                content: z.string().describe('What is said'),
              }),
            )
            .optional()
            .describe('The prompt, where show_prompt asks for it; empty where the answerer only quotes and has none'),
        }),
      )
      .describe('What the language model was asked, in order'),
    window: z
      .object({
        context_window: z.int().describe('Tokens that the model is taken to hold'),
        max_tokens: z.int().describe('Of these kept free for the answer'),
      })
      .optional()
      .describe('What the prompt had to fit into; absent for local'),
  })
  .meta({ id: 'ChatExplain', description: 'How a turn came about' });
export type ChatExplain = z.infer<typeof ChatExplain>;

const search = {
  query: z.string().describe('What was asked'),
  search_query: z.string().describe('What was searched for: the query, rewritten where asked, its misspelt words put right'),
  retrieved: z.int().min(0).describe('Chunks found'),
};
const chunks = z.array(RetrievedItem).describe('The chunks, best first');
const failures = {
  failed: z.int().min(0).describe('Steps of the search that failed'),
  errors: z.array(ErrorItem).describe('What failed, and why'),
};

export const RetrieveResult = z
  .object({
    ...search,
    items: chunks,
    ...failures,
    notice: z.string().optional().describe('Why nothing was found, where the filter names a field that no chunk has'),
  })
  .meta({ id: 'RetrieveResult', description: 'The chunks that answer a query' });
export type RetrieveResult = z.infer<typeof RetrieveResult>;

/** What the gate made of the passages. */
export const RetrievalQuality = z
  .object({
    status: z.enum(['passed', 'not_evaluated', 'low_confidence']).describe('What the passages are worth'),
    mode: LowConfidenceMode.optional().describe('What was done about weak passages'),
    input_chunks: z.int().optional().describe('Passages looked at'),
    passed_chunks: z.int().optional().describe('Those good enough'),
    rejected_chunks: z.int().optional().describe('Those too weak'),
    min_retrieval_score: z.number().optional().describe('Score from which a passage was good enough, 0 to 1'),
    min_rerank_score: z.number().optional().describe("Rerank score from which it was, on the reranker's own scale"),
  })
  .describe('What the retrieved passages are worth');
export type RetrievalQuality = z.infer<typeof RetrievalQuality>;

export const AnswerConfidence = z
  .object({
    level: z.enum(['high', 'low', 'none']).describe('low: answered with caution; none: there is no answer from sources'),
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
        'Why; answer_uncertain: the passages are about the question, and whether the answer answers it, or all of it, is doubtful; citations_unsupported: verify_citations found sentences that their sources do not bear out, or no citation; direct_intent: a greeting, thanks or a farewell, which needs no sources',
      ),
    probability: z
      .number()
      .min(0)
      .max(1)
      .optional()
      .describe('The calibrated chance that the answer is right; absent where it cannot be told, as with a language model'),
  })
  .describe('How far the answer can be trusted');
export type AnswerConfidence = z.infer<typeof AnswerConfidence>;

export const Intent = z.enum(['rag', 'greeting', 'thanks', 'farewell', 'acknowledgement']);
export type Intent = z.infer<typeof Intent>;

export const Unsupported = z
  .object({
    sentence: z.string().describe('The sentence, as the answer has it'),
    citations: z.array(z.int()).describe('The numbers that it cites'),
  })
  .meta({ id: 'Unsupported', description: 'A cited sentence whose sources do not hold its words or its figures' });
export type Unsupported = z.infer<typeof Unsupported>;

export const ChatResult = z
  .object({
    answer: z.string().describe('The answer, with citations such as [1]; empty where there is none'),
    sources: z.array(Source).describe('The chunks that the answer was built from'),
    highlight: z.string().optional().describe('Of an answer that quotes: the sentence, row or line of it that answers best'),
    history: z.array(HistoryEntry).describe('The history with this turn: send it with the next one'),
    retrieval: z.object({ ...search, outputs: chunks, ...failures }).describe('What was found'),
    llm: z
      .object({
        provider: z.string().describe('Who answered'),
        model: z.string().describe('Which language model'),
        input_tokens: z.int().describe('Tokens of what it was given'),
        output_tokens: z.int().describe('Tokens that it wrote'),
      })
      .partial()
      .describe('Empty when nothing was generated'),
    errors: z.array(ErrorItem).describe('Everything that failed in this turn, and why'),
    retrieval_quality: RetrievalQuality,
    answer_confidence: AnswerConfidence,
    compacted: z.boolean().describe('Whether older history was summarized in this turn'),
    intent: Intent.describe('What the message is; rag: a question that needs the sources'),
    unsupported: z.array(Unsupported).optional().describe('What verify_citations found; absent where it was not asked for'),
    explain: ChatExplain.optional().describe('How the answer came about, where explain asks for it'),
  })
  .meta({ id: 'ChatResult', description: 'One turn of a conversation' });
export type ChatResult = z.infer<typeof ChatResult>;
