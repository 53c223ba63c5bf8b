import { expect, test } from 'vitest';
import { KbError } from '../../../src/core/errors.ts';
import { collect, progress, type Progress } from '../../../src/core/run.ts';
import type { Llm } from '../../../src/ports/models.ts';
import { DEFAULTS, type Config } from '../../../src/schema/config.ts';
import { LONGEST_QUERY } from '../../../src/schema/questions.ts';
import type { HistoryEntry, RetrievedItem, ErrorItem } from '../../../src/schema/items.ts';
import { ChatResult } from '../../../src/schema/answers.ts';
import { tokensOfMessages } from '../../../src/stages/chat/budget.ts';
import { runTurn } from '../../../src/stages/chat/turn.ts';
import type { ChatParts } from '../../../src/stages/chat/turn-result.ts';
import { said, scriptedLlm } from './scripted-llm.ts';

const item = (id: string, score: number): RetrievedItem => ({
  id,
  chunk_id: id,
  text: `Passage ${id} about the pump.`,
  metadata: { source: `${id}.md`, title: `Title ${id}`, location: { page: 2 } },
  score,
});
const items = [item('a', 0.9), item('b', 0.8), item('c', 0.3)];
const query = 'How often is the filter replaced?';
type ChatSettings = Config['chat'];

interface Scene {
  query?: unknown;
  history?: HistoryEntry[];
  quality?: Partial<ChatSettings['retrieval_quality']>;
  settings?: Partial<ChatSettings>;
  llm?: Llm;
  parts?: Partial<ChatParts>;
  explain?: boolean;
  show_prompt?: boolean;
}

