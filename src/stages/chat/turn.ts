import { progress, type Run, settle, throwIfAborted } from '../../core/run.ts';
import { attachPartialResult } from '../../core/errors.ts';
import type { ChatResult } from '../../schema/answers.ts';
import type { RetrievedItem } from '../../schema/items.ts';
import { LONGEST_QUERY } from '../../schema/questions.ts';
import { fitsAlone, searchesFor } from '../retrieve/search.ts';
import { windowOf } from './budget.ts';
import { explained, openTrace } from './explain.ts';
import { answerFromSources, bareTokens } from './ground.ts';
import { appendTurn, outgrown, summarizeHistory } from './dialogue/history.ts';
import { fallbackMessage } from './fallback.ts';
import { directReply } from './dialogue/intent.ts';
import { assess } from './quality.ts';
import { mayStandAlone } from './dialogue/resolve-follow-up.ts';
import { standAlone } from './dialogue/rewrite.ts';
import { type ChatParts, type ChatTurn, note, openResult, reportItem, token, type Turn, turnError } from './turn-result.ts';

/**
 * Answers a question from what was retrieved for it. Yields `progress` of the stages chat, intent, rewrite, retrieval, quality and generation,
 * `token` and `error`. What fails is an item of `errors`; only what ends the work is thrown (a stop, a missing key, a wrong configuration), with the turn as
 * far as it got. A turn that ends without an answer leaves the history as it was.
 */
export async function* runTurn(
  { query, history, settings, explain = false, show_prompt = false }: ChatTurn,
  parts: ChatParts,
): Run<ChatResult> {
  const text = typeof query === 'string' ? query : '';
  const window = windowOf(settings.llm);
  const result = openResult(text, history);
  const turn: Turn = {
    query: text,
    history,
    settings,
    parts,
    window,
    trace: openTrace({ show_prompt }),
    result,
    searched: [],
    given: [],
    neighbours: new Map(),
  };
  yield progress('chat', { query: text });
  try {
    yield* took(turn);
  } catch (error) {
    throw attachPartialResult(error, {
      ...openResult(text, history),
      retrieval: result.retrieval,
      retrieval_quality: result.retrieval_quality,
      errors: result.errors,
    });
  }
  if (result.answer === '') Object.assign(result, { history: [...history], compacted: false });
  return explain || show_prompt ? { ...result, explain: explained(result, turn) } : result;
}

/** The turn: refused, answered without sources, or from them. */
async function* took(turn: Turn): Run<void> {
  const { query, settings, result } = turn;
  const unusable = problemOf(query);
  if (unusable) return yield* refuseQuery(turn, unusable);
  const direct = settings.intent_routing.enabled ? directReply(query) : undefined;
  yield progress('intent', { intent: direct?.intent ?? 'rag' });
  if (!direct) return yield* grounded(turn);
  result.intent = direct.intent;
  if (grownBeyond(turn)) yield* turn.trace.timed('compact', compact(turn)); // no model is needed but for this
  result.answer_confidence = { level: 'none', reason: 'direct_intent' };
  yield* say(turn, direct.reply);
}

/** The turn from here on needs the collection: what was said before, the search, the gate, the answer. */
async function* grounded(turn: Turn): Run<void> {
  const { trace } = turn;
  yield* trace.timed('compact', compact(turn));
  yield* trace.timed('rewrite', understand(turn));
  if (!(yield* trace.timed('retrieval', find(turn)))) return;
  const context = yield* trace.timed('quality', judge(turn));
  if (context.length === 0 || (yield* trace.timed('generation', answerFromSources(turn, context)))) yield* decline(turn);
}

/** Whether the turn will need the collection and the model: it is neither refused nor answered without them. */
export const isGrounded = ({ query, settings }: Pick<ChatTurn, 'query' | 'settings'>): boolean =>
  typeof query === 'string' && problemOf(query) === undefined && !(settings.intent_routing.enabled && directReply(query));

function problemOf(query: string): string | undefined {
  if (!query.trim()) return 'The query is missing or empty: send a question as text.';
  if (query.length > LONGEST_QUERY) return `The query has ${query.length} characters, of at most ${LONGEST_QUERY}: ask in fewer words.`;
  return undefined;
}

async function* refuseQuery({ result }: Turn, error: string): Run<void> {
  yield* reportItem(result, { source: '', source_kind: 'chat', stage: 'validate', error, isRetryable: false, attempts: 1 });
}

/** Ends the turn with words that no model wrote. */
async function* say({ query, result }: Turn, text: string): Run<void> {
  yield token(text);
  result.answer = text;
  result.history = appendTurn(result.history, query, text);
}

