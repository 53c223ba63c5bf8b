import { expect } from 'vitest';
import { collect, progress, type Progress } from '../../../src/core/run.ts';
import type { Llm } from '../../../src/ports/models.ts';
import { type Config, DEFAULTS } from '../../../src/schema/config.ts';
import type { ErrorItem, HistoryEntry, RetrievedItem } from '../../../src/schema/items.ts';
import { ChatResult } from '../../../src/schema/answers.ts';
import { runTurn } from '../../../src/stages/chat/turn.ts';
import type { ChatParts, ChatSearch } from '../../../src/stages/chat/turn-record.ts';
import { scriptedLlm } from './scripted-llm.ts';

const item = (id: string, score: number): RetrievedItem => ({
  id,
  chunk_id: id,
  text: `Passage ${id} about the pump. Replace the filter every 90 days.`,
  metadata: { source: `${id}.md`, title: `Title ${id}`, location: { page: 2 } },
  score,
});
/** Three passages, the last of them below the threshold. */
export const items = [item('a', 0.9), item('b', 0.8), item('c', 0.3)];
/** What is asked where a scene says nothing else. */
export const query = 'How often is the filter replaced?';
export type ChatSettings = Config['chat'];

/** What differs from an ordinary turn. */
export interface Scene {
  query?: unknown;
  history?: HistoryEntry[];
  quality?: Partial<ChatSettings['retrieval_quality']>;
  settings?: Partial<ChatSettings>;
  llm?: Llm;
  parts?: Partial<ChatParts>;
  search?: Partial<ChatSearch>;
  explain?: boolean;
  show_prompt?: boolean;
}

/** One turn over the three passages, with thresholds at 0.5. */
export async function turn({
  query: asked = query,
  history = [],
  quality = {},
  settings = {},
  llm = scriptedLlm(() => ['Every 90 days [1].']),
  parts = {},
  search = {},
  explain,
  show_prompt,
}: Scene = {}) {
  const searched: string[] = [];
  const run = runTurn(
    {
      query: asked,
      history,
      explain,
      show_prompt,
      settings: {
        ...DEFAULTS.chat,
        llm: { ...DEFAULTS.chat.llm, context_window: Infinity },
        ...settings,
        retrieval_quality: { ...DEFAULTS.chat.retrieval_quality, ...quality },
      },
    },
    {
      search: async () => ({
        async *retrieve(search_query) {
          searched.push(search_query);
          yield progress('retrieval', {}, 'Searching.');
          return { query: String(asked), search_query, retrieved: items.length, items, failed: 0, errors: [] };
        },
        min_retrieval_score: 0.5,
        ...search,
      }),
      llm: async () => llm,
      listSources: async () => ({ sources: [], total: 0 }),
      ...parts,
    },
  );
  const { events, result } = await collect(run);
  const of = (type: Progress['type']) => events.filter((event) => event.type === type);
  expect(ChatResult.parse(result)).toEqual(result);
  return {
    events,
    result,
    searched,
    tokens: of('token'),
    stages: of('progress').map(({ stage }) => stage),
    failures: of('error').map(({ data }) => data as ErrorItem),
  };
}

/** A search that throws. */
export const failing = (error: Error): ChatSearch['retrieve'] =>
  // oxlint-disable-next-line require-yield
  async function* () {
    throw error;
  };
/** So many messages, the user's and the assistant's in turn. */
export const talk = (count: number): HistoryEntry[] =>
  Array.from({ length: count }, (_, i) => ({ role: i % 2 ? 'assistant' : 'user', content: `Remark ${i + 1}.` }));

/** Settings with which a follow-up is rewritten. */
export const rewriting = { query_rewrite: { enabled: true } };
/** A model that answers where it has sources, and else writes this query. */
export const forRewrite = (text: string | Error) =>
  scriptedLlm((request) => (request.grounding.sources.length > 0 ? ['So it is [1].'] : [text]));
