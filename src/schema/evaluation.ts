import { z } from 'zod';
import { AnswerConfidence } from './answers.ts';
import { listOf } from './fields.ts';
import { ErrorItem } from './items.ts';

const share = (what: string) => z.number().min(0).max(1).describe(what);
const text = z.string().regex(/\S/, 'non-blank text');

/** A passage that answers a question. */
export const GoldPassage = z
  .strictObject({
    source: text.optional().describe('Source of the document, or its ending after a slash'),
    file: text.optional().describe('Alias of source'),
    heading: z.string().optional().describe('A heading above the passage; ignored if there is a needle'),
    needle: text.optional().describe('Words that the passage contains; spaces and hyphens are ignored'),
  })
  .refine(({ source, file }) => (source === undefined) !== (file === undefined), 'A gold passage has a source.');
export type GoldPassage = z.infer<typeof GoldPassage>;

/** Whether a text can be a required phrase: plain words, or a regular expression between slashes that compiles. */
const isPattern = (given: string): boolean => {
  try {
    return !/^\/.+\/$/s.test(given) || Boolean(new RegExp(given.slice(1, -1)));
  } catch {
    return false;
  }
};
const phrase = z.union([text.refine(isPattern, 'a text, or a regular expression between slashes'), z.number().min(-1e15).max(1e15)]);

/** A question of a golden set, and what is expected of its answer. */
export const GoldenQuestion = z
  .strictObject({
    id: z
      .union([text, z.int().min(0).max(1_000_000_000)])
      .optional()
      .describe('Name of the question. Default: its number in the set'),
    type: z.string().optional().describe('Category; figures are also reported per type'),
    split: z.string().optional().describe('Part of the set that the question belongs to; ignored'),
    question: text.optional().describe('The question'),
    turns: listOf(text).min(1).optional().describe('A conversation instead of a question; only the last turn is scored'),
    answerable: z.boolean().optional().describe('Whether the collection answers the question. Default: true'),
    gold: listOf(GoldPassage).optional().describe('Passages that answer the question; finding any of them is a hit'),
    must: listOf(listOf(phrase).min(1)).optional().describe('Groups of alternatives: a right answer contains one of each group'),
    must_not: listOf(phrase).optional().describe('Texts that a right answer must not contain'),
  })
  .refine(({ question, turns }) => (question === undefined) !== (turns === undefined), 'A row has either a question or turns.')
  .meta({ id: 'GoldenQuestion', description: 'A question and the expected answer' });
export type GoldenQuestion = z.infer<typeof GoldenQuestion>;

/** Input of `evaluate`: a golden set. */
export const EvaluationRequest = z.strictObject({ questions: listOf(GoldenQuestion).min(1).describe('The golden set') }).meta({
  id: 'EvaluationRequest',
  description: 'Questions to evaluate',
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

/** Verdict on an answer, by the phrases that it must and must not contain. */
export const Verdict = z.enum(['right', 'partly', 'wrong', 'declined']);
export type Verdict = z.infer<typeof Verdict>;

/** Outcome of one question: rank, verdict, confidence and duration (milliseconds). */
export const EvaluationOutcome = z
  .object({
    id: z.string().describe('Name of the question'),
    type: z.string().optional().describe('Its type'),
    question: z.string().describe('The question; in a conversation, the last turn'),
    answerable: z.boolean().describe('Whether the collection answers the question'),
    rank: z.int().min(0).optional().describe('Rank of the first gold passage, from 1; 0 if not found; absent without gold'),
    verdict: Verdict.optional().describe('Verdict on the answer; absent if it was not judged'),
    level: AnswerConfidence.shape.level.optional().describe('answer_confidence.level of the answer'),
    probability: z.number().optional().describe('answer_confidence.probability of the answer, if present'),
    answer: z.string().optional().describe('The answer'),
    milliseconds: z.number().describe('Duration of search and answer'),
  })
  .meta({ id: 'Outcome', description: 'Result of a question' });
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

/** Retrieval, answer and refusal figures over a set of questions. A part without questions is absent. */
export const Figures = z.object({
  questions: count('Questions asked'),
  retrieval: Retrieval.optional().describe('Figures over the questions with gold passages'),
  answers: z
    .object({
      right: count('Contains everything required'),
      partly: count('Held some, or too long'),
      wrong: count('Held nothing of it'),
      declined: count('Not answered'),
    })
    .optional()
    .describe('Verdicts on answerable questions with `must`'),
  refusals: z
    .object({
      precision: share('Declined questions that are unanswerable').optional(),
      recall: share('Unanswerable questions that were declined').optional(),
    })
    .optional()
    .describe('Refusals over all questions that were answered'),
});
export type Figures = z.infer<typeof Figures>;

/** Result of `evaluate`. */
export const EvaluationResult = Figures.extend({
  calibration: z
    .array(
      z.object({
        level: AnswerConfidence.shape.level.describe('answer_confidence.level'),
        answers: count('Judged answers of this level'),
        right: count('Those that were right'),
        probability: share('Mean of their answer_confidence.probability').optional(),
      }),
    )
    .describe('Calibration of the answer confidence'),
  latency_ms: z
    .object({ p50: z.number().describe('Median'), p95: z.number().describe('95th percentile') })
    .describe('Milliseconds per question: search, plus answer if one was requested'),
  intervals: z.record(z.string(), z.tuple([z.number(), z.number()])).describe('95% confidence intervals of the figures'),
  by_type: z.record(z.string(), Figures).describe('Figures per type'),
  worst: z.array(EvaluationOutcome).describe('Worst results first: confident wrong answers before passages not found'),
  items: z.array(EvaluationOutcome).describe('All questions; empty if lists were not requested'),
  missing_sources: z.array(z.string()).describe('Sources of gold passages that are not stored: their passages count as not found'),
  failed: count('Questions that failed'),
  errors: z.array(ErrorItem).describe('Why'),
}).meta({ id: 'EvaluationResult', description: 'Figures for a golden set' });
export type EvaluationResult = z.infer<typeof EvaluationResult>;

/** Input of `propose_questions`. */
export const ProposalRequest = z
  .strictObject({ count: z.int().min(1).max(10_000).describe('Number of questions to propose') })
  .meta({ id: 'ProposalRequest', description: 'How many questions to propose', examples: [{ count: 20 }] });
export type ProposalRequest = z.infer<typeof ProposalRequest>;

/** Result of `propose_questions`. */
export const ProposalResult = z
  .object({ questions: z.array(GoldenQuestion).describe('Proposed rows of a golden set, for a person to check and correct') })
  .meta({ id: 'ProposalResult', description: 'Questions that the collection answers' });
export type ProposalResult = z.infer<typeof ProposalResult>;
