import { call, operatorAdvice } from '../core/advice/advice.ts';
import { attachPartialResult, endsWork, isAbort, KbError, toErrorItem } from '../core/errors.ts';
import { type Run, settle } from '../core/run.ts';
import { withRetryProgress } from '../core/retry.ts';
import type { Embedder, Llm } from '../ports/models.ts';
import type { ChatRequest, QueryRequest, RetrieveRequest } from '../schema/questions.ts';
import type { ChatResult, RetrieveResult } from '../schema/answers.ts';
import type { EmbedderName, ErrorItem, RetrievedItem } from '../schema/items.ts';
import { isGrounded, runTurn } from '../stages/chat/turn.ts';
import type { Collection, CollectionInfo } from '../ports/stores.ts';
import { describeInProcess, isQuoting, withKnownWindow } from './resources.ts';
import { windowOf } from '../stages/chat/budget.ts';
import type { ListedSource, SourceList } from '../stages/chat/dialogue/source-list.ts';
import { openResult } from '../stages/chat/turn-record.ts';
import { standAlone } from '../stages/chat/dialogue/rewrite.ts';
import { GATE_REDUCTION } from '../stages/quote/evidence.ts';
import { type RetrieveInput, type RetrieveParts, retrievePassages } from '../stages/retrieve/retrieve.ts';
import { fuseCollections, searchEach, searchesFor } from '../stages/retrieve/search.ts';
import { MIN_SCORE_BY_WORDS } from '../stages/retrieve/similarity.ts';
import { neighboursOf } from '../stages/retrieve/neighbours.ts';
import { unknownFieldsNotice } from '../stages/retrieve/unknown-fields.ts';
import { searchedText } from '../text/truncate.ts';
import { embedderLabel, openCollection, openEmbedder } from './collections.ts';
import { type Context, inCollection } from './context.ts';
import { searchedCollections } from './permissions.ts';

/** Retrieves passages. A collection that cannot be searched becomes an item of `errors`. So does a failed rewrite, after which the original query is searched for; `failed` does not count it. */
export const retrieve = (request: RetrieveRequest, context: Context): Run<RetrieveResult> =>
  withRetryProgress(retrieveItems(request, context), {
    stage: 'retrieval',
    data: { retrieved: 0, failed: 0, search_query: request.query },
  });

async function* retrieveItems(request: RetrieveRequest, context: Context): Run<RetrieveResult> {
  const { query, filter, explain } = request;
  let rewriting = { search_query: searchedText(query), errors: [] as ErrorItem[] };
  try {
    const parts = await openSearches(request, context, { hasGate: false });
    rewriting = yield* rewriteRequest(request, parts[0]!, context);
    const result = yield* searchAll(toRetrieveInput(query, { search_query: rewriting.search_query, filter, explain }, context), parts);
    return { ...result, errors: [...rewriting.errors, ...result.errors] };
  } catch (error) {
    if (endsWork(error) || !(error instanceof KbError)) throw error;
    const errors = [...rewriting.errors, toErrorItem(error, { source: query, source_kind: 'query', stage: 'retrieve' })];
    return { query, search_query: rewriting.search_query, retrieved: 0, items: [], failed: 1, errors };
  }
}

/** Searches for the query and each question in it, for retrieval and chat alike. A filter by a field that no chunk has gives a notice. */
async function* searchAll(input: RetrieveInput, opened: readonly RetrieveParts[]): Run<RetrieveResult> {
  const [first, ...others] = opened;
  if (others.length === 0) return yield* searchOne(input, first!);
  const further = Promise.all(others.map((parts) => settle(searchOne(input, parts))));
  further.catch(() => {}); // rethrown when it is awaited
  const results = [yield* searchOne(input, first!), ...(await further)];
  const found = results.map((result, i) => ({ collection: opened[i]!.collection.info.name, result }));
  return fuseCollections(found, input.rerank?.top_k ?? input.top_k);
}

async function* searchOne(input: RetrieveInput, parts: RetrieveParts): Run<RetrieveResult> {
  const { query, search_query = query } = input;
  const searches = searchesFor(search_query, { question: query.trim(), isReranked: parts.reranker !== undefined });
  const result = yield* searchEach(searches, (each) => retrievePassages({ ...input, search_query: each }, parts));
  if (!input.filter || result.failed > 0) return result;
  const notice = await unknownFieldsNotice(input.filter, parts.collection, result.items);
  return notice === undefined ? result : { ...result, notice };
}

