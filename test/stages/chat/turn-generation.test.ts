import { DISCARD } from '../../../src/text/model-output.ts';
import { expect, test } from 'vitest';
import { KbError } from '../../../src/core/errors.ts';
import { progress } from '../../../src/core/run.ts';
import { DEFAULTS } from '../../../src/schema/config.ts';
import type { HistoryEntry } from '../../../src/schema/items.ts';
import { runTurn } from '../../../src/stages/chat/turn.ts';
import { scriptedLlm } from './scripted-llm.ts';
import { type Scene, items, query, talk, turn } from './scene.ts';

test('applies the mode if the model declines, whatever the gate decided', async () => {
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

test('removes and reports a citation of an unknown source before it is sent', async () => {
  const { result, tokens, failures } = await turn({ llm: scriptedLlm(() => ['It is every 90 days [1', '], says the law [', '9].']) });
  expect(result.answer).toBe('It is every 90 days [1], says the law.');
  expect(tokens.map(({ data }) => data.text).join('')).toBe(result.answer);
  expect(result.sources.map(({ cited }) => cited)).toEqual([true, false]);
  expect(failures).toEqual([expect.objectContaining({ stage: 'generate', source_kind: 'chat', error: expect.stringContaining('[9]') })]);
  expect(result).toMatchObject({ errors: failures, answer_confidence: { level: 'high' } });
});

const textOf = (tokens: readonly { data: object }[]) => tokens.map(({ data }) => ('text' in data ? data.text : '')).join('');

test('adds the source that supports a sentence without citation, and lists what no source supports', async () => {
  const llm = () => scriptedLlm(() => ['The filter is replaced ', 'every 90 days. ', 'Elephants eat 77 bananas.']);
  const { result, tokens, failures } = await turn({ llm: llm() });
  expect(result).toMatchObject({
    answer: 'The filter is replaced every 90 days [1]. Elephants eat 77 bananas.',
    unsupported: [{ sentence: 'Elephants eat 77 bananas.', citations: [] }],
    answer_confidence: { level: 'low', reason: 'citations_unsupported' },
    retrieval_quality: { status: 'passed' },
  });
  expect(result.sources.map(({ cited }) => cited)).toEqual([true, false]);
  expect(textOf(tokens)).toBe(result.answer);
  expect(failures).toEqual([]);
  const sure = await turn({ llm: scriptedLlm(() => ['Every 90 days.']) });
  expect(sure.result).toMatchObject({ answer: 'Every 90 days [1].', unsupported: [], answer_confidence: { level: 'high' } });
});

test('keeps the citation of a source that does not support the sentence, and lists the sentence', async () => {
  const { result } = await turn({ llm: scriptedLlm(() => ['Passage a is about the pump [1]. ', 'Elephants eat 77 bananas [2].']) });
  expect(result).toMatchObject({
    answer: 'Passage a is about the pump [1]. Elephants eat 77 bananas [2].',
    unsupported: [{ sentence: 'Elephants eat 77 bananas [2].', citations: [2] }],
    answer_confidence: { level: 'low', reason: 'citations_unsupported' },
  });
  const quoting = scriptedLlm(() => ['Elephants eat 77 bananas [2].'], { extractive: true });
  const quoted = await turn({ llm: quoting });
  expect(quoted.result).toMatchObject({ errors: [], answer_confidence: { level: 'high' } });
  expect(quoted.result).not.toHaveProperty('unsupported');
});

test('is not sure of an answer that sources support, but that is not what would be quoted', async () => {
  const text = '## Filter\n\nThe filter is replaced every 90 days.\n\n## Pump\n\nThe pump hums at night in winter.';
  const search: Scene['search'] = {
    async *retrieve(search_query) {
      yield progress('retrieval', {}, 'Searching.');
      return { query, search_query, retrieved: 1, items: [{ ...items[0]!, text }], failed: 0, errors: [] };
    },
  };
  const { result } = await turn({ llm: scriptedLlm(() => ['The pump hums at night [1].']), search });
  expect(result).toMatchObject({ unsupported: [], answer_confidence: { level: 'low', reason: 'answer_uncertain' } });
});

test.each([
  ['marks', ['[1]']],
  ['emphasis', ['**[1]**', '.']],
  ['an ellipsis', ['…']],
  ['white space and a source that is not there', [' ', '[9]']],
  ['nothing', []],
  ['the question', [`${query}\n`]],
])('asks again for an answer that consists of %s, then quotes with a note', async (_, pieces) => {
  const llm = scriptedLlm(() => pieces);
  const { result, tokens } = await turn({ llm });
  expect(llm.requests.map(({ messages }) => messages.at(-1)!.content.endsWith('Answer in full sentences.'))).toEqual([false, true]);
  expect(result.answer).toContain('Replace the filter every 90 days.');
  expect(result).toMatchObject({
    answer_confidence: { level: 'low', reason: 'answer_uncertain' },
    errors: [{ stage: 'generate', error: expect.stringMatching(/gave no answer, asked twice/) }],
    llm: { provider: 'scripted' },
  });
  expect(textOf(tokens)).toBe(result.answer);
});

test('takes the second answer of a model whose first one is empty', async () => {
  const llm = scriptedLlm(() => (llm.requests.length === 1 ? ['[1]'] : ['Every 90 days.']));
  const { result } = await turn({ llm });
  expect(result).toMatchObject({ answer: 'Every 90 days [1].', errors: [], answer_confidence: { level: 'high' } });
});

test('stops a model that says one sentence over and over, with a note', async () => {
  const llm = scriptedLlm(() => Array(90).fill('It is every 90 days [1]. '));
  const { result, tokens } = await turn({ llm });
  expect(result).toMatchObject({
    answer: 'It is every 90 days [1]. It is every 90 days [1].',
    answer_confidence: { level: 'low', reason: 'citations_unsupported' },
    errors: [{ stage: 'generate', error: expect.stringMatching(/over and over/) }],
  });
  expect(textOf(tokens)).toBe(result.answer);
  expect(llm.stopped).toBe(1);
});

test('leaves out what a model shows before it turns out to be reasoning', async () => {
  const llm = scriptedLlm(() => ['The user asks for days. ', DISCARD as never, 'Every 90 days [1].']);
  const { result, events } = await turn({ llm });
  expect(result).toMatchObject({ answer: 'Every 90 days [1].', answer_confidence: { level: 'high' } });
  const tokens = events.filter(({ type }) => type === 'token').map(({ data }) => data);
  const start = tokens.findLastIndex(({ reset }) => reset === true);
  expect(
    tokens
      .slice(start)
      .map(({ text }) => text)
      .join(''),
  ).toBe('Every 90 days [1].');
});

test('says why an answer was cut off', async () => {
  const cut = (cut_off: 'max_tokens' | 'window' | undefined) => scriptedLlm(() => ['Every 90 days [1], and'], { outcome: { cut_off } });
  const { result } = await turn({ llm: cut('max_tokens'), settings: { llm: { ...DEFAULTS.chat.llm, max_tokens: 77 } } });
  expect(result.answer).toBe('Every 90 days [1], and');
  expect(result.answer_confidence.level).toBe('high');
  expect(result.errors.map(({ error }) => error)).toEqual([expect.stringMatching(/cut off at max_tokens = 77/)]);
  expect(result.llm).toEqual({ provider: 'scripted', model: 'test-model', input_tokens: 1100, output_tokens: 7, cut_off: 'max_tokens' });
  expect((await turn({ llm: cut('window') })).result.errors.map(({ error }) => error)).toEqual([expect.stringMatching(/window was full/)]);
  expect((await turn({ llm: cut(undefined) })).result.errors).toEqual([]);
});

test('a source has the location of the lines that an extractive model quotes', async () => {
  const text = '## Filter\n\nRinse it.\n\n## Pump\n\nOil it.';
  const merged = { ...items[0]!, text, metadata: { source: 'a.md', location: { headings: ['Filter'], line_start: 1, line_end: 7 } } };
  const search: Scene['search'] = {
    async *retrieve(search_query) {
      yield progress('retrieval', {}, 'Searching.');
      return { query, search_query, retrieved: 1, items: [merged], failed: 0, errors: [] };
    },
  };
  const quoting = scriptedLlm(() => ['Oil it. [1]'], { extractive: true, outcome: { quoted: [{ citation: 1, lines: [6, 6] }] } });
  const [source] = (await turn({ llm: quoting, search })).result.sources;
  expect(source!.location).toEqual({ headings: ['Pump'], line_start: 7, line_end: 7 });
  expect(source!.metadata.location).toEqual(merged.metadata.location);
  const [whole] = (await turn({ search })).result.sources;
  expect(whole!.location).toEqual({ line_start: 1, line_end: 7 });
});

test('reports an error without answer and with unchanged history if the model fails amid its answer', async () => {
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

test('stops the model when the reader stops', async () => {
  const llm = scriptedLlm(() => ['one ', 'two ', 'three ']);
  const run = runTurn(
    { query, history: [], settings: DEFAULTS.chat },
    {
      search: async () => ({
        // oxlint-disable-next-line require-yield
        async *retrieve(search_query) {
          return { query, search_query, retrieved: 3, items, failed: 0, errors: [] };
        },
        min_retrieval_score: 0.5,
      }),
      llm: async () => llm,
      listSources: async () => ({ sources: [], total: 0 }),
    },
  );
  for await (const event of run) if (event.type === 'token') break;
  expect(llm.stopped).toBe(1);
});

test('applies the mode if the model declines in its own words', async () => {
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

test('reduces and reports a link that no source has', async () => {
  const { result, tokens } = await turn({ llm: scriptedLlm(() => ['See [this](https://evil', '.example/?q=1) and [a](a.md) [1].']) });
  expect(result.answer).toBe('See this and [a](a.md) [1].');
  expect(tokens.map(({ data }) => data.text).join('')).toBe(result.answer);
  expect(result.errors).toEqual([
    expect.objectContaining({ stage: 'generate', source_kind: 'chat', error: expect.stringContaining('may not be shown') }),
  ]);
});

test('allows an address of an earlier turn or of the user', async () => {
  const history: HistoryEntry[] = [
    { role: 'user', content: 'Where is the shop?' },
    { role: 'assistant', content: 'At https://shop.example/pumps [1].' },
  ];
  const llm = scriptedLlm(() => ['https://shop.example/pumps, not https://other.example or https://shop.example/pumps?q=1 [1].']);
  const { result } = await turn({ history, query: 'Which page, not https://other.example?', llm });
  expect(result.answer).toBe('https://shop.example/pumps, not https://other.example or … [1].');
});
