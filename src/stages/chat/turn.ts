import { progress, type Run, settle, throwIfAborted } from '../../core/run.ts';
import { fallbacksFor } from '../../languages/detect.ts';
import type { AnswerConfidence, ChatResult, Intent, RetrievalQuality } from '../../schema/answers.ts';
import type { Config } from '../../schema/config.ts';
import type { ErrorItem, HistoryEntry, RetrievedItem } from '../../schema/items.ts';
import type { Language } from '../../languages/language.ts';
import { MAX_QUERY_LENGTH } from '../../schema/fields.ts';
import { searchedText } from '../../text/truncate.ts';
import { fitsAlone, searchesFor } from '../retrieve/search.ts';
import {
  type Calibrated,
  type ChatParts,
  type ChatSearch,
  type ChatTurn,
  explainTurn,
  answerNote,
  openResult,
  openRetrieval,
  openTurn,
  report,
  tokenEvent,
  type Turn,
  turnError,
} from './turn-record.ts';
import { answerFromSources, promptOverhead } from './answer-from-sources.ts';
import { appendTurn, splitLongHistory, summarizeHistory } from './dialogue/history.ts';
import { asksForSources, directReply } from './dialogue/intent.ts';
import { MAX_LISTED, writeSourceList } from './dialogue/source-list.ts';
import { mayStandAlone, withoutConjunction } from './dialogue/resolve-follow-up.ts';
import { standAlone } from './dialogue/rewrite.ts';

/** Outcome of a turn: the fields of its result that differ from an empty result, and the history before this turn. */
interface Outcome extends Partial<ChatResult> {
  errors: ErrorItem[];
  /** Queries searched for, if the question was split. */
  searched?: readonly string[];
  /** The chunks given to the model, in the order of their numbers. */
  given?: readonly RetrievedItem[];
}

/**
 * Answers a question from retrieved chunks. Yields `progress` of the stages chat, intent, rewrite, retrieval, quality and generation, `token` and
 * `error`. Failures are items of `errors`. An error that ends the work (a stop, a missing key, a wrong configuration) is thrown with the result so
 * far. A turn without an answer leaves the history unchanged.
 */
export async function* runTurn(request: ChatTurn, parts: ChatParts): Run<ChatResult> {
  const turn = openTurn(request, parts);
  const { query, history } = turn;
  yield progress('chat', { query });
  const { searched = [], given = [], ...outcome } = yield* answerQuery(turn);
  const answered = { ...openResult(query, history), ...outcome };
  const appended = appendTurn(answered.history, query, answered.answer);
  const result =
    answered.answer === ''
      ? { ...answered, history: [...history], compacted: false }
      : { ...answered, history: appended, compacted: answered.compacted || appended.length < answered.history.length + 2 };
  return request.explain || request.show_prompt ? { ...result, explain: explainTurn(result, { ...turn, searched, given }) } : result;
}

/** Refuses the question, answers it without sources, or from them. */
async function* answerQuery(turn: Turn): Run<Outcome> {
  const { query, question, settings } = turn;
  const unusable = queryProblem(query);
  if (unusable) return { errors: yield* report({ ...answerNote('', unusable), stage: 'validate' }) };
  const direct = settings.intent_routing.enabled ? directReply(question) : undefined;
  const language = settings.intent_routing.enabled && !direct ? asksForSources(question) : undefined;
  const intent: Intent = language ? 'sources' : (direct?.intent ?? 'rag');
  yield progress('intent', { intent });
  if (intent === 'rag') return yield* answerFromCollection(turn);
  // Only a summary needs a model.
  const compacted = splitHistory(turn) ? yield* turn.step('compact', compact(turn)) : { errors: [] };
  const replied = direct ? { answer: direct.reply, errors: [] } : yield* turn.step('retrieval', listSources(turn, language!));
  const outcome: Outcome = { ...replied, intent };
  if (replied.answer === '') return mergeOutcomes(compacted, outcome);
  yield tokenEvent(replied.answer);
  return mergeOutcomes(compacted, { ...outcome, answer_confidence: DIRECT });
}

/** The confidence in a reply that needs no search. */
const DIRECT: AnswerConfidence = { level: 'none', reason: 'direct_intent' };

/** Answers with the list of the stored documents. */
async function* listSources({ query, question, parts }: Turn, language: Language): Run<Outcome & { answer: string }> {
  try {
    return { answer: writeSourceList(await parts.listSources(MAX_LISTED), language), errors: [] };
  } catch (error) {
    const errors = yield* report(turnError(error, { source: query, source_kind: 'query', stage: 'retrieve' }));
    return { answer: '', retrieval: { ...openRetrieval(query, question), failed: 1, errors }, errors };
  }
}

