import { expect, test } from 'vitest';
import { DEFAULTS } from '../../../src/schema/config.ts';
import type { RetrievedItem } from '../../../src/schema/items.ts';
import { assess } from '../../../src/stages/chat/quality.ts';

const item = (id: string, score: number, rerank_score?: number): RetrievedItem => ({
  id,
  chunk_id: id,
  text: id,
  metadata: { source: `${id}.md` },
  score,
  ...(rerank_score === undefined ? {} : { rerank_score }),
});
const settings = (over = {}) => ({ ...DEFAULTS.chat.retrieval_quality, ...over });
const ids = (items: RetrievedItem[]) => items.map(({ id }) => id);

test('a chunk passes from the threshold on, and the counts tell how many did', () => {
  const { quality, context } = assess([item('a', 0.8), item('b', 0.5), item('c', 0.49)], settings({ min_retrieval_score: 0.5 }), {
    min_retrieval_score: 0.9,
  });
  expect(quality).toEqual({
    status: 'passed',
    mode: 'answer_with_caution',
    input_chunks: 3,
    passed_chunks: 2,
    rejected_chunks: 1,
    min_retrieval_score: 0.5,
  });
  expect(ids(context)).toEqual(['a', 'b']);
});

test('without a threshold in the settings the calibrated one holds', () => {
  const { quality } = assess([item('a', 0.8)], settings(), { min_retrieval_score: 0.9 });
  expect(quality).toMatchObject({ status: 'low_confidence', min_retrieval_score: 0.9, passed_chunks: 0, rejected_chunks: 1 });
});

test('no more than max_context_chunks are given to the model, passed or not', () => {
  const items = [item('a', 0.3), item('b', 0.2), item('c', 0.1)];
  const most = { max_context_chunks: 2 };
  expect(assess(items, settings({ ...most, min_retrieval_score: 0 }), { min_retrieval_score: 0 })).toMatchObject({
    quality: { passed_chunks: 3 },
    context: [{ id: 'a' }, { id: 'b' }],
  });
  expect(ids(assess(items, settings({ ...most, min_retrieval_score: 0.9 }), { min_retrieval_score: 0 }).context)).toEqual(['a', 'b']);
});

test('a rerank threshold cuts reranked chunks, and is reported only where there are any', () => {
  const reranked = assess([item('a', 0.9, 0.7), item('b', 0.9, 0.2)], settings({ min_rerank_score: 0.5 }), { min_retrieval_score: 0 });
  expect(reranked.quality).toMatchObject({ passed_chunks: 1, min_rerank_score: 0.5 });
  expect(ids(reranked.context)).toEqual(['a']);
  expect(assess([item('a', 0.9, -3)], settings(), { min_retrieval_score: 0 }).quality).toMatchObject({ status: 'passed' });
  expect(assess([item('a', 0.9, -3)], settings(), { min_retrieval_score: 0, min_rerank_score: 0 }).quality.status).toBe('low_confidence');
  expect(assess([item('a', 0.9)], settings({ min_rerank_score: 0.5 }), { min_retrieval_score: 0 }).quality).not.toHaveProperty(
    'min_rerank_score',
  );
});

test('switched off, everything goes through and nothing is claimed to be evaluated', () => {
  const { quality, context } = assess([item('a', 0)], settings({ enabled: false, min_retrieval_score: 0.9 }), { min_retrieval_score: 0.9 });
  expect(quality).toEqual({ status: 'not_evaluated', mode: 'answer_with_caution' });
  expect(context).toHaveLength(1);
});

test('where nothing was found, nothing passed', () => {
  expect(assess([], settings(), { min_retrieval_score: 0 })).toMatchObject({
    quality: { status: 'low_confidence', input_chunks: 0, passed_chunks: 0 },
    context: [],
  });
});
