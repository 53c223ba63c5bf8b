import { z } from 'zod';
import { listOf } from './fields.ts';
import { ErrorItem } from './items.ts';

const share = (what: string) => z.number().min(0).max(1).describe(what);
const text = z.string().regex(/\S/, 'a text with more than blanks');

/** A passage that answers a question. */
export const GoldPassage = z
  .strictObject({
    source: text.optional().describe('The document: its source, or the end of it after a slash'),
    file: text.optional().describe('Another name for source'),
    heading: z.string().optional().describe('A heading above the passage; not looked at where there is a needle'),
    needle: text.optional().describe('Words that the passage holds; spaces and hyphens do not count'),
  })
  .refine(({ source, file }) => (source === undefined) !== (file === undefined), 'A gold passage has a source.');
export type GoldPassage = z.infer<typeof GoldPassage>;

/** Whether a text is what an answer may have to say: words, or a regular expression between slashes that compiles. */
const isPattern = (given: string): boolean => {
  try {
    return !/^\/.+\/$/s.test(given) || Boolean(new RegExp(given.slice(1, -1)));
  } catch {
    return false;
  }
};
const phrase = text.refine(isPattern, 'a text, or a regular expression between slashes');

/** A question of a golden set, and what is expected of its answer. */
export const GoldenQuestion = z
  .strictObject({
    id: z
      .union([text, z.int().min(0).max(1_000_000_000)])
      .optional()
      .describe('Name of the question; its number in the set where absent'),
    type: z.string().optional().describe('Figures are given for each type, too'),
    split: z.string().optional().describe('Part of the set that the question belongs to; not used'),
    question: text.optional().describe('What is asked'),
    turns: listOf(text).min(1).optional().describe('A conversation in place of a question; its last turn counts'),
    answerable: z.boolean().optional().describe('Whether the collection answers it; true where absent'),
    gold: listOf(GoldPassage).optional().describe('Passages that answer it: any of them found is a hit'),
    must: listOf(listOf(phrase).min(1)).optional().describe('Groups of alternatives: a right answer holds one of each'),
    must_not: listOf(phrase).optional().describe('What a right answer does not hold'),
  })
  .refine(({ question, turns }) => (question === undefined) !== (turns === undefined), 'A row has either a question or turns.')
  .meta({ id: 'GoldenQuestion', description: 'A question, and what is expected of its answer' });
export type GoldenQuestion = z.infer<typeof GoldenQuestion>;

export const EvaluationRequest = z.strictObject({ questions: listOf(GoldenQuestion).min(1).describe('The golden set') }).meta({
  id: 'EvaluationRequest',
  description: 'Questions to measure with',
  examples: [
    {
      questions: [
        {
          question: 'How often is the filter replaced?',
          gold: [{ source: 'manual.md', needle: 'every six months' }],
          must: [['six months']],
        },
      ],
    },
  ],
});
export type EvaluationRequest = z.infer<typeof EvaluationRequest>;

export const Verdict = z.enum(['right', 'partly', 'wrong', 'declined']);
export type Verdict = z.infer<typeof Verdict>;

/** What came of one question. */
export const EvaluationOutcome = z
  .object({
    id: z.string().describe('Name of the question'),
    type: z.string().optional().describe('Its type'),
    question: z.string().describe('What was asked; of a conversation the last turn'),
    answerable: z.boolean().describe('Whether the collection answers it'),
    rank: z.int().min(0).optional().describe('Place of the first gold passage, from 1; 0: not found; absent without gold'),
    verdict: Verdict.optional().describe('Of its answer; absent where none was judged'),
    level: z.enum(['high', 'low', 'none']).optional().describe('answer_confidence.level of the answer'),
    probability: z.number().optional().describe('answer_confidence.probability of the answer, where it has one'),
    answer: z.string().optional().describe('The answer'),
    milliseconds: z.number().describe('Time that search and answer took'),
  })
  .meta({ id: 'Outcome', description: 'What came of a question' });
export type EvaluationOutcome = z.infer<typeof EvaluationOutcome>;

const Retrieval = z.object({
  'recall@1': share('Questions of which a gold passage is the first hit'),
  'recall@5': share('… is among the first five'),
  'recall@10': share('… is among the first ten'),
  mrr: share('Mean of 1 / rank of the first gold passage; 0 where none was found'),
  'ndcg@10': share('Mean of 1 / log2(rank + 1) of the first gold passage among ten: golds are alternatives, one is enough'),
  hit_rate: share('Questions of which any gold passage was found'),
});

const count = (what: string) => z.int().min(0).describe(what);

/** The figures of some questions. Parts of which there are no questions are absent. */
export const Figures = z.object({
  questions: count('Questions asked'),
  retrieval: Retrieval.optional().describe('Of the questions with gold passages'),
  answers: z
    .object({
      right: count('Held all'),
      partly: count('Held some, or too long'),
      wrong: count('Held nothing of it'),
      declined: count('Not answered'),
    })
    .optional()
    .describe('Of the answerable questions that say what an answer must hold'),
  refusals: z
    .object({
      precision: share('Declined questions that are unanswerable').optional(),
      recall: share('Unanswerable questions that were declined').optional(),
    })
    .optional()
    .describe('Of all questions that an answer was asked for'),
});
export type Figures = z.infer<typeof Figures>;

export const EvaluationResult = Figures.extend({
  calibration: z
    .array(
      z.object({
        level: z.enum(['high', 'low', 'none']).describe('answer_confidence.level'),
        answers: count('Judged answers of this level'),
        right: count('Those that were right'),
        probability: share('Mean of their answer_confidence.probability').optional(),
      }),
    )
    .describe('How far the confidence can be trusted'),
  latency_ms: z
    .object({ p50: z.number().describe('Median'), p95: z.number().describe('95th percentile') })
    .describe('Milliseconds of a question: search, and answer where one was asked for'),
  intervals: z.record(z.string(), z.tuple([z.number(), z.number()])).describe('95 % confidence intervals of the figures'),
  by_type: z.record(z.string(), Figures).describe('The figures of each type'),
  worst: z.array(EvaluationOutcome).describe('What went worst, worst first: wrong and sure of it before not found'),
  items: z.array(EvaluationOutcome).describe('Every question; empty where lists are not wanted'),
  failed: count('Questions that could not be asked'),
  errors: z.array(ErrorItem).describe('Why'),
}).meta({ id: 'EvaluationResult', description: 'Figures over a golden set' });
export type EvaluationResult = z.infer<typeof EvaluationResult>;

export const ProposalRequest = z
  .strictObject({ count: z.int().min(1).max(10_000).describe('Questions to propose') })
  .meta({ id: 'ProposalRequest', description: 'How many questions to propose', examples: [{ count: 20 }] });
export type ProposalRequest = z.infer<typeof ProposalRequest>;

export const ProposalResult = z
  .object({ questions: z.array(GoldenQuestion).describe('Rows of a golden set, to be read and mended by a person') })
  .meta({ id: 'ProposalResult', description: 'Questions that the collection answers' });
export type ProposalResult = z.infer<typeof ProposalResult>;
