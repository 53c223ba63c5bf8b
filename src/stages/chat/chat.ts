import { progress, settle, throwIfAborted, type Run } from '../../base/run.ts';
import type { Llm } from '../../ports.ts';
import type { Config } from '../../schema/config.ts';
import type { HistoryEntry, RetrievedItem } from '../../schema/items.ts';
import { LONGEST_QUERY } from '../../schema/questions.ts';
import type { ChatResult, RetrieveResult } from '../../schema/answers.ts';
import { answer, type Answer } from './answer.ts';
import { outgrown, summarize, withTurn } from './history.ts';
import { directReply } from './intent.ts';
import { groundedPrompt } from './prompt.ts';
import { assess, INSTEAD_OF_AN_ANSWER, type Calibrated } from './quality.ts';
import { rewrite } from './rewrite.ts';
import { toGrounding, toSources } from './sources.ts';
import { failureOf, openResult, report, token } from './turn.ts';

/** One turn of a conversation. */
export interface ChatTurn {
  /** The question; anything but a text with a letter in it is a `validate` error in the result. */
  query: unknown;
  history: readonly HistoryEntry[];
  settings: Config['chat'];
}

/** What a turn works with. Nothing is opened before it is needed: a greeting needs neither collection nor model. */
export interface ChatParts extends Calibrated {
  retrieve(search_query: string): Run<RetrieveResult>;
  llm(): Promise<Llm>;
  signal?: AbortSignal | undefined;
}

/** A turn under way: what is asked, what it works with, and the result that fills. */
interface Turn extends Omit<ChatTurn, 'query'> {
  query: string;
  parts: ChatParts;
  result: ChatResult;
}

/**
 * Answers a question from what was retrieved for it. Yields `progress` of the stages chat, intent, rewrite, retrieval, quality and generation,
 * `token` and `error`. What fails is an item of `errors`; only what ends the work is thrown (a stop, a missing key, a wrong configuration). A turn
 * that ends without an answer leaves the history as it was.
 */
export async function* chat({ query, history, settings }: ChatTurn, parts: ChatParts): Run<ChatResult> {
  const text = typeof query === 'string' ? query : '';
  const turn: Turn = { query: text, history, settings, parts, result: openResult(text, history) };
  yield progress('chat', { query: text });
  const unusable = problemOf(text);
  if (unusable) return yield* refuseQuery(turn, unusable);
  const direct = settings.intent_routing.enabled ? directReply(text) : undefined;
  yield progress('intent', { intent: direct?.intent ?? 'rag' });
  if (direct) {
    turn.result.intent = direct.intent;
    turn.result.answer_confidence = { level: 'none', reason: 'direct_intent' };
    return yield* say(turn, direct.reply);
  }
  const result = yield* grounded(turn);
  return result.answer === '' ? { ...result, history: [...history], compacted: false } : result;
}

/** The turn from here on needs the collection: what was said before, the search, the gate, the answer. */
async function* grounded(turn: Turn): Run<ChatResult> {
  yield* compact(turn);
  yield* standAlone(turn);
  if (!(yield* find(turn))) return turn.result;
  const context = yield* judge(turn);
  if (context.length === 0) return yield* decline(turn);
  return yield* ground(turn, context);
}

function problemOf(query: string): string | undefined {
  if (!query.trim()) return 'The query is missing or empty: send a question as text.';
  if (query.length > LONGEST_QUERY) return `The query has ${query.length} characters, of at most ${LONGEST_QUERY}: ask in fewer words.`;
  return undefined;
}

async function* refuseQuery({ result }: Turn, error: string): Run<ChatResult> {
  yield* report(result, { source: '', source_kind: 'chat', stage: 'validate', error, isRetryable: false, attempts: 1 });
  return result;
}

/** Ends the turn with words that no model wrote. */
async function* say({ query, result }: Turn, text: string): Run<ChatResult> {
  yield token(text);
  result.answer = text;
  result.history = withTurn(result.history, query, text);
  return result;
}

/** Puts a summary in the place of the older messages; where that fails, all of them stay. */
async function* compact({ settings, parts, result }: Turn): Run<void> {
  const grown = outgrown(result.history, settings.history_compaction);
  if (!grown) return;
  try {
    const summary = await summarize(grown.older, await parts.llm(), { timeout: settings.llm.timeout, signal: parts.signal });
    result.history = [summary, ...grown.recent];
    result.compacted = true;
  } catch (error) {
    yield* report(result, failureOf(error, { source: '', source_kind: 'chat', stage: 'compact' }));
  }
}

/** Rewrites a follow-up for the search; where that fails, the question is searched for as it is. */
async function* standAlone({ query, settings, parts, result }: Turn): Run<void> {
  if (!settings.query_rewrite.enabled || result.history.length === 0) return;
  const { session_context } = settings.query_rewrite;
  try {
    const search_query = await rewrite(query, {
      history: result.history,
      session_context,
      llm: await parts.llm(),
      timeout: settings.llm.timeout,
      signal: parts.signal,
    });
    result.retrieval.search_query = search_query;
    yield progress('rewrite', { query, search_query });
  } catch (error) {
    yield* report(result, failureOf(error, { source: query, source_kind: 'query', stage: 'rewrite' }));
  }
}

