import { z } from 'zod';
import { Config, Rerank } from './config.ts';
import { HistoryCompaction, QueryRewrite, RetrievalQualityConfig } from './config-chat.ts';
import { block, listOf, MAX_QUERY_LENGTH, overrideKey } from './fields.ts';
import { GivenEntry } from './items.ts';
import { Filter } from './stored/filter.ts';
import { embedderFields, searchedFields } from './requests.ts';

const { embedding, storage, retrieval, rerank, chat } = Config.shape;
const query = z.string().max(MAX_QUERY_LENGTH).regex(/\S/, 'non-blank text').describe('Text to search for');

/** Earlier messages of a conversation. Together they are as long as a query may be. */
const History = listOf(GivenEntry).check(({ value, issues }) => {
  const length = charactersOf(value);
  if (length > MAX_QUERY_LENGTH) issues.push({ code: 'custom', message: HISTORY_LIMIT, path: [], input: value });
});
const HISTORY_LIMIT = `at most ${MAX_QUERY_LENGTH.toLocaleString('en-US')} characters in all messages together`;

/** Counts the characters of messages. */
export const charactersOf = (messages: readonly { content: string }[]): number =>
  messages.reduce((sum, { content }) => sum + content.length, 0);

const searchFields = {
  top_k: overrideKey(retrieval.shape.top_k, 'retrieval.top_k'),
  mode: overrideKey(retrieval.shape.mode, 'retrieval.mode'),
  filter: Filter.optional(),
};
const rerankFields = {
  reranker: overrideKey(rerank.shape.provider, 'rerank.provider'),
  reranker_model: overrideKey(rerank.shape.model, 'rerank.model'),
  rerank_top_k: overrideKey(rerank.shape.top_k, 'rerank.top_k'),
};
const providerOptions = {
  embedder_options: overrideKey(embedding.shape.options, 'embedding.options'),
  reranker_options: overrideKey(rerank.shape.options, 'rerank.options'),
};
const use_rerank = overrideKey(rerank.shape.enabled, 'rerank.enabled');
const explain = z.boolean().optional().describe('Explain the rank of every hit');
const rewriteFields = {
  enabled: z.boolean().optional().describe('Rewrite the query so that it stands alone'),
  context: z.string().max(MAX_QUERY_LENGTH).optional().describe('Earlier messages, as context for the rewriting'),
  session_context: overrideKey(QueryRewrite.shape.session_context, 'chat.query_rewrite.session_context'),
};

/** Input of `retrieve`. */
export const RetrieveRequest = z
  .strictObject({
    query,
    ...embedderFields,
    ...searchedFields,
    ...searchFields,
    use_rerank,
    ...rerankFields,
    options: overrideKey(storage.shape.options, 'storage.options'),
    ...providerOptions,
    use_query_rewrite: rewriteFields.enabled,
    rewrite_context: rewriteFields.context,
    session_context: rewriteFields.session_context,
    explain,
  })
  .meta({
    id: 'RetrieveRequest',
    description: 'A search request',
    examples: [
      {
        query: 'How often is the filter replaced?',
        collection: 'manuals',
        top_k: 20,
        filter: { year: { gte: 2024 } },
        use_rerank: true,
        rerank_top_k: 5,
      },
    ],
  });
export type RetrieveRequest = z.infer<typeof RetrieveRequest>;

/** Input of `query`: the search of `retrieve` with its settings nested as in the configuration. */
export const QueryRequest = z
  .strictObject({
    query,
    embedding: block(embedding, 'embedding'),
    retrieval: z
      .strictObject({
        ...searchedFields,
        ...searchFields,
        options: overrideKey(storage.shape.options, 'storage.options'),
        rerank: block(Rerank, 'rerank'),
        use_rerank,
        ...rerankFields,
        ...providerOptions,
        query_rewrite: z.strictObject(rewriteFields).optional().describe('Rewriting of the query for the search'),
        explain,
      })
      .optional()
      .describe('Search settings'),
  })
  .meta({
    id: 'QueryRequest',
    description: 'A search request with its settings in blocks',
    examples: [
      {
        query: 'And to Norway?',
        embedding: { provider: 'local' },
        retrieval: {
          collection: 'manuals',
          top_k: 20,
          rerank: { enabled: true, top_k: 5 },
          query_rewrite: { enabled: true, context: 'How long does delivery take?' },
        },
      },
    ],
  });
export type QueryRequest = z.infer<typeof QueryRequest>;

/** Input of `chat`. */
export const ChatRequest = z
  .strictObject({
    query: z.unknown().optional().meta({
      description: 'The question. If it is missing, empty or too long, the result contains a validate error',
      type: 'string',
      minLength: 1,
      maxLength: MAX_QUERY_LENGTH,
    }),
    history: History.optional().describe(
      `Earlier turns: the history of the previous result; empty for the first turn; at most ${MAX_QUERY_LENGTH.toLocaleString('en-US')} characters in all`,
    ),
    llm_provider: overrideKey(chat.shape.llm.shape.provider, 'chat.llm.provider'),
    llm_model: overrideKey(chat.shape.llm.shape.model, 'chat.llm.model'),
    max_tokens: overrideKey(chat.shape.llm.shape.max_tokens, 'chat.llm.max_tokens'),
    embedder_provider: embedderFields.provider,
    embedder_model: embedderFields.model,
    ...searchedFields,
    ...searchFields,
    rerank: use_rerank,
    ...rerankFields,
    query_rewrite: block(QueryRewrite, 'chat.query_rewrite'),
    history_compaction: block(HistoryCompaction, 'chat.history_compaction'),
    intent_routing: block(chat.shape.intent_routing, 'chat.intent_routing'),
    retrieval_quality: block(RetrievalQualityConfig, 'chat.retrieval_quality'),
    persona: overrideKey(chat.shape.persona, 'chat.persona'),
    context_window: overrideKey(chat.shape.llm.shape.context_window, 'chat.llm.context_window'),
    explain: z.boolean().optional().describe('Explain how the answer was made: ranks, scores, thresholds, tokens, times'),
    show_prompt: z.boolean().optional().describe('Like explain, with the messages sent to the model'),
    options: overrideKey(chat.shape.llm.shape.options, 'chat.llm.options'),
    ...providerOptions,
  })
  .meta({
    id: 'ChatRequest',
    required: ['query'], // the schema takes anything, so that the result can say what is wrong with it
    description: 'One turn of a conversation. The service is stateless: send the history of the previous result',
    examples: [
      {
        query: 'And to Norway?',
        history: [
          { role: 'user', content: 'How long does delivery take?' },
          { role: 'assistant', content: 'One or two working days [1].' },
        ],
        collection: 'manuals',
        query_rewrite: { enabled: true, session_context: 'The customer uses the web shop.' },
        retrieval_quality: { low_confidence_mode: 'refuse_grounded_answer' },
      },
    ],
  });
export type ChatRequest = z.infer<typeof ChatRequest>;
