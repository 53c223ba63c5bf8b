import { endsWork, KbError, toErrorItem } from '../base/errors.ts';
import { errorEvent, progress, type Run } from '../base/run.ts';
import type { Embedder } from '../ports.ts';
import type { ChatRequest, QueryRequest, RetrieveRequest } from '../schema/questions.ts';
import type { ChatResult, RetrieveResult } from '../schema/answers.ts';
import { chat as runChat } from '../stages/chat/chat.ts';
import { windowOf } from '../stages/chat/budget.ts';
import { isRewritable, rewrite } from '../stages/chat/rewrite.ts';
import { failureOf } from '../stages/chat/turn.ts';
import { retrieve as runRetrieve, type RetrieveInput, type RetrieveParts } from '../stages/retrieve/retrieve.ts';
import { MIN_SCORE_BY_WORDS } from '../stages/retrieve/similarity.ts';
import { openCollection, openEmbedder } from './collections.ts';
import type { Context } from './context.ts';

/** Retrieval without an answer. A collection that can't be searched is an item of `errors`; so is a rewrite that failed, and the query is searched for as it is. */
export async function* retrieve(request: RetrieveRequest, context: Context): Run<RetrieveResult> {
  const { query, filter, explain } = request;
  let rewritten: Rewritten = { search_query: query, errors: [] };
  try {
    const parts = await openParts(context);
    if (request.use_query_rewrite) rewritten = yield* standAlone(request, parts, context);
    const { search_query } = rewritten;
    const result = yield* runRetrieve(inputOf(query, { search_query, filter, explain }, context), parts);
    const errors = [...rewritten.errors, ...result.errors];
    return { ...result, failed: errors.length, errors };
  } catch (error) {
    if (endsWork(error) || !(error instanceof KbError)) throw error;
    const errors = [...rewritten.errors, toErrorItem(error, { source: query, source_kind: 'query', stage: 'retrieve' })];
    return { query, search_query: rewritten.search_query, retrieved: 0, items: [], failed: errors.length, errors };
  }
}

/** The same retrieval, asked for in blocks. */
export function retrieveInBlocks({ query, retrieval = {} }: QueryRequest, context: Context): Run<RetrieveResult> {
  const { filter, explain, query_rewrite = {} } = retrieval;
  const rewriting = { use_query_rewrite: query_rewrite.enabled, rewrite_context: query_rewrite.context };
  return retrieve({ query, filter, explain, ...rewriting }, context);
}

type Rewritten = Pick<RetrieveResult, 'search_query' | 'errors'>;

/** The query as it can be understood without what was said before. Where nothing was said, or the rewriting fails, it stays as it is. */
async function* standAlone({ query, rewrite_context }: RetrieveRequest, parts: RetrieveParts, context: Context): Run<Rewritten> {
  const { llm: settings, query_rewrite } = context.settings.chat;
  const history = rewrite_context?.trim() ? [{ role: 'user' as const, content: rewrite_context }] : [];
  const { session_context } = query_rewrite;
  if (!isRewritable({ history, session_context })) return { search_query: query, errors: [] };
  try {
    const llm = await openLlm(context, parts.embedder);
    const { timeout } = settings;
    const window = windowOf(settings).tokens;
    const search_query = await rewrite(query, { history, session_context, llm, timeout, window, signal: context.signal });
    yield progress('rewrite', { query, search_query });
    return { search_query, errors: [] };
  } catch (error) {
    const item = failureOf(error, { source: query, source_kind: 'query', stage: 'rewrite' });
    yield errorEvent(item);
    return { search_query: query, errors: [item] };
  }
}

const openLlm = ({ settings, resources }: Context, embedder: Embedder | undefined) =>
  resources.llm(settings.chat.llm, settings.chat.llm.provider === 'local' ? embedder : undefined);

/** One turn of a conversation. Nothing is opened before it is needed. */
export async function* chat({ query, history = [], filter, explain, show_prompt }: ChatRequest, context: Context): Run<ChatResult> {
  const { settings, signal } = context;
  let opened: RetrieveParts | undefined;
  return yield* runChat(
    { query, history, settings: settings.chat, explain, show_prompt },
    {
      async *retrieve(search_query) {
        opened = await openParts(context);
        return yield* runRetrieve(inputOf(String(query), { search_query, filter, explain: explain || show_prompt }, context), opened);
      },
      llm: () => openLlm(context, opened?.embedder),
      get min_retrieval_score() {
        return minScore(opened?.embedder);
      },
      get min_rerank_score() {
        return opened?.reranker?.min_rerank_score;
      },
      signal,
    },
  );
}

const minScore = (embedder: Embedder | undefined): number => embedder?.min_retrieval_score ?? MIN_SCORE_BY_WORDS;

function inputOf(query: string, rest: Pick<RetrieveInput, 'search_query' | 'filter' | 'explain'>, { settings }: Context): RetrieveInput {
  const { retrieval, rerank } = settings;
  return { query, ...rest, mode: retrieval.mode, top_k: retrieval.top_k, ...(rerank.enabled ? { rerank: { top_k: rerank.top_k } } : {}) };
}

/** The embedder is opened where the search compares vectors, the reranker where it is asked for. */
async function openParts(context: Context): Promise<RetrieveParts> {
  const { settings, resources, signal } = context;
  const collection = await openCollection(context);
  const embedder = collection.info.dimensions > 0 && settings.retrieval.mode !== 'text' ? await openEmbedder(context) : undefined;
  const reranker = settings.rerank.enabled ? await resources.reranker(settings.rerank, settings.chat.llm) : undefined;
  return { collection, embedder, reranker, signal };
}
