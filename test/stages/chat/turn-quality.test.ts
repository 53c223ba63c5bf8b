import { expect, test } from 'vitest';
import { DEFAULTS } from '../../../src/schema/config.ts';
import type { RetrievedItem } from '../../../src/schema/items.ts';
import { assessQuality } from '../../../src/stages/chat/turn.ts';
import type { ChatSearch } from '../../../src/stages/chat/turn-record.ts';
import { said, scriptedLlm } from './scripted-llm.ts';
import { items as retrieved, query, turn } from './scene.ts';

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

test('a chunk passes if it reaches the threshold, and the result counts passed and rejected chunks', () => {
  const { quality, context } = assessQuality([item('a', 0.8), item('b', 0.5), item('c', 0.49)], settings({ min_retrieval_score: 0.5 }), {
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

test('uses the calibrated threshold if the settings have none', () => {
  const { quality } = assessQuality([item('a', 0.8)], settings(), { min_retrieval_score: 0.9 });
  expect(quality).toMatchObject({ status: 'low_confidence', min_retrieval_score: 0.9, passed_chunks: 0, rejected_chunks: 1 });
});

test('gives the model at most max_context_chunks, whether they passed or not', () => {
  const items = [item('a', 0.3), item('b', 0.2), item('c', 0.1)];
  const most = { max_context_chunks: 2 };
  expect(assessQuality(items, settings({ ...most, min_retrieval_score: 0 }), { min_retrieval_score: 0 })).toMatchObject({
    quality: { passed_chunks: 3 },
    context: [{ id: 'a' }, { id: 'b' }],
  });
  expect(ids(assessQuality(items, settings({ ...most, min_retrieval_score: 0.9 }), { min_retrieval_score: 0 }).context)).toEqual([
    'a',
    'b',
  ]);
});

test('applies a rerank threshold to reranked chunks, and reports it only if there are any', () => {
  const reranked = assessQuality([item('a', 0.9, 0.7), item('b', 0.9, 0.2)], settings({ min_rerank_score: 0.5 }), {
    min_retrieval_score: 0,
  });
  expect(reranked.quality).toMatchObject({ passed_chunks: 1, min_rerank_score: 0.5 });
  expect(ids(reranked.context)).toEqual(['a']);
  expect(assessQuality([item('a', 0.9, -3)], settings(), { min_retrieval_score: 0 }).quality).toMatchObject({ status: 'passed' });
  expect(assessQuality([item('a', 0.9, -3)], settings(), { min_retrieval_score: 0, min_rerank_score: 0 }).quality.status).toBe(
    'low_confidence',
  );
  expect(assessQuality([item('a', 0.9)], settings({ min_rerank_score: 0.5 }), { min_retrieval_score: 0 }).quality).not.toHaveProperty(
    'min_rerank_score',
  );
});

test('a disabled gate passes everything and reports not_evaluated', () => {
  const { quality, context } = assessQuality([item('a', 0)], settings({ enabled: false, min_retrieval_score: 0.9 }), {
    min_retrieval_score: 0.9,
  });
  expect(quality).toEqual({ status: 'not_evaluated', mode: 'answer_with_caution' });
  expect(context).toHaveLength(1);
});

test('the gate passes nothing if nothing was found', () => {
  expect(assessQuality([], settings(), { min_retrieval_score: 0 })).toMatchObject({
    quality: { status: 'low_confidence', input_chunks: 0, passed_chunks: 0 },
    context: [],
  });
});

test('returns only a quality error for weak retrieval in mode return_no_answer', async () => {
  const llm = scriptedLlm(() => []);
  const { result, failures, tokens } = await turn({ llm, quality: { min_retrieval_score: 0.99, low_confidence_mode: 'return_no_answer' } });
  expect(result).toMatchObject({
    answer: '',
    sources: [],
    llm: {},
    history: [],
    retrieval_quality: {
      status: 'low_confidence',
      mode: 'return_no_answer',
      passed_chunks: 0,
      rejected_chunks: 3,
      min_retrieval_score: 0.99,
    },
  });
  expect(result.answer_confidence).toEqual({ level: 'none', reason: 'retrieval_quality_low_confidence' });
  expect(result.errors).toEqual([expect.objectContaining({ stage: 'quality', source_kind: 'chat' })]);
  expect(failures).toEqual(result.errors);
  expect([tokens, llm.requests]).toEqual([[], []]);
});

test('gives an extractive model passages with lower scores, unless the settings have a threshold', async () => {
  const best = Math.max(...retrieved.map(({ score }) => score));
  const search = { min_retrieval_score: best + 0.1, least_given_score: best - 0.01 };
  const { result } = await turn({ search });
  expect(result.retrieval_quality).toMatchObject({ status: 'passed', min_retrieval_score: best - 0.01, passed_chunks: 1 });
  const set = await turn({ search, quality: { min_retrieval_score: 0.99 } });
  expect(set.result.retrieval_quality).toMatchObject({ status: 'low_confidence', min_retrieval_score: 0.99 });
});

test.each([
  ['ask_clarifying_question', /\?/],
  ['refuse_grounded_answer', /cannot answer/],
] as const)('answers weak retrieval in mode %s without the model and without sources', async (low_confidence_mode, words) => {
  const llm = scriptedLlm(() => []);
  const { result } = await turn({ llm, quality: { min_retrieval_score: 0.99, low_confidence_mode } });
  expect(result.answer).toMatch(words);
  expect(result).toMatchObject({
    sources: [],
    errors: [],
    retrieval_quality: { status: 'low_confidence', mode: low_confidence_mode },
    answer_confidence: { level: 'none', reason: 'retrieval_quality_low_confidence' },
  });
  expect(result.history.at(-1)!.content).toBe(result.answer);
  expect(llm.requests).toEqual([]);
});

test('keeps an answer that begins with a refusal, with low confidence', async () => {
  const text = 'The sources do not say how many were sold. They only mention the warehouse [1].';
  const { result } = await turn({ llm: scriptedLlm(() => [text]) });
  expect(result).toMatchObject({
    answer: text,
    answer_confidence: { level: 'low', reason: 'answer_uncertain' },
    retrieval_quality: { status: 'passed' },
    errors: [],
  });
  const quoting = await turn({ llm: scriptedLlm(() => [text], { extractive: true }) });
  expect(quoting.result.answer_confidence.level).toBe('high');
});

test('keeps an answer that declines a part or is unsure of it, with low confidence', async () => {
  const doubted = {
    answer_confidence: { level: 'low', reason: 'answer_uncertain' },
    retrieval_quality: { status: 'passed' },
    errors: [],
  };
  const partial = await turn({ llm: scriptedLlm(() => ['Every 90 days [1]. The price is not told [0].']) });
  expect(partial.result).toMatchObject({ ...doubted, answer: 'Every 90 days [1]. The price is not told.' });
  const quoting = (unsure: boolean) => scriptedLlm(() => ['Every 90 days [1].'], { extractive: true, outcome: { unsure } });
  const unsure = await turn({ llm: quoting(true) });
  expect(unsure.result).toMatchObject({
    ...doubted,
    llm: { provider: 'scripted', model: 'test-model', input_tokens: 1100, output_tokens: 7 },
  });
  expect(unsure.result.llm).not.toHaveProperty('unsure');
  expect((await turn({ llm: quoting(false) })).result.answer_confidence.level).toBe('high');
});

test('a quoting answer has its probability, its best sentence, and its sources in the order of citation', async () => {
  const quoting = (probability: number) =>
    scriptedLlm(() => ['Every 90 days [1].'], { extractive: true, outcome: { probability, highlight: 'Every 90 days', order: [2] } });
  const sure = (await turn({ llm: quoting(0.9) })).result;
  expect(sure).toMatchObject({
    highlight: 'Every 90 days',
    answer_confidence: { level: 'high', reason: 'retrieval_quality_pass', probability: 0.9 },
  });
  expect(sure.sources.map(({ id, citation, cited }) => [id, citation, cited])).toEqual([
    ['b', 1, true],
    ['a', 2, false],
  ]);
  const doubtful = (await turn({ llm: quoting(0.5) })).result;
  expect(doubtful).toMatchObject({
    retrieval_quality: { status: 'passed' },
    answer_confidence: { level: 'low', reason: 'answer_uncertain', probability: 0.5 },
  });
});

test('a model reads neighbouring text, but nothing twice, and a quoted line is cited at its own location', async () => {
  const beside = { id: 'x', text: 'It rests at night.', location: { page: 3 }, joined: '\n\nIt rests at night.' };
  const given = { ...beside, id: 'b', joined: '\n\nGiven already.' };
  const neighbours = async () => new Map([['a', { after: beside }], ['b', { after: given }]]); // prettier-ignore
  const llm = scriptedLlm(() => ['Every 90 days [1].']);
  await turn({ llm, search: { neighbours } });
  expect(said(llm.requests[0]!)).toContain('Passage a about the pump. Replace the filter every 90 days.\n\nIt rests at night.');
  expect(said(llm.requests[0]!)).not.toContain('Given already.');
  const quoting = scriptedLlm(() => ['It rests at night. [1]'], {
    extractive: true,
    outcome: { quoted: [{ citation: 1, lines: [2, 2] }] },
  });
  const { result } = await turn({ llm: quoting, search: { neighbours } });
  expect(result.sources.map(({ location }) => location.page)).toEqual([3, 2]);
});

test('lowers confidence only for doubt in the answer if the gate is disabled', async () => {
  const { result } = await turn({ quality: { enabled: false } });
  expect(result).toMatchObject({
    answer: 'Every 90 days [1].',
    retrieval_quality: { status: 'not_evaluated' },
    answer_confidence: { level: 'high', reason: 'retrieval_quality_pass' },
  });
  const partial = await turn({ quality: { enabled: false }, llm: scriptedLlm(() => ['Every 90 days [1]. The price is not told [0].']) });
  expect(partial.result.answer_confidence).toEqual({ level: 'low', reason: 'answer_uncertain' });
});

test('answers from the best rejected chunks in mode answer_with_caution, with low confidence and a cautious prompt', async () => {
  const llm = scriptedLlm(() => ['Perhaps so [1].']);
  const { result } = await turn({ llm, quality: { min_retrieval_score: 0.99, max_context_chunks: 2 } });
  expect(result).toMatchObject({
    answer: 'Perhaps so [1].',
    answer_confidence: { level: 'low', reason: 'retrieval_quality_low_confidence' },
    retrieval_quality: { status: 'low_confidence', passed_chunks: 0 },
  });
  expect(result.sources.map(({ id }) => id)).toEqual(['a', 'b']);
  expect(said(llm.requests[0]!)).toMatch(/cautious/);
});

test('does not ask the model if nothing was found', async () => {
  const llm = scriptedLlm(() => []);
  const nothing: ChatSearch['retrieve'] =
    // oxlint-disable-next-line require-yield
    async function* (search_query) {
      return { query, search_query, retrieved: 0, items: [], failed: 0, errors: [] };
    };
  const { result } = await turn({ llm, search: { retrieve: nothing } });
  expect(result).toMatchObject({
    answer: 'The sources do not answer this.',
    sources: [],
    answer_confidence: { level: 'none', reason: 'retrieval_quality_low_confidence' },
  });
  expect(llm.requests).toEqual([]);
});