/** Compacts the history, rewrites the question, searches, applies the quality gate, and generates the answer. */
async function* answerFromCollection(turn: Turn): Run<Outcome> {
  const { step } = turn;
  const compacted = yield* step('compact', compact(turn));
  const rewritten = mergeOutcomes(compacted, yield* step('rewrite', rewriteQuery(turn, compacted.history), compacted));
  const { search_query } = rewritten.retrieval;
  const { search, ...found } = yield* step('retrieval', searchCollection(turn, search_query), rewritten);
  const retrieved = mergeOutcomes(rewritten, found);
  const { retrieval } = retrieved;
  yield* step('retrieval', reportRetrieval(turn, { ...retrieval, search_query }), retrieved);
  if (!search || (retrieval.failed > 0 && retrieval.outputs.length === 0)) return retrieved;
  const { context, ...quality } = yield* step('quality', applyGate(turn, retrieval, search), retrieved);
  const judged = { ...retrieved, ...quality };
  if (context.length === 0) return mergeOutcomes(judged, yield* decline(turn, judged.retrieval_quality));
  const { isDeclined, ...generated } = yield* step('generation', answerFromSources(turn, { ...judged, context, search }), judged);
  const answered = mergeOutcomes(judged, generated);
  return isDeclined ? mergeOutcomes(answered, yield* decline(turn, judged.retrieval_quality)) : answered;
}

/** Merges the outcomes of two steps: the fields of the later one, and the errors of both. */
const mergeOutcomes = <A extends Pick<Outcome, 'errors'>, B extends Pick<Outcome, 'errors'>>(before: A, next: B): A & B => ({
  ...before,
  ...next,
  errors: [...before.errors, ...next.errors],
});

/** Whether the turn needs the model: it is neither refused, nor small talk, nor a question for the list of documents. */
export const isGrounded = ({ query, settings }: Pick<ChatTurn, 'query' | 'settings'>): boolean =>
  typeof query === 'string' &&
  queryProblem(query) === undefined &&
  !(settings.intent_routing.enabled && (directReply(searchedText(query)) ?? asksForSources(searchedText(query))));

function queryProblem(query: string): string | undefined {
  if (!query.trim()) return 'The query is missing or empty: send a question as text.';
  if (query.length > MAX_QUERY_LENGTH)
    return `The query has ${query.length} characters, of at most ${MAX_QUERY_LENGTH}: ask in fewer words.`;
  return undefined;
}

const splitHistory = (turn: Turn): ReturnType<typeof splitLongHistory> =>
  splitLongHistory(turn.history, turn.settings.history_compaction, (turn.window.prompt - promptOverhead(turn)) / 2);

async function* compact(turn: Turn): Run<{ history: HistoryEntry[]; compacted: boolean; errors: ErrorItem[] }> {
  const { history, settings, parts, window, trace } = turn;
  const unchanged = { history: [...history], compacted: false, errors: [] };
  const grown = splitHistory(turn);
  if (!grown) return unchanged;
  try {
    const llm = trace.instrument(await parts.llm(), 'compact');
    const options = { timeout: settings.llm.timeout, window: window.tokens, signal: parts.signal };
    return { history: [await summarizeHistory(grown.older, llm, options), ...grown.recent], compacted: true, errors: [] };
  } catch (error) {
    return { ...unchanged, errors: yield* report(turnError(error, { source: '', source_kind: 'chat', stage: 'compact' })) };
  }
}

/** Determines the search query: the question, rewritten if the settings say so. */
async function* rewriteQuery(
  { query, question, settings, parts, window, trace }: Turn,
  history: readonly HistoryEntry[],
): Run<Required<Pick<Outcome, 'retrieval' | 'errors'>>> {
  const { enabled, session_context } = settings.query_rewrite;
  if (!enabled) return { retrieval: openRetrieval(query, question), errors: [] };
  const { search_query, errors } = yield* standAlone(question, {
    history,
    session_context,
    llm: async () => trace.instrument(await parts.llm(), 'rewrite'),
    timeout: settings.llm.timeout,
    window: window.tokens,
    signal: parts.signal,
  });
  return { retrieval: openRetrieval(query, search_query), errors };
}

/** The outcome of a search; `search` is absent if it could not be opened. */
interface SearchStep extends Required<Pick<Outcome, 'retrieval' | 'searched' | 'errors'>> {
  search?: ChatSearch;
}