/** The older and the recent messages, where the older ones are to be summarized. */
const grownBeyond = (turn: Turn): ReturnType<typeof outgrown> =>
  outgrown(turn.result.history, turn.settings.history_compaction, (turn.window.prompt - bareTokens(turn)) / 2);

/** Puts a summary in the place of the older messages; where that fails, all of them stay. */
async function* compact(turn: Turn): Run<void> {
  const { settings, parts, result, window, trace } = turn;
  const grown = grownBeyond(turn);
  if (!grown) return;
  try {
    const llm = trace.watched(await parts.llm(), 'compact');
    const summary = await summarizeHistory(grown.older, llm, {
      timeout: settings.llm.timeout,
      window: window.tokens,
      signal: parts.signal,
    });
    result.history = [summary, ...grown.recent];
    result.compacted = true;
  } catch (error) {
    yield* reportItem(result, turnError(error, { source: '', source_kind: 'chat', stage: 'compact' }));
  }
}

/** Rewrites a question for the search, where the settings want that. */
async function* understand({ query, settings, parts, result, window, trace }: Turn): Run<void> {
  const { enabled, session_context } = settings.query_rewrite;
  if (!enabled) return;
  const { search_query, failure } = yield* standAlone(query, {
    history: result.history,
    session_context,
    llm: async () => trace.watched(await parts.llm(), 'rewrite'),
    timeout: settings.llm.timeout,
    window: window.tokens,
    signal: parts.signal,
  });
  result.retrieval.search_query = search_query;
  if (failure) result.errors.push(failure);
}

/** Searches. False where that failed and there is nothing to answer from. */
async function* find(turn: Turn): Run<boolean> {
  const { query, parts, result, trace } = turn;
  const { search_query } = result.retrieval;
  yield progress('chat', { query, search_query }, 'Searching.'); // an event of the retrieval tells what was found
  try {
    const retrieve = (search: string) => settle(parts.retrieve(search, trace.reranking));
    const searches = searchesFor(search_query, parts);
    const found = await retrieve(search_query);
    const alone = (await isTriedAlone(turn)) ? await retrieve(query) : undefined;
    const isAlone = alone !== undefined && fitsAlone(alone, found, parts.min_retrieval_score);
    const { items, retrieved, failed, errors, notice } = isAlone ? alone : found;
    if (searches.length > 1 && !isAlone) turn.searched = searches;
    result.retrieval = { query, search_query: (isAlone ? alone : found).search_query, retrieved, outputs: items, failed, errors };
    for (const error of errors) yield* reportItem(result, error);
    if (notice) yield* reportItem(result, { ...note(query, notice), source_kind: 'query', stage: 'retrieve' });
  } catch (error) {
    const item = turnError(error, { source: query, source_kind: 'query', stage: 'retrieve' });
    result.retrieval = { ...result.retrieval, failed: 1, errors: [item] };
    yield* reportItem(result, item);
  }
  throwIfAborted(parts.signal);
  const { retrieved, failed, outputs } = result.retrieval;
  yield progress('retrieval', { retrieved, failed, search_query });
  return failed === 0 || outputs.length > 0;
}

/** Whether a question is searched for as it was asked, too: where no model but a rule took it for a follow-up, and it may be none. */
async function isTriedAlone({ query, parts, result }: Turn): Promise<boolean> {
  if (result.retrieval.search_query === query || !mayStandAlone(query)) return false;
  return (await parts.llm()).extractive ?? false;
}

/** The quality gate: what an answer may be built from. Empty where the mode wants no answer from what there is. */
async function* judge({ settings, parts, result }: Turn): Run<RetrievedItem[]> {
  const { min_retrieval_score, least_given_score = min_retrieval_score, min_rerank_score } = parts;
  const calibrated = { min_retrieval_score: least_given_score, min_rerank_score };
  const { quality, context } = assess(result.retrieval.outputs, settings.retrieval_quality, calibrated);
  result.retrieval_quality = quality;
  yield progress('quality', { ...quality });
  return quality.status === 'low_confidence' && quality.mode !== 'answer_with_caution' ? [] : context;
}

/** Ends the turn as its mode says where the sources do not answer. */
async function* decline(turn: Turn): Run<void> {
  const { query, settings, result } = turn;
  const mode = settings.retrieval_quality.low_confidence_mode;
  result.retrieval_quality = { ...result.retrieval_quality, status: 'low_confidence' };
  result.answer_confidence = { level: 'none', reason: 'retrieval_quality_low_confidence' };
  if (mode !== 'return_no_answer') return yield* say(turn, fallbackMessage(mode, query, turn.history));
  const error = 'Nothing was found that answers the question well enough.';
  yield* reportItem(result, { source: query, source_kind: 'chat', stage: 'quality', error, isRetryable: false, attempts: 1 });
}