/** Searches. False where that failed and there is nothing to answer from. */
async function* find({ query, parts, result }: Turn): Run<boolean> {
  const { search_query } = result.retrieval;
  yield progress('retrieval', { search_query }, 'Searching.');
  try {
    const { items, retrieved, failed, errors } = await settle(parts.retrieve(search_query));
    result.retrieval = { query, search_query, retrieved, outputs: items, failed, errors };
    for (const error of errors) yield* report(result, error);
  } catch (error) {
    const item = failureOf(error, { source: query, source_kind: 'query', stage: 'retrieve' });
    result.retrieval = { ...result.retrieval, failed: 1, errors: [item] };
    yield* report(result, item);
  }
  throwIfAborted(parts.signal);
  const { retrieved, failed, outputs } = result.retrieval;
  yield progress('retrieval', { retrieved, failed, search_query });
  return failed === 0 || outputs.length > 0;
}

/** The quality gate: what an answer may be built from. Empty where the mode wants no answer from what there is. */
async function* judge({ settings, parts, result }: Turn): Run<RetrievedItem[]> {
  const { quality, context } = assess(result.retrieval.outputs, settings.retrieval_quality, parts);
  result.retrieval_quality = quality;
  yield progress('quality', { ...quality });
  return quality.status === 'low_confidence' && quality.mode !== 'answer_with_caution' ? [] : context;
}

/** Ends the turn as its mode says where the sources do not answer. */
async function* decline(turn: Turn): Run<ChatResult> {
  const { query, settings, result } = turn;
  const mode = settings.retrieval_quality.low_confidence_mode;
  result.retrieval_quality = { ...result.retrieval_quality, status: 'low_confidence' };
  result.answer_confidence = { level: 'none', reason: 'retrieval_quality_low_confidence' };
  if (mode !== 'return_no_answer') return yield* say(turn, INSTEAD_OF_AN_ANSWER[mode]);
  const error = 'Nothing was found that answers the question well enough.';
  yield* report(result, { source: query, source_kind: 'chat', stage: 'quality', error, isRetryable: false, attempts: 1 });
  return result;
}

/** Has the answer written from these chunks. */
async function* ground(turn: Turn, context: RetrievedItem[]): Run<ChatResult> {
  const { query, settings, parts, result } = turn;
  const { low_confidence_mode: mode } = settings.retrieval_quality;
  const cautious = result.retrieval_quality.status === 'low_confidence';
  const sources = toGrounding(context);
  const llm = await parts.llm();
  const { provider, model } = llm;
  yield progress('generation', { provider, model, sources: sources.length });
  const messages = groundedPrompt({ query, history: result.history, sources, persona: settings.persona, cautious });
  const { max_tokens, timeout } = settings.llm;
  const request = { messages, grounding: { query: result.retrieval.search_query, sources }, max_tokens, timeout, signal: parts.signal };
  let written: Answer;
  try {
    written = yield* answer(llm, request, { show_refusal: mode === 'answer_with_caution' });
  } catch (error) {
    yield* report(result, failureOf(error, { source: query, source_kind: 'chat', stage: 'generate' }));
    return result;
  }
  result.llm = { provider, model, ...written.usage };
  return yield* conclude(turn, context, written);
}

/** The answer with its sources, and how sure it is. */
async function* conclude(turn: Turn, context: RetrievedItem[], { text, citations }: Answer): Run<ChatResult> {
  const { query, settings, result } = turn;
  const { declined, cited, unknown } = citations;
  const shown = settings.retrieval_quality.low_confidence_mode === 'answer_with_caution' && text !== '';
  if (declined && !shown) return yield* decline(turn);
  result.answer = text;
  result.sources = toSources(context, cited);
  result.history = withTurn(result.history, query, text);
  if (declined) result.retrieval_quality = { ...result.retrieval_quality, status: 'low_confidence' };
  result.answer_confidence =
    result.retrieval_quality.status === 'low_confidence'
      ? { level: declined ? 'none' : 'low', reason: 'retrieval_quality_low_confidence' }
      : { level: 'high', reason: 'retrieval_quality_pass' };
  if (unknown.size > 0) yield* report(result, unknownCitations(query, unknown, context.length));
  return result;
}

const unknownCitations = (query: string, unknown: ReadonlySet<number>, count: number) => ({
  source: query,
  source_kind: 'chat' as const,
  stage: 'generate' as const,
  error: `The answer cited ${[...unknown].map((number) => `[${number}]`).join(', ')}, which ${unknown.size === 1 ? 'is' : 'are'} none of the ${count} sources; taken out.`,
  isRetryable: false,
  attempts: 1,
});