async function* searchCollection(turn: Turn, search_query: string): Run<SearchStep> {
  const { query, question, parts, trace } = turn;
  yield progress('chat', { query, search_query }, 'Searching.'); // a later event of the retrieval has the results
  try {
    const search = await parts.search((reranker) => trace.instrumentReranker(reranker));
    const found = await settle(search.retrieve(search_query));
    const alone = (await maySearchAlone(turn, search_query, search))
      ? await settle(search.retrieve(withoutConjunction(question)))
      : undefined;
    const isAlone = alone !== undefined && fitsAlone(alone, found, search.least_given_score ?? search.min_retrieval_score);
    const { items, notice, query: _query, ...result } = isAlone ? alone : found;
    const searches = isAlone ? [] : searchesFor(search_query, { question, isReranked: parts.isReranked });
    const notes: ErrorItem[] = notice ? [{ ...answerNote(query, notice), source_kind: 'query', stage: 'retrieve' }] : [];
    return {
      search,
      searched: searches.length > 1 ? searches : [],
      retrieval: { query, ...result, outputs: items },
      errors: yield* report(...result.errors, ...notes),
    };
  } catch (error) {
    const errors = yield* report(turnError(error, { source: query, source_kind: 'query', stage: 'retrieve' }));
    return { searched: [], retrieval: { ...openRetrieval(query, search_query), failed: 1, errors }, errors };
  }
}

/** Whether to search for the unchanged question as well: it was rewritten by a rule, not a model, and may not be a follow-up. */
async function maySearchAlone({ question, parts }: Turn, search_query: string, { embedder }: ChatSearch): Promise<boolean> {
  if (search_query === question || !mayStandAlone(question)) return false;
  return (await parts.llm(embedder)).extractive ?? false;
}

async function* reportRetrieval({ parts }: Turn, { retrieved, failed, search_query }: ChatResult['retrieval']): Run<void> {
  throwIfAborted(parts.signal);
  yield progress('retrieval', { retrieved, failed, search_query });
}

async function* applyGate(
  { settings }: Turn,
  { outputs }: ChatResult['retrieval'],
  { min_retrieval_score, least_given_score = min_retrieval_score, min_rerank_score }: ChatSearch,
): Run<{ retrieval_quality: RetrievalQuality; context: RetrievedItem[] }> {
  const { quality, context } = assessQuality(outputs, settings.retrieval_quality, {
    min_retrieval_score: least_given_score,
    min_rerank_score,
  });
  yield progress('quality', { ...quality });
  const isRefused = quality.status === 'low_confidence' && quality.mode !== 'answer_with_caution';
  return { retrieval_quality: quality, context: isRefused ? [] : context };
}

/** The fallback message of each mode. */
const FALLBACKS = { answer_with_caution: 'nothing', ask_clarifying_question: 'narrower', refuse_grounded_answer: 'refused' } as const;

/** Ends a turn that the sources do not answer, as the mode says. */
async function* decline({ query, question, history, settings }: Turn, quality: RetrievalQuality): Run<Outcome> {
  const mode = settings.retrieval_quality.low_confidence_mode;
  const outcome: Outcome = {
    retrieval_quality: { ...quality, status: 'low_confidence' },
    answer_confidence: { level: 'none', reason: 'retrieval_quality_low_confidence' },
    errors: [],
  };
  if (mode === 'return_no_answer') {
    const error = 'Nothing was found that answers the question well enough.';
    return { ...outcome, errors: yield* report({ ...answerNote(query, error), stage: 'quality' }) };
  }
  const answer = fallbacksFor(question, history)[FALLBACKS[mode]];
  yield tokenEvent(answer);
  return { ...outcome, answer };
}

/** The result of the quality gate and the chunks for the prompt: those that passed, or the best rejected ones if none did. */
interface Assessment {
  quality: RetrievalQuality;
  context: RetrievedItem[];
}

/** The quality gate: a chunk passes with `min_retrieval_score` and, if reranked, `min_rerank_score`. A disabled gate gives `not_evaluated`. */
export function assessQuality(
  items: readonly RetrievedItem[],
  settings: Config['chat']['retrieval_quality'],
  calibrated: Calibrated,
): Assessment {
  const { low_confidence_mode: mode, max_context_chunks: most } = settings;
  if (!settings.enabled) return { quality: { status: 'not_evaluated', mode }, context: items.slice(0, most) };
  const min_retrieval_score = settings.min_retrieval_score ?? calibrated.min_retrieval_score;
  const min_rerank_score = settings.min_rerank_score ?? calibrated.min_rerank_score;
  const passes = ({ score, rerank_score }: RetrievedItem) =>
    score >= min_retrieval_score && (rerank_score === undefined || min_rerank_score === undefined || rerank_score >= min_rerank_score);
  const passed = items.filter(passes);
  const reranked = items.some((item) => item.rerank_score !== undefined);
  const quality: RetrievalQuality = {
    status: passed.length > 0 ? 'passed' : 'low_confidence',
    mode,
    input_chunks: items.length,
    passed_chunks: passed.length,
    rejected_chunks: items.length - passed.length,
    min_retrieval_score,
    ...(reranked && min_rerank_score !== undefined ? { min_rerank_score } : {}),
  };
  return { quality, context: (passed.length > 0 ? passed : items).slice(0, most) };
}