/** Retrieves with the request format that nests its settings in blocks. */
export function retrieveInBlocks({ query, retrieval = {} }: QueryRequest, context: Context): Run<RetrieveResult> {
  const { filter, explain, query_rewrite = {} } = retrieval;
  const rewriting = { use_query_rewrite: query_rewrite.enabled, rewrite_context: query_rewrite.context };
  return retrieve({ query, filter, explain, collection: retrieval.collection, ...rewriting }, context);
}

function rewriteRequest(
  { query, use_query_rewrite, rewrite_context }: RetrieveRequest,
  { embedder }: RetrieveParts,
  context: Context,
): ReturnType<typeof standAlone> {
  const { llm, query_rewrite } = context.settings.chat;
  const context_history = rewrite_context?.trim() ? [{ role: 'user' as const, content: rewrite_context }] : [];
  return standAlone(searchedText(query), {
    ...(use_query_rewrite ? { history: context_history, session_context: query_rewrite.session_context } : { history: [] }),
    llm: () => openLlm(context, embedder),
    timeout: llm.timeout,
    window: windowOf(withKnownWindow(llm)).tokens,
    signal: context.signal,
  });
}

const openLlm = ({ settings, resources }: Context, embedder: Embedder | undefined) => resources.llm(settings.chat.llm, embedder);

/** Opens the configured model to write questions; undefined if the answerer only quotes. */
export const openQuestionWriter = async (context: Context): Promise<Llm | undefined> =>
  isQuoting(context.settings.chat.llm) ? undefined : await openLlm(context, undefined);

/** Answers one turn of a conversation. The collection is opened when it is needed; the setup of the models is checked before the first event. */
export const chat = (request: ChatRequest, context: Context): Run<ChatResult> =>
  withRetryProgress(answerTurn(request, context), { stage: 'chat', data: { query: request.query } });

async function* answerTurn(request: ChatRequest, context: Context): Run<ChatResult> {
  const { query, history = [], filter, explain, show_prompt } = request;
  const { settings, signal } = context;
  if (isGrounded({ query, settings: settings.chat }))
    await assertSetUp(context).catch((error: unknown) => {
      throw attachPartialResult(error, openResult(String(query), history));
    });
  return yield* runTurn(
    { query, history, settings: { ...settings.chat, llm: withKnownWindow(settings.chat.llm) }, explain, show_prompt },
    {
      search: async (reranking) => {
        const opened = await openSearches(request, context, { hasGate: true });
        const { embedder, reranker } = opened[0]!;
        const traced = reranker && reranking(reranker);
        const parts = opened.map((one) => ({ ...one, reranker: traced }));
        const min_retrieval_score = embedder?.min_retrieval_score ?? MIN_SCORE_BY_WORDS;
        const isQuoted = isQuoting(settings.chat.llm) && embedder !== undefined;
        return {
          retrieve: (search_query) =>
            searchAll(toRetrieveInput(String(query), { search_query, filter, explain: explain || show_prompt }, context), parts),
          neighbours: (items) => neighboursIn(items, opened),
          embedder,
          min_retrieval_score,
          least_given_score: min_retrieval_score - (isQuoted ? GATE_REDUCTION : 0),
          min_rerank_score: reranker?.min_rerank_score,
        };
      },
      isReranked: settings.rerank.enabled,
      listSources: (limit) => listStored(request, { limit, context }),
      tracer: context.tracer,
      llm: (embedder) => openLlm(context, embedder),
      signal,
    },
  );
}

/** Lists stored documents of the collections of a request, in the order of their sources. */
async function listStored(
  { collection, filter }: Pick<ChatRequest, 'collection' | 'filter'>,
  { limit, context }: { limit: number; context: Context },
): Promise<SourceList> {
  const sources: ListedSource[] = [];
  let total = 0;
  for (const name of searchedCollections({ collection }, context.settings)) {
    const stored = await openCollection(inCollection(context, name));
    const page = await stored.sourcePage({ filter, limit });
    total += page.total;
    const listed = page.sources.slice(0, limit - sources.length);
    const contents = listed.length > 0 ? await stored.contents(listed) : undefined;
    for (const source of listed) sources.push({ source, title: String(contents?.get(source)?.metadata.title ?? source) });
  }
  return { sources, total };
}