/** One turn over the three passages, with thresholds at 0.5. */
async function turn({
  query: asked = query,
  history = [],
  quality = {},
  settings = {},
  llm = scriptedLlm(() => ['Every 90 days [1].']),
  parts = {},
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
      settings: { ...DEFAULTS.chat, ...settings, retrieval_quality: { ...DEFAULTS.chat.retrieval_quality, ...quality } },
    },
    {
      async *retrieve(search_query) {
        searched.push(search_query);
        yield progress('retrieval', {}, 'Searching.');
        return { query: String(asked), search_query, retrieved: items.length, items, failed: 0, errors: [] };
      },
      llm: async () => llm,
      min_retrieval_score: 0.5,
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

const failing = (error: Error): ChatParts['retrieve'] =>
  // oxlint-disable-next-line require-yield
  async function* () {
    throw error;
  };
const talk = (count: number): HistoryEntry[] =>
  Array.from({ length: count }, (_, i) => ({ role: i % 2 ? 'assistant' : 'user', content: `Remark ${i + 1}.` }));

test('an answer has every field of the result, and its stages are told in order', async () => {
  const { result, stages, tokens, events } = await turn({ history: talk(2) });
  expect(result).toEqual({
    answer: 'Every 90 days [1].',
    sources: [
      {
        id: 'a',
        title: 'Title a',
        score: 0.9,
        metadata: items[0]!.metadata,
        citation: 1,
        cited: true,
        text: items[0]!.text,
        location: { page: 2 },
      },
      {
        id: 'b',
        title: 'Title b',
        score: 0.8,
        metadata: items[1]!.metadata,
        citation: 2,
        cited: false,
        text: items[1]!.text,
        location: { page: 2 },
      },
    ],
    history: [...talk(2), { role: 'user', content: query }, { role: 'assistant', content: 'Every 90 days [1].' }],
    retrieval: { query, search_query: query, retrieved: 3, outputs: items, failed: 0, errors: [] },
    llm: { provider: 'scripted', model: 'test-model', input_tokens: 11, output_tokens: 7 },
    errors: [],
    retrieval_quality: {
      status: 'passed',
      mode: 'answer_with_caution',
      input_chunks: 3,
      passed_chunks: 2,
      rejected_chunks: 1,
      min_retrieval_score: 0.5,
    },
    answer_confidence: { level: 'high', reason: 'retrieval_quality_pass' },
    compacted: false,
    intent: 'rag',
  });
  expect(stages).toEqual(['chat', 'intent', 'chat', 'retrieval', 'quality', 'generation']);
  expect(events[0]).toEqual(progress('chat', { query }));
  expect(events.filter(({ data }) => 'retrieved' in data).map(({ data }) => data)).toEqual([
    { retrieved: 3, failed: 0, search_query: query },
  ]);
  expect(tokens).toEqual([{ type: 'token', stage: 'generation', message: '', data: { text: 'Every 90 days [1].' } }]);
});

test.each([undefined, null, '', '  \n', 7, ['a'], { text: 'a' }])(
  'a query %j is a result with a validate error, and nothing is opened',
  async (asked) => {
    const llm = scriptedLlm(() => []);
    const { result, failures, searched } = await turn({ query: asked === undefined ? null : asked, history: talk(2), llm });
    expect(result.errors).toEqual([expect.objectContaining({ stage: 'validate', source_kind: 'chat', isRetryable: false, attempts: 1 })]);
    expect(failures).toEqual(result.errors);
    expect(result).toMatchObject({
      answer: '',
      sources: [],
      llm: {},
      history: talk(2),
      retrieval_quality: { status: 'not_evaluated' },
      answer_confidence: { level: 'none', reason: 'errors' },
    });
    expect([searched, llm.requests]).toEqual([[], []]);
  },
);

test('a query that is too long is one too, and says how long it may be', async () => {
  const { result, searched } = await turn({ query: 'x'.repeat(LONGEST_QUERY + 1) });
  expect(result.errors).toEqual([
    expect.objectContaining({ stage: 'validate', source: '', error: expect.stringContaining('100001 characters, of at most 100000') }),
  ]);
  expect(searched).toEqual([]);
  expect((await turn({ query: 'x'.repeat(LONGEST_QUERY) })).result.errors).toEqual([]);
});

test('small talk is answered without retrieval and without a model', async () => {
  const llm = scriptedLlm(() => []);
  const { result, searched, tokens } = await turn({ query: 'Hello!', history: talk(12), llm });
  expect(result).toMatchObject({
    intent: 'greeting',
    sources: [],
    errors: [],
    llm: {},
    compacted: false,
    answer_confidence: { level: 'none', reason: 'direct_intent' },
    retrieval_quality: { status: 'not_evaluated' },
  });
  expect(result.history).toEqual([...talk(12), { role: 'user', content: 'Hello!' }, { role: 'assistant', content: result.answer }]);
  expect(tokens.map(({ data }) => data.text).join('')).toBe(result.answer);
  expect([searched, llm.requests]).toEqual([[], []]);
  expect((await turn({ query: 'Hello!', settings: { intent_routing: { enabled: false } } })).result.intent).toBe('rag');
});

test('a collection that is missing is a retrieve error without an answer', async () => {
  const llm = scriptedLlm(() => []);
  const missing = failing(new KbError('not_found', 'There is no collection «nowhere».', { isRetryable: true }));
  const { result, failures } = await turn({ llm, parts: { retrieve: missing }, history: talk(2) });
  expect(result.errors).toEqual([
    { source: query, source_kind: 'query', stage: 'retrieve', error: 'There is no collection «nowhere».', isRetryable: true, attempts: 1 },
  ]);
  expect(failures).toEqual(result.errors);
  expect(result.retrieval).toEqual({ query, search_query: query, retrieved: 0, outputs: [], failed: 1, errors: result.errors });
  expect(result).toMatchObject({
    answer: '',
    sources: [],
    llm: {},
    history: talk(2),
    retrieval_quality: { status: 'not_evaluated' },
    answer_confidence: { reason: 'errors' },
  });
  expect(llm.requests).toEqual([]);
});

test('a search that failed in part is told of, and what it found is answered from', async () => {
  const error: ErrorItem = {
    source: query,
    source_kind: 'query',
    stage: 'rerank',
    error: 'The reranker is away.',
    isRetryable: true,
    attempts: 3,
  };
  const { result, failures } = await turn({
    parts: {
      // oxlint-disable-next-line require-yield
      async *retrieve(search_query) {
        return { query, search_query, retrieved: 3, items, failed: 1, errors: [error] };
      },
    },
  });
  expect(result).toMatchObject({ answer: 'Every 90 days [1].', errors: [error], retrieval: { failed: 1, errors: [error] } });
  expect(failures).toEqual([error]);
});

test('what the caller has to mend, and a stop, end the work', async () => {
  for (const code of ['setup', 'configuration', 'aborted'] as const) {
    await expect(turn({ parts: { retrieve: failing(new KbError(code, 'No.')) } })).rejects.toThrow('No.');
    await expect(turn({ parts: { llm: () => Promise.reject(new KbError(code, 'No.')) } })).rejects.toThrow('No.');
  }
});

test('in mode return_no_answer weak retrieval gives nothing but a quality error', async () => {
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

test('what quotes is given passages that score less than is asked for otherwise, unless the settings say how much', async () => {
  const best = Math.max(...items.map(({ score }) => score));
  const parts = { min_retrieval_score: best + 0.1, least_given_score: best - 0.01 };
  const { result } = await turn({ parts });
  expect(result.retrieval_quality).toMatchObject({ status: 'passed', min_retrieval_score: best - 0.01, passed_chunks: 1 });
  const set = await turn({ parts, quality: { min_retrieval_score: 0.99 } });
  expect(set.result.retrieval_quality).toMatchObject({ status: 'low_confidence', min_retrieval_score: 0.99 });
});

test.each([
  ['ask_clarifying_question', /\?/],
  ['refuse_grounded_answer', /cannot answer/],
] as const)('in mode %s weak retrieval is answered without the model and without sources', async (low_confidence_mode, words) => {
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

test('an answer that begins with what the sources do not say is one, with low confidence', async () => {
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

test('an answer that says behind a part of it that no source tells it, or is not sure of it, is one with low confidence', async () => {
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
    llm: { provider: 'scripted', model: 'test-model', input_tokens: 11, output_tokens: 7 },
  });
  expect(unsure.result.llm).not.toHaveProperty('unsure');
  expect((await turn({ llm: quoting(false) })).result.answer_confidence.level).toBe('high');
});

test('an answer that quotes tells how probable it is, its best sentence, and its sources in the order of its numbers', async () => {
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

test('a model reads what stands beside a chunk, but nothing twice; a quoted line is cited where it stands', async () => {
  const beside = { id: 'x', text: 'It rests at night.', location: { page: 3 }, joined: '\n\nIt rests at night.' };
  const given = { ...beside, id: 'b', joined: '\n\nGiven already.' };
  const neighbours = async () => new Map([['a', { after: beside }], ['b', { after: given }]]); // prettier-ignore
  const llm = scriptedLlm(() => ['Every 90 days [1].']);
  await turn({ llm, parts: { neighbours } });
  expect(said(llm.requests[0]!)).toContain('Passage a about the pump.\n\nIt rests at night.');
  expect(said(llm.requests[0]!)).not.toContain('Given already.');
  const quoting = scriptedLlm(() => ['It rests at night. [1]'], {
    extractive: true,
    outcome: { quoted: [{ citation: 1, lines: [2, 2] }] },
  });
  const { result } = await turn({ llm: quoting, parts: { neighbours } });
  expect(result.sources.map(({ location }) => location.page)).toEqual([3, 2]);
});

test('where the gate is switched off, only what the answer says itself makes it less sure', async () => {
  const { result } = await turn({ quality: { enabled: false } });
  expect(result).toMatchObject({
    answer: 'Every 90 days [1].',
    retrieval_quality: { status: 'not_evaluated' },
    answer_confidence: { level: 'high', reason: 'retrieval_quality_pass' },
  });
  const partial = await turn({ quality: { enabled: false }, llm: scriptedLlm(() => ['Every 90 days [1]. The price is not told [0].']) });
  expect(partial.result.answer_confidence).toEqual({ level: 'low', reason: 'answer_uncertain' });
});

test('in mode answer_with_caution the best rejected chunks are answered from, with low confidence and a cautious prompt', async () => {
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

test('where nothing was found the model is not asked', async () => {
  const llm = scriptedLlm(() => []);
  const nothing: ChatParts['retrieve'] =
    // oxlint-disable-next-line require-yield
    async function* (search_query) {
      return { query, search_query, retrieved: 0, items: [], failed: 0, errors: [] };
    };
  const { result } = await turn({ llm, parts: { retrieve: nothing } });
  expect(result).toMatchObject({
    answer: 'The sources do not answer this.',
    sources: [],
    answer_confidence: { level: 'none', reason: 'retrieval_quality_low_confidence' },
  });
  expect(llm.requests).toEqual([]);
});

test('a model that declines gets the outcome of the mode, whatever the gate said', async () => {
  const llm = () => scriptedLlm(() => ['[', '0] The sources', ' do not say.']);
  const shown = await turn({ llm: llm() });
  expect(shown.result).toMatchObject({
    answer: 'The sources do not say.',
    retrieval_quality: { status: 'low_confidence', passed_chunks: 2 },
    answer_confidence: { level: 'none', reason: 'retrieval_quality_low_confidence' },
  });
  expect(shown.result.sources.map(({ cited }) => cited)).toEqual([false, false]);
  const silent = await turn({ llm: llm(), quality: { low_confidence_mode: 'return_no_answer' } });
  expect(silent.result).toMatchObject({
    answer: '',
    sources: [],
    retrieval_quality: { status: 'low_confidence' },
    answer_confidence: { level: 'none' },
    errors: [{ stage: 'quality' }],
    llm: { provider: 'scripted' },
  });
  expect(silent.tokens).toEqual([]);
  const behind = scriptedLlm(() => ['The price is not', ' given. [0]']);
  const late = await turn({ llm: behind, quality: { low_confidence_mode: 'return_no_answer' } });
  expect([late.result.answer, late.tokens, late.result.retrieval_quality.status]).toEqual(['', [], 'low_confidence']);
  const asked = await turn({ llm: llm(), quality: { low_confidence_mode: 'ask_clarifying_question' } });
  expect(asked.result.answer).toMatch(/\?$/);
  expect(asked.tokens.map(({ data }) => data.text)).toEqual([asked.result.answer]);
});

test('a citation of nothing is taken out before it is sent, and reported', async () => {
  const { result, tokens, failures } = await turn({ llm: scriptedLlm(() => ['So it is [1', '], says the law [', '9].']) });
  expect(result.answer).toBe('So it is [1], says the law.');
  expect(tokens.map(({ data }) => data.text).join('')).toBe(result.answer);
  expect(result.sources.map(({ cited }) => cited)).toEqual([true, false]);
  expect(failures).toEqual([expect.objectContaining({ stage: 'generate', source_kind: 'chat', error: expect.stringContaining('[9]') })]);
  expect(result).toMatchObject({ errors: failures, answer_confidence: { level: 'high' } });
});

test('an answer that cites none of its sources is an answer, and says so; where citations are verified, with low confidence', async () => {
  const { result, failures } = await turn({ llm: scriptedLlm(() => ['Every 90 days.']) });
  expect(result.answer).toBe('Every 90 days.');
  expect(result.answer_confidence).toEqual({ level: 'high', reason: 'retrieval_quality_pass' });
  expect(result.errors).toEqual([
    expect.objectContaining({ stage: 'generate', error: expect.stringMatching(/cites none of its 2 sources/) }),
  ]);
  expect(failures).toEqual(result.errors);
  const verified = await turn({ llm: scriptedLlm(() => ['Every 90 days.']), settings: { verify_citations: true } });
  expect(verified.result).toMatchObject({
    answer_confidence: { level: 'low', reason: 'citations_unsupported' },
    retrieval_quality: { status: 'passed' },
    unsupported: [],
    errors: [{ error: expect.stringMatching(/cites none/) }],
  });
  const quoting = await turn({ llm: scriptedLlm(() => ['Every 90 days.'], { extractive: true }), settings: { verify_citations: true } });
  expect(quoting.result).toMatchObject({ errors: [], answer_confidence: { level: 'high' } });
});

test('an answer that was cut off says by what', async () => {
  const cut = (cut_off: 'max_tokens' | 'window' | undefined) => scriptedLlm(() => ['Every 90 days [1], and'], { outcome: { cut_off } });
  const { result } = await turn({ llm: cut('max_tokens'), settings: { llm: { ...DEFAULTS.chat.llm, max_tokens: 77 } } });
  expect(result.answer).toBe('Every 90 days [1], and');
  expect(result.answer_confidence.level).toBe('high');
  expect(result.errors.map(({ error }) => error)).toEqual([expect.stringMatching(/cut off at max_tokens = 77/)]);
  expect(result.llm).toEqual({ provider: 'scripted', model: 'test-model', input_tokens: 11, output_tokens: 7 });
  expect((await turn({ llm: cut('window') })).result.errors.map(({ error }) => error)).toEqual([expect.stringMatching(/window was full/)]);
  expect((await turn({ llm: cut(undefined) })).result.errors).toEqual([]);
});

test('where one that quotes says which lines, a source has the place of these', async () => {
  const text = '## Filter\n\nRinse it.\n\n## Pump\n\nOil it.';
  const merged = { ...items[0]!, text, metadata: { source: 'a.md', location: { headings: ['Filter'], line_start: 1, line_end: 7 } } };
  const parts: Scene['parts'] = {
    async *retrieve(search_query) {
      yield progress('retrieval', {}, 'Searching.');
      return { query, search_query, retrieved: 1, items: [merged], failed: 0, errors: [] };
    },
  };
  const quoting = scriptedLlm(() => ['Oil it. [1]'], { extractive: true, outcome: { quoted: [{ citation: 1, lines: [6, 6] }] } });
  const [source] = (await turn({ llm: quoting, parts })).result.sources;
  expect(source!.location).toEqual({ headings: ['Pump'], line_start: 7, line_end: 7 });
  expect(source!.metadata.location).toEqual(merged.metadata.location);
  const [whole] = (await turn({ parts })).result.sources;
  expect(whole!.location).toEqual({ line_start: 1, line_end: 7 });
});

test('a model that dies in its answer leaves an error, no answer, and the history as it was', async () => {
  const llm = scriptedLlm(() => [
    'Kestrel ',
    new KbError('unavailable', 'The connection to scripted broke.', { isRetryable: true, attempts: 2 }),
  ]);
  const { result, failures } = await turn({ llm, history: talk(2) });
  expect(failures).toEqual([expect.objectContaining({ stage: 'generate', isRetryable: true, attempts: 2 })]);
  expect(result).toMatchObject({
    answer: '',
    llm: {},
    errors: failures,
    history: talk(2),
    answer_confidence: { level: 'none', reason: 'errors' },
  });
});

test('a model that says nothing has failed', async () => {
  const { result } = await turn({ llm: scriptedLlm(() => [' ', '[9]']) });
  expect(result).toMatchObject({ answer: '', errors: [{ stage: 'generate', isRetryable: true }], answer_confidence: { reason: 'errors' } });
});

test('a reader that leaves stops the model', async () => {
  const llm = scriptedLlm(() => ['one ', 'two ', 'three ']);
  const run = runTurn(
    { query, history: [], settings: DEFAULTS.chat },
    {
      // oxlint-disable-next-line require-yield
      async *retrieve(search_query) {
        return { query, search_query, retrieved: 3, items, failed: 0, errors: [] };
      },
      llm: async () => llm,
      min_retrieval_score: 0.5,
    },
  );
  for await (const event of run) if (event.type === 'token') break;
  expect(llm.stopped).toBe(1);
});

const rewriting = { query_rewrite: { enabled: true } };
const forRewrite = (text: string | Error) => scriptedLlm((request) => (request.grounding.sources.length > 0 ? ['So it is [1].'] : [text]));

test('a follow-up is searched for in the words of the rewrite, and answered in the words of the user', async () => {
  const llm = forRewrite('filter of the pump');
  const { result, searched, stages } = await turn({ query: 'And the filter?', history: talk(2), settings: rewriting, llm });
  expect(searched).toEqual(['filter of the pump']);
  expect(result.retrieval).toMatchObject({ query: 'And the filter?', search_query: 'filter of the pump' });
  expect(stages).toContain('rewrite');
  expect(said(llm.requests[1]!)).toMatch(/Question: And the filter\?$/);
  expect(result.history.at(-2)!.content).toBe('And the filter?');
});

test('a rewrite that fails falls back to the question, with an error and an answer', async () => {
  for (const broken of ['', '""', 'terms '.repeat(500), new KbError('invalid', 'No.')]) {
    const { result, searched, failures } = await turn({
      query: 'And the filter?',
      history: talk(2),
      settings: rewriting,
      llm: forRewrite(broken),
    });
    expect(searched).toEqual(['And the filter?']);
    expect(result).toMatchObject({ answer: 'So it is [1].', errors: [{ stage: 'rewrite' }], answer_confidence: { level: 'high' } });
    expect(failures).toEqual(result.errors);
  }
});

test('the first question is rewritten, too, where the client tells what the conversation is about', async () => {
  const settings = { query_rewrite: { enabled: true, session_context: 'The pump.' } };
  const { searched, stages } = await turn({ query: 'And the filter?', settings, llm: forRewrite('filter of the pump') });
  expect(searched).toEqual(['filter of the pump']);
  expect(stages).toContain('rewrite');
  const disabled = { query_rewrite: { ...settings.query_rewrite, enabled: false } };
  expect((await turn({ query: 'And it?', settings: disabled, llm: forRewrite('x') })).searched).toEqual(['And it?']);
});

test('a question is not rewritten unless the settings say so and something was said before', async () => {
  expect((await turn({ query: 'And it?', history: talk(2), llm: forRewrite('x') })).searched).toEqual(['And it?']);
  expect((await turn({ query: 'And it?', settings: rewriting, llm: forRewrite('x') })).searched).toEqual(['And it?']);
});

const compaction = { history_compaction: { enabled: true, history_limit: 6, keep_recent: 2 } };

test('a long history is summarized: the prompt and the result carry the summary and the newest messages', async () => {
  const llm = scriptedLlm((request) => (request.grounding.sources.length > 0 ? ['So it is [1].'] : ['SUMMARY of remarks']));
  const { result } = await turn({ history: talk(10), settings: compaction, llm });
  expect(result.compacted).toBe(true);
  expect(result.history).toHaveLength(5);
  expect(result.history[0]!.content).toMatch(/SUMMARY of remarks/);
  expect(result.history.slice(1)).toEqual([
    ...talk(10).slice(8),
    { role: 'user', content: query },
    { role: 'assistant', content: 'So it is [1].' },
  ]);
  expect(said(llm.requests[1]!)).toMatch(/SUMMARY of remarks\n\nRemark 9/);
  expect(said(llm.requests[1]!)).not.toMatch(/Remark 8/);
});

test('a turn without an answer leaves the history as it was given, also after a summary', async () => {
  const llm = scriptedLlm(() => ['SUMMARY of remarks']);
  const quality = { min_retrieval_score: 0.99, low_confidence_mode: 'return_no_answer' } as const;
  const { result } = await turn({ history: talk(10), settings: compaction, llm, quality });
  expect(llm.requests).toHaveLength(1);
  expect(result).toMatchObject({ answer: '', compacted: false, history: talk(10) });
});

test('small talk at the end of a long history has that summarized, too: no more comes back than the limit', async () => {
  const llm = scriptedLlm(() => ['SUMMARY of remarks']);
  const { result, searched } = await turn({ query: 'Thanks!', history: talk(10), settings: compaction, llm });
  expect(result).toMatchObject({ intent: 'thanks', compacted: true, errors: [] });
  expect(result.history).toHaveLength(5);
  expect(result.history[0]!.content).toMatch(/SUMMARY of remarks/);
  expect(searched).toEqual([]);
});

test('a summary that fails loses nothing', async () => {
  const llm = scriptedLlm((request) => (request.grounding.sources.length > 0 ? ['So it is [1].'] : [new KbError('invalid', 'No.')]));
  const { result } = await turn({ history: talk(10), settings: compaction, llm });
  expect(result).toMatchObject({ compacted: false, answer: 'So it is [1].', errors: [{ stage: 'compact', source_kind: 'chat' }] });
  expect(result.history).toHaveLength(12);
});

const windowed = (context_window: number, max_tokens = 200): Partial<ChatSettings> => ({
  llm: { provider: 'openai_compatible', max_tokens, timeout: 9, context_window },
});
const answering = (aside = 'SUMMARY of remarks') =>
  scriptedLlm((request) => (request.grounding.sources.length > 0 ? ['So it is [1].'] : [aside]));

test('a history that fills half of what the window leaves is summarized, though it has few messages', async () => {
  const long = talk(8).map((entry) => ({ ...entry, content: `${entry.content} ${'milk '.repeat(120)}` }));
  const llm = answering();
  const { result } = await turn({ history: long, llm, settings: windowed(3000) });
  expect(result).toMatchObject({ compacted: true, errors: [], answer: 'So it is [1].' });
  expect(result.history[0]!.content).toMatch(/SUMMARY/);
  expect(result.history.slice(1, 6)).toEqual(long.slice(3));
  expect(llm.requests[1]!.max_tokens).toBe(200);
  expect((await turn({ history: long, llm: answering(), settings: windowed(30_000) })).result.compacted).toBe(false);
});

test('what the window does not hold is left out of the prompt and of the sources, and reported; the history stays', async () => {
  const long = talk(6).map((entry) => ({ ...entry, content: `${entry.content} ${'milk '.repeat(200)}` }));
  const llm = answering();
  const settings = { ...windowed(1500), history_compaction: { enabled: false, history_limit: 15, keep_recent: 1 } };
  const { result, failures } = await turn({ history: long, llm, settings });
  const prompt = said(llm.requests[0]!);
  expect(llm.requests).toHaveLength(1);
  expect(tokensOfMessages(llm.requests[0]!.messages)).toBeLessThanOrEqual(1300);
  expect(prompt).toMatch(/Remark 6\./);
  expect(prompt).not.toMatch(/Remark 1\./);
  expect(result.history).toEqual([...long, { role: 'user', content: query }, { role: 'assistant', content: 'So it is [1].' }]);
  expect(result.errors).toEqual([
    expect.objectContaining({ stage: 'generate', isRetryable: false, error: expect.stringMatching(/oldest of 6 messages/) }),
  ]);
  expect(failures).toEqual(result.errors);
});

test('sources that do not fit are none of the result, and the best stay', async () => {
  const large = items.map((found) => ({ ...found, text: `${found.text} ${'filter '.repeat(400)}` }));
  const llm = answering();
  const found: ChatParts['retrieve'] =
    // oxlint-disable-next-line require-yield
    async function* (search_query) {
      return { query, search_query, retrieved: 3, items: large, failed: 0, errors: [] };
    };
  const { result } = await turn({ llm, parts: { retrieve: found }, settings: windowed(2000) });
  expect(result.sources.map(({ id }) => id)).toEqual(['a']);
  expect(result.errors.map(({ error }) => error)).toEqual([expect.stringMatching(/the 1 weakest of 2 sources/)]);
});

const tooLarge = () => new KbError('too_large', "scripted answered 400: This model's maximum context length is 8192 tokens.");

test('a prompt that is too long for the model is asked with half of everything, once', async () => {
  const llm = scriptedLlm(() => (llm.requests.length === 1 ? [tooLarge()] : ['So it is [1].']));
  const { result, failures } = await turn({ llm, history: talk(4) });
  expect(result).toMatchObject({ answer: 'So it is [1].', answer_confidence: { level: 'high' } });
  expect(result.sources.map(({ id }) => id)).toEqual(['a']);
  expect(said(llm.requests[1]!)).not.toMatch(/Remark 2|Passage b/);
  expect(said(llm.requests[1]!)).toMatch(/Remark 3\.[^]*Remark 4\.[^]*Passage a/);
  expect(result.history).toHaveLength(6);
  expect(failures).toEqual([
    expect.objectContaining({
      stage: 'generate',
      error: expect.stringMatching(/too long.*2 oldest of 4 messages.*1 weakest of 2 sources/),
    }),
  ]);
});

test('a prompt that turns out to be too long in the middle of the answer is not asked again', async () => {
  const llm = scriptedLlm(() => [`Try ${llm.requests.length}: so it is. `, 'And ', ...(llm.requests.length === 1 ? [tooLarge()] : [])]);
  const { result, tokens } = await turn({ llm, history: talk(4) });
  expect(tokens.map(({ data }) => data.text).join('')).toBe('Try 1: so it is. ');
  expect(llm.requests).toHaveLength(1);
  expect(result).toMatchObject({ answer: '', history: talk(4), answer_confidence: { level: 'none', reason: 'errors' } });
  expect(result.errors).toEqual([expect.objectContaining({ stage: 'generate', error: expect.stringMatching(/maximum context length/) })]);
});

test('a prompt that turns out to be too long before anything was shown is asked again', async () => {
  const llm = scriptedLlm(() => (llm.requests.length === 1 ? ['I could not ', tooLarge()] : ['So it is [1].']));
  const { result, tokens } = await turn({ llm, quality: { low_confidence_mode: 'return_no_answer' } });
  expect(tokens.map(({ data }) => data.text).join('')).toBe('So it is [1].');
  expect(result.answer).toBe('So it is [1].');
});

test('where half of it is too long as well, that is the end of it', async () => {
  const llm = scriptedLlm(() => [tooLarge()]);
  const { result } = await turn({ llm, history: talk(4) });
  expect(llm.requests).toHaveLength(2);
  expect(result).toMatchObject({ answer: '', history: talk(4), answer_confidence: { level: 'none', reason: 'errors' } });
  expect(result.errors).toEqual([
    expect.objectContaining({
      stage: 'generate',
      attempts: 2,
      isRetryable: false,
      error: expect.stringMatching(/too long.*maximum context length/),
    }),
  ]);
});

test('what fails the second time for another reason is reported as that', async () => {
  const llm = scriptedLlm(() => [llm.requests.length === 1 ? tooLarge() : new KbError('unavailable', 'Away.', { isRetryable: true })]);
  const { result } = await turn({ llm });
  expect(result.errors).toEqual([expect.objectContaining({ error: 'Away.', isRetryable: true })]);
});

test('a model that declines in its own words gets the outcome of the mode, too', async () => {
  const llm = () => scriptedLlm(() => ['I could not find ', 'this in ', 'the sources.']);
  const shown = await turn({ llm: llm() });
  expect(shown.result).toMatchObject({
    answer: 'I could not find this in the sources.',
    retrieval_quality: { status: 'low_confidence' },
    answer_confidence: { level: 'none', reason: 'retrieval_quality_low_confidence' },
  });
  const silent = await turn({ llm: llm(), quality: { low_confidence_mode: 'return_no_answer' } });
  expect(silent.result).toMatchObject({ answer: '', sources: [], errors: [{ stage: 'quality' }], history: [] });
  expect(silent.tokens).toEqual([]);
  const refused = await turn({ llm: llm(), quality: { low_confidence_mode: 'refuse_grounded_answer' } });
  expect(refused.result.answer).toMatch(/^I cannot answer this/);
  expect(refused.tokens).toHaveLength(1);
});

test('a link of the model that no source holds is reduced and reported', async () => {
  const { result, tokens } = await turn({ llm: scriptedLlm(() => ['See [this](https://evil', '.example/?q=1) and [a](a.md) [1].']) });
  expect(result.answer).toBe('See this and [a](a.md) [1].');
  expect(tokens.map(({ data }) => data.text).join('')).toBe(result.answer);
  expect(result.errors).toEqual([
    expect.objectContaining({ stage: 'generate', source_kind: 'chat', error: expect.stringContaining('may not be shown') }),
  ]);
});

test('an address that was given in an earlier turn, or by the user, may be given again', async () => {
  const history: HistoryEntry[] = [
    { role: 'user', content: 'Where is the shop?' },
    { role: 'assistant', content: 'At https://shop.example/pumps [1].' },
  ];
  const llm = scriptedLlm(() => ['https://shop.example/pumps, not https://other.example or https://shop.example/pumps?q=1 [1].']);
  const { result } = await turn({ history, query: 'Which page, not https://other.example?', llm });
  expect(result.answer).toBe('https://shop.example/pumps, not https://other.example or … [1].');
});

test('citations are verified where the settings say so', async () => {
  const llm = () => scriptedLlm(() => ['Passage a is about the pump [1]. ', 'Elephants eat 77 bananas [2].']);
  const plain = await turn({ llm: llm() });
  expect(plain.result).not.toHaveProperty('unsupported');
  const { result, failures } = await turn({ llm: llm(), settings: { verify_citations: true } });
  expect(result).toMatchObject({
    unsupported: [{ sentence: 'Elephants eat 77 bananas [2].', citations: [2] }],
    answer_confidence: { level: 'low', reason: 'citations_unsupported' },
  });
  expect(failures).toEqual([expect.objectContaining({ stage: 'generate', error: expect.stringContaining('Elephants') })]);
  const quoting = scriptedLlm(() => ['Elephants eat 77 bananas [2].'], { extractive: true });
  expect((await turn({ llm: quoting, settings: { verify_citations: true } })).result).toMatchObject({
    unsupported: [],
    errors: [],
    answer_confidence: { level: 'high' },
  });
});

test('explained, a turn tells what became of each passage, what the model was asked, and how long it took', async () => {
  const llm = forRewrite('filter of the pump');
  const { result } = await turn({ query: 'And the filter?', history: talk(2), settings: rewriting, llm, explain: true });
  expect(result.explain).toMatchObject({
    thresholds: { min_retrieval_score: 0.5 },
    passages: [
      { id: 'a', title: 'Title a', source: 'a.md', rank: 1, score: 0.9, citation: 1, cited: true },
      { id: 'b', rank: 2, citation: 2, cited: false },
      { id: 'c', rank: 3, rejected: 'min_retrieval_score', cited: false },
    ],
    calls: [
      { stage: 'rewrite', provider: 'scripted', input_tokens: 11, output_tokens: 7 },
      { stage: 'generate', provider: 'scripted', input_tokens: 11, output_tokens: 7 },
    ],
  });
  expect(result.explain!.stages.map(({ stage }) => stage)).toEqual(['compact', 'rewrite', 'retrieval', 'quality', 'generation']);
  expect(JSON.stringify(result.explain)).not.toContain('Question:');
});

test('the prompt is told where it is asked for, as it was sent', async () => {
  const llm = scriptedLlm(() => ['So it is [1].']);
  const { result } = await turn({ llm, show_prompt: true });
  expect(result.explain!.calls[0]!.messages).toEqual(llm.requests[0]!.messages);
  expect((await turn()).result).not.toHaveProperty('explain');
});

test('explained, passages that were left out say so, and a turn without an answer is explained as well', async () => {
  const { result } = await turn({ explain: true, quality: { max_context_chunks: 1 } });
  expect(result.explain!.passages.map(({ rejected }) => rejected)).toEqual([undefined, 'room', 'min_retrieval_score']);
  const hello = await turn({ query: 'Hello!', explain: true });
  expect(hello.result.explain).toEqual({ thresholds: {}, passages: [], stages: [], calls: [] });
  const declined = await turn({ explain: true, llm: scriptedLlm(() => ['[0] No.']), quality: { low_confidence_mode: 'return_no_answer' } });
  expect(declined.result.explain!.passages[0]).toMatchObject({ citation: 1, cited: false });
});

test('explained, a turn without an answer says why there is none', async () => {
  const why = async (scene: Scene) => (await turn({ explain: true, ...scene })).result.explain!.declined;
  const refusing = { low_confidence_mode: 'refuse_grounded_answer' } as const;
  expect(await why({ llm: scriptedLlm(() => ['[0] No.']), quality: refusing })).toBe(
    'scripted was given 2 passages, and says that the question is not answered there.',
  );
  expect(await why({ llm: scriptedLlm(() => ['[0] The sources do not say.']) })).toContain('says that the question is not answered there');
  expect(await why({ quality: { ...refusing, min_retrieval_score: 0.95 } })).toBe(
    'None of 3 passages reaches min_retrieval_score, 0.950 (the best has 0.900), and low_confidence_mode is refuse_grounded_answer.',
  );
  const nothing: ChatParts['retrieve'] = async function* (search_query) {
    yield progress('retrieval');
    return { query, search_query, retrieved: 0, items: [], failed: 0, errors: [] };
  };
  expect(await why({ parts: { retrieve: nothing } })).toBe('Nothing was found.');
  expect(await why({})).toBeUndefined();
  expect(await why({ query: 'Hello!' })).toBeUndefined();
});

test('one that only quotes has no prompt to show', async () => {
  const { result } = await turn({ llm: scriptedLlm(() => ['So [1].'], { extractive: true }), show_prompt: true });
  expect(result.explain!.calls).toMatchObject([{ stage: 'generate', messages: [] }]);
});

test('what is wrong with a filter that finds nothing is a note of the turn', async () => {
  const notice = 'The filter lets nothing through.';
  const nothing: ChatParts['retrieve'] = async function* (search_query) {
    yield progress('retrieval');
    return { query, search_query, retrieved: 0, items: [], failed: 0, errors: [], notice };
  };
  const { result, failures } = await turn({ parts: { retrieve: nothing } });
  expect(result).toMatchObject({ answer: 'The sources do not answer this.', retrieval: { failed: 0, errors: [] } });
  expect(result.errors).toEqual([
    { source: query, source_kind: 'query', stage: 'retrieve', error: notice, isRetryable: false, attempts: 1 },
  ]);
  expect(failures).toEqual(result.errors);
});

test('a question that asks for two things is searched for as a whole and for each of them, and explained so', async () => {
  const asked = 'How often is the filter replaced, and what does the pump cost?';
  const { result, searched } = await turn({ query: asked, explain: true });
  expect(searched).toEqual([asked]);
  expect(result.explain?.searched).toEqual([asked, 'How often is the filter replaced?', 'what does the pump cost?']);
  expect(result.retrieval.search_query).toBe(asked);
  expect((await turn({ query: asked, explain: true, parts: { isReranked: true } })).result.explain).not.toHaveProperty('searched');
  expect((await turn({ explain: true })).result.explain).not.toHaveProperty('searched');
});
