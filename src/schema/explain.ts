import { z } from 'zod';

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
