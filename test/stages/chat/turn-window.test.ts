import { expect, test } from 'vitest';
import { KbError } from '../../../src/core/errors.ts';
import { tokensOfMessages } from '../../../src/stages/chat/budget.ts';
import type { ChatSearch } from '../../../src/stages/chat/turn-record.ts';
import { said, scriptedLlm } from './scripted-llm.ts';
import { type ChatSettings, items, query, talk, turn } from './scene.ts';

const windowed = (context_window: number, max_tokens = 200): Partial<ChatSettings> => ({
  llm: { provider: 'openai_compatible', max_tokens, temperature: 0, timeout: 9, context_window },
});

const answering = (aside = 'SUMMARY of remarks') =>
  scriptedLlm((request) => (request.grounding.sources.length > 0 ? ['So it is [1].'] : [aside]));

test('summarizes a history that fills half of the remaining window, even if it has few messages', async () => {
  const long = talk(8).map((entry) => ({ ...entry, content: `${entry.content} ${'milk '.repeat(120)}` }));
  const llm = answering();
  const { result } = await turn({ history: long, llm, settings: windowed(3000) });
  expect(result).toMatchObject({ compacted: true, errors: [], answer: 'So it is [1].' });
  expect(result.history[0]!.content).toMatch(/SUMMARY/);
  expect(result.history.slice(1, 6)).toEqual(long.slice(3));
  expect(llm.requests[1]!.max_tokens).toBe(200);
  expect((await turn({ history: long, llm: answering(), settings: windowed(30_000) })).result.compacted).toBe(false);
});

test('omits from the prompt and the sources what exceeds the window, reports it, and keeps the history', async () => {
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

test('returns only the best sources that fit', async () => {
  const large = items.map((found) => ({ ...found, text: `${found.text} ${'filter '.repeat(400)}` }));
  const llm = answering();
  const found: ChatSearch['retrieve'] =
    // oxlint-disable-next-line require-yield
    async function* (search_query) {
      return { query, search_query, retrieved: 3, items: large, failed: 0, errors: [] };
    };
  const { result } = await turn({ llm, search: { retrieve: found }, settings: windowed(2000) });
  expect(result.sources.map(({ id }) => id)).toEqual(['a']);
  expect(result.errors.map(({ error }) => error)).toEqual([expect.stringMatching(/the 1 weakest of 2 sources/)]);
});

const tooLarge = () => new KbError('too_large', "scripted answered 400: This model's maximum context length is 8192 tokens.");

test('asks once more with half of everything if the prompt is too long for the model', async () => {
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

test('does not ask again if the prompt turns out to be too long amid the answer', async () => {
  const llm = scriptedLlm(() => [`Try ${llm.requests.length}: so it is. `, 'And ', ...(llm.requests.length === 1 ? [tooLarge()] : [])]);
  const { result, tokens } = await turn({ llm, history: talk(4) });
  expect(tokens.map(({ data }) => data.text).join('')).toBe('Try 1: so it is');
  expect(llm.requests).toHaveLength(1);
  expect(result).toMatchObject({ answer: '', history: talk(4), answer_confidence: { level: 'none', reason: 'errors' } });
  expect(result.errors).toEqual([expect.objectContaining({ stage: 'generate', error: expect.stringMatching(/maximum context length/) })]);
});

test('asks again if the prompt turns out to be too long before anything was shown', async () => {
  const llm = scriptedLlm(() => (llm.requests.length === 1 ? ['I could not ', tooLarge()] : ['So it is [1].']));
  const { result, tokens } = await turn({ llm, quality: { low_confidence_mode: 'return_no_answer' } });
  expect(tokens.map(({ data }) => data.text).join('')).toBe('So it is [1].');
  expect(result.answer).toBe('So it is [1].');
});

test('reports an error if half of the prompt is too long as well', async () => {
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

test('reports another error of the second attempt as such', async () => {
  const llm = scriptedLlm(() => [llm.requests.length === 1 ? tooLarge() : new KbError('unavailable', 'Away.', { isRetryable: true })]);
  const { result } = await turn({ llm });
  expect(result.errors).toEqual([expect.objectContaining({ error: 'Away.', isRetryable: true })]);
});
