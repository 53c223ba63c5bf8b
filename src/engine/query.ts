import { endsWork, KbError, toErrorItem } from '../base/errors.ts';
import type { Run } from '../base/run.ts';
import type { Embedder } from '../ports.ts';
import type { ChatRequest, RetrieveRequest } from '../schema/requests.ts';
import type { ChatResult, RetrieveResult } from '../schema/results.ts';
import { chat as runChat } from '../stages/chat/chat.ts';
import { retrieve as runRetrieve, type RetrieveInput, type RetrieveParts } from '../stages/retrieve/retrieve.ts';
import { MIN_SCORE_BY_WORDS } from '../stages/retrieve/similarity.ts';
import { openCollection, openEmbedder } from './collections.ts';
import type { Context } from './context.ts';

/** Retrieval without an answer. A collection that can't be searched is an item of `errors`. */
export async function* retrieve({ query, filter, explain }: RetrieveRequest, context: Context): Run<RetrieveResult> {
  try {
    return yield* runRetrieve(inputOf(query, { filter, explain }, context), await openParts(context));
  } catch (error) {
    if (endsWork(error) || !(error instanceof KbError)) throw error;
    const item = toErrorItem(error, { source: query, source_kind: 'query', stage: 'retrieve' });
    return { query, search_query: query, retrieved: 0, items: [], failed: 1, errors: [item] };
  }
}

/** One turn of a conversation. Nothing is opened before it is needed. */
export async function* chat({ query, history = [], filter }: ChatRequest, context: Context): Run<ChatResult> {
  const { settings, resources, signal } = context;
  let opened: RetrieveParts | undefined;
  return yield* runChat(
    { query, history, settings: settings.chat },
    {
      async *retrieve(search_query) {
        opened = await openParts(context);
        return yield* runRetrieve(inputOf(String(query), { search_query, filter }, context), opened);
      },
      llm: async () => resources.llm(settings.chat.llm, settings.chat.llm.provider === 'local' ? opened?.embedder : undefined),
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
  const reranker = settings.rerank.enabled ? await resources.reranker(settings.rerank) : undefined;
  return { collection, embedder, reranker, signal };
}
