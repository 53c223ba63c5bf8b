import { KbError } from '../core/errors.ts';
import { progress, settle, type Run } from '../core/run.ts';
import type { ChatResult } from '../schema/answers.ts';
import type { EvaluationRequest, EvaluationResult, GoldenQuestion, ProposalRequest, ProposalResult } from '../schema/evaluation.ts';
import type { HistoryEntry, ErrorItem } from '../schema/items.ts';
import { findGoldRank, judgeAnswer, missingSources } from '../stages/evaluate/judge.ts';
import { proposeQuestions } from '../stages/evaluate/propose.ts';
import { summarize, type JudgedOutcome } from '../stages/evaluate/summarize.ts';
import { openCollection } from './collections.ts';
import type { Context } from './context.ts';
import { chat, openQuestionWriter, retrieve } from './query.ts';

/** Minimum number of hits that are searched for a gold passage: recall is measured at 10. */
const DEPTH = 10;

/** Asks every question of a golden set (for an answer only if it expects one) and scores the results. Throws a KbError if none could be asked. */
export async function* evaluate({ questions }: EvaluationRequest, context: Context): Run<EvaluationResult> {
  const outcomes: JudgedOutcome[] = [];
  const errors: ErrorItem[] = [];
  for (const [index, question] of questions.entries()) {
    yield progress('evaluate', { done: index, expected: questions.length });
    const began = performance.now();
    const outcome = await askQuestion(question, context);
    if (outcome.error) errors.push(outcome.error);
    else outcomes.push(outcomeOf(question, { ...outcome, index, milliseconds: performance.now() - began }));
  }
  if (outcomes.length === 0) {
    const [first] = errors;
    throw new KbError('unavailable', `No question could be asked: ${first!.error}`, { isRetryable: first!.isRetryable });
  }
  const hasGold = questions.some(({ gold = [] }) => gold.length > 0);
  const stored = hasGold ? await (await openCollection(context)).sources() : new Map<string, unknown>();
  const missing_sources = missingSources(questions, [...stored.keys()]);
  return summarize(outcomes, { errors, failed: errors.length, missing_sources, lists: context.lists });
}

interface QuestionOutcome {
  rank?: number | undefined;
  result?: ChatResult | undefined;
  error?: ErrorItem | undefined;
}

const needsAnswer = ({ answerable = true, must = [], turns }: GoldenQuestion): boolean =>
  !answerable || must.length > 0 || turns !== undefined;

/** Retrieves and answers. In a conversation, the hits are those of the last turn. */
async function askQuestion(question: GoldenQuestion, context: Context): Promise<QuestionOutcome> {
  const [last, ...earlierTurns] = (question.turns ?? [question.question!]).toReversed();
  let rank: number | undefined;
  if (earlierTurns.length === 0) {
    const { items, errors } = await settle(retrieve({ query: last! }, withDepth(context)));
    if (errors[0]) return { error: errors[0] };
    rank = findGoldRank(question, items);
  }
  if (!needsAnswer(question)) return { rank };
  let history: HistoryEntry[] = [];
  for (const query of earlierTurns.toReversed()) ({ history } = await settle(chat({ query, history }, inConversation(context, history))));
  const result = await settle(chat({ query: last, history }, inConversation(context, history)));
  if (result.answer_confidence.reason === 'errors') return { error: result.errors[0] };
  return { rank: earlierTurns.length === 0 ? rank : findGoldRank(question, result.retrieval.outputs), result };
}

function withDepth(context: Context): Context {
  const { retrieval } = context.settings;
  return { ...context, settings: { ...context.settings, retrieval: { ...retrieval, top_k: Math.max(DEPTH, retrieval.top_k) } } };
}

/** As in `kb chat`, follow-up turns are rewritten by default. */
function inConversation(context: Context, history: readonly HistoryEntry[]): Context {
  const { chat: chatSettings } = context.settings;
  const enabled = chatSettings.query_rewrite.enabled ?? history.length > 0;
  const settings = { ...context.settings, chat: { ...chatSettings, query_rewrite: { ...chatSettings.query_rewrite, enabled } } };
  return { ...context, settings };
}

function outcomeOf(
  question: GoldenQuestion,
  { rank, result, index, milliseconds }: QuestionOutcome & { index: number; milliseconds: number },
): JudgedOutcome {
  const { id, type, answerable = true, must = [], turns } = question;
  const verdict = result && judgeAnswer(question, result);
  return {
    id: String(id ?? index + 1),
    ...(type === undefined ? {} : { type }),
    question: question.question ?? turns!.at(-1)!,
    answerable,
    ...(rank === undefined ? {} : { rank }),
    ...(verdict === undefined ? {} : { verdict }),
    ...(result && { answer: result.answer, ...confidenceOf(result) }),
    milliseconds,
    must: must.length > 0,
  };
}

function confidenceOf({ answer_confidence: { level, probability } }: ChatResult): Pick<JudgedOutcome, 'level' | 'probability'> {
  return { level, ...(probability === undefined ? {} : { probability }) };
}

/** Proposes questions spread over the documents of a collection, written by the configured model or made from headings. */
export async function* propose({ count }: ProposalRequest, context: Context): Run<ProposalResult> {
  const collection = await openCollection(context);
  const writer = await openQuestionWriter(context);
  return { questions: yield* proposeQuestions(collection, { count, writer, signal: context.signal }) };
}