/** Opens the model and the reranker without sending a request. Throws only errors that the operator or the caller must fix, such as a missing key. */
async function assertSetUp({ settings, resources }: Context): Promise<void> {
  const { rerank } = settings;
  const { llm } = settings.chat;
  const rethrowFatal = (error: unknown): void => {
    if (endsWork(error)) throw error;
  };
  await resources.llm(llm, undefined).catch(rethrowFatal);
  if (rerank.enabled) await resources.reranker(rerank, llm).catch(rethrowFatal);
}

function toRetrieveInput(
  query: string,
  rest: Pick<RetrieveInput, 'search_query' | 'filter' | 'explain'>,
  { settings }: Context,
): RetrieveInput {
  const { retrieval, rerank } = settings;
  return { query, ...rest, mode: retrieval.mode, top_k: retrieval.top_k, ...(rerank.enabled ? { rerank: { top_k: rerank.top_k } } : {}) };
}

/** Reads the neighbours of each passage from its collection. */
async function neighboursIn(items: readonly RetrievedItem[], opened: readonly RetrieveParts[]): ReturnType<typeof neighboursOf> {
  const found = opened.map(({ collection }) =>
    neighboursOf(
      items.filter((item) => item.collection === undefined || item.collection === collection.info.name),
      collection,
    ),
  );
  return new Map((await Promise.all(found)).flatMap((neighbours) => [...neighbours]));
}

/** Opens what searches of the request's collections need. `hasGate`: scores are compared with thresholds. */
async function openSearches(
  request: Pick<RetrieveRequest, 'collection'>,
  context: Context,
  { hasGate }: { hasGate: boolean },
): Promise<RetrieveParts[]> {
  const { settings, resources, signal } = context;
  const names = searchedCollections(request, settings);
  const opened = await Promise.all(names.map((collection) => openCollection(inCollection(context, collection))));
  assertOneEmbedder(opened.map(({ info }) => info));
  const [{ info }] = opened as [Collection];
  const embedder = info.dimensions > 0 ? await embedderFor(context, info, { hasGate }) : undefined;
  const reranker = settings.rerank.enabled ? await resources.reranker(settings.rerank, settings.chat.llm) : undefined;
  return opened.map((collection) => ({ collection, embedder, reranker, signal }));
}

/** Throws a KbError (`conflict`) for collections of different embedding models: their scores can't be compared. */
function assertOneEmbedder([first, ...others]: readonly CollectionInfo[]): void {
  const key = ({ provider, model, dimensions }: CollectionInfo) => JSON.stringify([provider, model, dimensions]);
  const other = others.find((info) => key(info) !== key(first!));
  if (!other) return;
  const describe = (info: CollectionInfo) =>
    `"${info.name}" (${embedderLabel(info)}${info.dimensions > 0 ? `, ${info.dimensions} dimensions` : ''})`;
  throw new KbError(
    'conflict',
    `The collections ${describe(first!)} and ${describe(other)} were embedded with different models and can't be searched together.`,
    {
      hint: [
        'Ask them one by one.',
        operatorAdvice`To search them together, embed one again with the model of the other: ${call('reembed_collection')}.`,
      ],
    },
  );
}

/**
 * Opens the embedder of the collection if vectors are compared. A search by words opens one only if it sends no requests, and only for a gate or a
 * reranker, so that their scores mean the same as in other modes.
 */
async function embedderFor(
  context: Context,
  collectionEmbedder: EmbedderName,
  { hasGate }: { hasGate: boolean },
): Promise<Embedder | undefined> {
  const { retrieval, rerank } = context.settings;
  if (retrieval.mode !== 'text') return await openEmbedder(context, collectionEmbedder);
  if (!hasGate && !rerank.enabled) return undefined;
  return describeInProcess('embedders', collectionEmbedder.provider)
    ? await openEmbedder(context, collectionEmbedder).catch(rethrowUnexpected)
    : undefined;
}

function rethrowUnexpected(error: unknown): undefined {
  if (isAbort(error) || !(error instanceof KbError)) throw error;
}
