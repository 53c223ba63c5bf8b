import { BUNDLED } from '../schema/provider-names.ts';
import { attachPartialResult, endsWork, isAbort, KbError, toErrorItem } from '../core/errors.ts';
import type { Run } from '../core/run.ts';
import { withRetryProgress } from '../core/retry-progress.ts';
import type { Embedder, Llm } from '../ports/models.ts';
import type { ChatRequest, QueryRequest, RetrieveRequest } from '../schema/questions.ts';
import type { ChatResult, RetrieveResult } from '../schema/answers.ts';
import type { EmbedderName, ErrorItem } from '../schema/items.ts';
import { isGrounded, runTurn as runChat } from '../stages/chat/turn.ts';
import { withKnownWindow } from './driver-table.ts';
import { windowOf } from '../stages/chat/budget.ts';
import { openResult } from '../stages/chat/turn-result.ts';
import { standAlone } from '../stages/chat/dialogue/rewrite.ts';
import { GATE_REDUCTION } from '../stages/quote/evidence.ts';
import { type RetrieveInput, type RetrieveParts, retrievePassages as runRetrieve } from '../stages/retrieve/retrieve.ts';
import { searchEach, searchesFor } from '../stages/retrieve/search.ts';
import { MIN_SCORE_BY_WORDS } from '../stages/retrieve/similarity.ts';
import { neighboursOf } from '../stages/retrieve/neighbours.ts';
import { unknownFieldsNotice } from '../stages/retrieve/unknown-fields.ts';
import { openCollection, openEmbedder } from './collections.ts';
import type { Context } from './context.ts';

/** Retrieval without an answer. A collection that can't be searched is an item of `errors`; so is a rewrite that failed, and the query is searched for as it is: that is no failure of the search. */
export const retrieve = (request: RetrieveRequest, context: Context): Run<RetrieveResult> =>
  withRetryProgress(retrieving(request, context), { stage: 'retrieval', data: { retrieved: 0, failed: 0, search_query: request.query } });

async function* retrieving(request: RetrieveRequest, context: Context): Run<RetrieveResult> {
  const { query, filter, explain } = request;
  let search_query = query;
  const failures: ErrorItem[] = [];
  try {
    const parts = await openParts(context);
    const rewriting = yield* rewritten(request, parts, context);
    search_query = rewriting.search_query;
    if (rewriting.failure) failures.push(rewriting.failure);
    const result = yield* searched(inputOf(query, { search_query, filter, explain }, context), parts);
    return { ...result, errors: [...failures, ...result.errors] };
  } catch (error) {
    if (endsWork(error) || !(error instanceof KbError)) throw error;
    const errors = [...failures, toErrorItem(error, { source: query, source_kind: 'query', stage: 'retrieve' })];
    return { query, search_query, retrieved: 0, items: [], failed: 1, errors };
  }
}

/**
 * Searches for the query and for each question in it: the same for a retrieval and for a chat, so that a chunk has one score in both. Where nothing
 * is found within a filter, the result says what is wrong with that.
 */
async function* searched(input: RetrieveInput, parts: RetrieveParts): Run<RetrieveResult> {
  const searches = searchesFor(input.search_query ?? input.query, { isReranked: parts.reranker !== undefined });
  const result = yield* searchEach(searches, (search_query) => runRetrieve({ ...input, search_query }, parts));
  if (!input.filter || result.retrieved > 0 || result.failed > 0) return result;
  const notice = await unknownFieldsNotice(input.filter, parts.collection);
  return notice === undefined ? result : { ...result, notice };
}

/** The same retrieval, asked for in blocks. */
export function retrieveInBlocks({ query, retrieval = {} }: QueryRequest, context: Context): Run<RetrieveResult> {
  const { filter, explain, query_rewrite = {} } = retrieval;
  const rewriting = { use_query_rewrite: query_rewrite.enabled, rewrite_context: query_rewrite.context };
  return retrieve({ query, filter, explain, ...rewriting }, context);
}

/** The query as it can be understood without the conversation that the request tells of, where it asks for that. */
function rewritten(
  { query, use_query_rewrite, rewrite_context }: RetrieveRequest,
  { embedder }: RetrieveParts,
  context: Context,
): ReturnType<typeof standAlone> {
  const { llm, query_rewrite } = context.settings.chat;
  const said = rewrite_context?.trim() ? [{ role: 'user' as const, content: rewrite_context }] : [];
  return standAlone(query, {
    ...(use_query_rewrite ? { history: said, session_context: query_rewrite.session_context } : { history: [] }),
    llm: () => openLlm(context, embedder),
    timeout: llm.timeout,
    window: windowOf(withKnownWindow(llm)).tokens,
    signal: context.signal,
  });
}

const openLlm = ({ settings, resources }: Context, embedder: Embedder | undefined) =>
  resources.llm(settings.chat.llm, settings.chat.llm.provider === BUNDLED ? embedder : undefined);

/** The configured model, to write questions; undefined where the answerer only quotes. */
export const openQuestionWriter = async (context: Context): Promise<Llm | undefined> =>
  context.settings.chat.llm.provider === BUNDLED ? undefined : await openLlm(context, undefined);

/** One turn of a conversation. Nothing is opened before it is needed, but what it cannot do without is looked at before it says its first word. */
export const chat = (request: ChatRequest, context: Context): Run<ChatResult> =>
  withRetryProgress(chatting(request, context), { stage: 'chat', data: { query: request.query } });

async function* chatting({ query, history = [], filter, explain, show_prompt }: ChatRequest, context: Context): Run<ChatResult> {
  const { settings, signal } = context;
  let opened: RetrieveParts | undefined;
  if (isGrounded({ query, settings: settings.chat }))
    await assertSetUp(context).catch((error: unknown) => {
      throw attachPartialResult(error, openResult(String(query), history));
    });
  return yield* runChat(
    { query, history, settings: { ...settings.chat, llm: withKnownWindow(settings.chat.llm) }, explain, show_prompt },
    {
      async *retrieve(search_query, reranking) {
        opened = await openParts(context);
        const parts = { ...opened, reranker: opened.reranker && reranking(opened.reranker) };
        return yield* searched(inputOf(String(query), { search_query, filter, explain: explain || show_prompt }, context), parts);
      },
      neighbours: async (items) => (opened ? await neighboursOf(items, opened.collection) : new Map()),
      isReranked: settings.rerank.enabled,
      llm: () => openLlm(context, opened?.embedder),
      get min_retrieval_score() {
        return minScore(opened?.embedder);
      },
      get least_given_score() {
        const isQuoted = settings.chat.llm.provider === BUNDLED && opened?.embedder !== undefined;
        return minScore(opened?.embedder) - (isQuoted ? GATE_REDUCTION : 0);
      },
      get min_rerank_score() {
        return opened?.reranker?.min_rerank_score;
      },
      signal,
    },
  );
}

/** Throws the KbError of what nothing but the operator or the caller can mend: a key that is missing, a provider that is not set up. Asks nobody. */
async function assertSetUp({ settings, resources }: Context): Promise<void> {
  const {
    chat: { llm },
    rerank,
  } = settings;
  const opening: (() => Promise<unknown>)[] = [];
  if (llm.provider !== BUNDLED) opening.push(() => resources.llm(llm, undefined));
  if (rerank.enabled) opening.push(() => resources.reranker(rerank, llm));
  for (const open of opening)
    await open().catch((error: unknown) => {
      if (endsWork(error)) throw error; // all else is told where it is needed
    });
}

const minScore = (embedder: Embedder | undefined): number => embedder?.min_retrieval_score ?? MIN_SCORE_BY_WORDS;

function inputOf(query: string, rest: Pick<RetrieveInput, 'search_query' | 'filter' | 'explain'>, { settings }: Context): RetrieveInput {
  const { retrieval, rerank } = settings;
  return { query, ...rest, mode: retrieval.mode, top_k: retrieval.top_k, ...(rerank.enabled ? { rerank: { top_k: rerank.top_k } } : {}) };
}

/** What a search works with; the reranker is opened where it is asked for. */
async function openParts(context: Context): Promise<RetrieveParts> {
  const { settings, resources, signal } = context;
  const collection = await openCollection(context);
  const embedder = collection.info.dimensions > 0 ? await embedderFor(context, collection.info) : undefined;
  const reranker = settings.rerank.enabled ? await resources.reranker(settings.rerank, settings.chat.llm) : undefined;
  return { collection, embedder, reranker, signal };
}

/**
 * The embedder of the collection where the search compares vectors. A search by words needs none: it gets the bundled one, which asks nobody and costs
 * nothing, so that its scores mean what they mean in the other modes; where that can't be opened, it goes without.
 */
async function embedderFor(context: Context, made: EmbedderName): Promise<Embedder | undefined> {
  if (context.settings.retrieval.mode !== 'text') return await openEmbedder(context, made);
  return made.provider === BUNDLED ? await openEmbedder(context, made).catch(withoutOne) : undefined;
}

/** A stop, and what is none of our own failures, is no reason to go on. */
function withoutOne(error: unknown): undefined {
  if (isAbort(error) || !(error instanceof KbError)) throw error;
}
