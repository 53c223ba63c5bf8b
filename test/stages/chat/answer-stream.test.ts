import { expect, test } from 'vitest';
import { KbError } from '../../../src/core/errors.ts';
import { collect } from '../../../src/core/run.ts';
import type { Message } from '../../../src/ports/models.ts';
import { createAddressCheck } from '../../../src/stages/chat/guard/link-filter.ts';
import { streamAnswer } from '../../../src/stages/chat/answer-stream.ts';
import { scriptedLlm } from './scripted-llm.ts';

const marker = 'abcdefghijkl';
const source = { citation: 1, title: 'Pump', text: 'See https://pump.example/manual for the filter.' };

async function answered(pieces: readonly string[], { show_refusal = true, extractive = false } = {}) {
  const llm = scriptedLlm(() => pieces, { extractive });
  const request = {
    messages: [],
    grounding: { query: 'How often does model No. 5 need it?', sources: [source] },
    max_tokens: 9,
    timeout: 9,
  };
  const { events, result } = await collect(
    streamAnswer(llm, request, { show_refusal, isKnown: createAddressCheck([source.text]), marker }),
  );
  return { tokens: events.map(({ data }) => String(data.text)), ...result };
}

test('shows pieces as they arrive, and the end of a sentence once it is complete', async () => {
  const { tokens, text, declined } = await answered(['Every ', '90 days ', '[1].']);
  expect(tokens).toEqual(['Every 90', ' days [1]', '.']);
  expect([text, declined]).toEqual(['Every 90 days [1].', false]);
});

test('reduces a link that no source has before it is sent, however it is split', async () => {
  const whole = 'See [the page](https://evil.example/?q=secret) and https://pump.example/manual [1], ![x](https://evil.example/p.png).';
  const { tokens, text, links } = await answered([...whole]);
  expect(text).toBe('See the page and https://pump.example/manual [1], x.');
  expect(tokens.join('')).toBe(text);
  expect(links).toBe(2);
});

test('a removed citation does not create a link', async () => {
  const { text, links } = await answered(['[x]', '[9]', '(javascript:alert(1))']);
  expect([text, links]).toEqual(['x', 1]);
});

test('recognises a refusal in other words, and shows it if allowed', async () => {
  const refusal = ['I could not find ', 'anything about that ', 'in the sources.'];
  expect(await answered(refusal)).toMatchObject({ declined: true, text: refusal.join('') });
  expect((await answered(refusal)).tokens.join('')).toBe(refusal.join(''));
  expect(await answered(refusal, { show_refusal: false })).toMatchObject({ declined: true, tokens: [] });
});

test('holds back a possible refusal until it cites a source or is too long', async () => {
  const pieces = ['The sources do not ', 'mention trains, but hotels ', 'are limited [1]', '. Really', '.'];
  const { tokens, declined } = await answered(pieces, { show_refusal: false });
  expect(declined).toBe(false);
  expect(tokens.join('')).toBe('The sources do not mention trains, but hotels are limited [1]. Really.');
  expect(tokens[0]).toMatch(/^The sources do not mention trains, but hotels are limited/);
  const days = Array.from({ length: 30 }, (_, i) => `Every ${i} days. `).join('');
  const long = [days, 'And ', 'so on.'];
  const plain = await answered(long, { show_refusal: false });
  expect([plain.declined, plain.tokens.length > 1, plain.tokens.join('')]).toEqual([false, true, long.join('')]);
});

test('declines after a statement with the no-answer marker, without showing hidden text', async () => {
  for (const pieces of [
    ['It is not ', 'told here. ', '[0]'],
    ['Für den Preis', ' steht nichts da [0].'],
    ['**[0]**', ' Nothing.'],
  ]) {
    expect(await answered(pieces)).toMatchObject({ declined: true, isPartial: false });
    expect(await answered(pieces, { show_refusal: false })).toMatchObject({ declined: true, tokens: [] });
  }
  const both = await answered(['The price is not told [0]. ', 'The filter lasts 90 days [1].'], { show_refusal: false });
  expect(both).toMatchObject({ declined: false, isPartial: true, text: 'The price is not told. The filter lasts 90 days [1].' });
  expect(both.tokens.join('')).toBe(both.text);
});

test('does not treat an answer as a refusal once a part was shown', async () => {
  const pieces = [Array.from({ length: 30 }, (_, i) => `Part ${i} is not told. `).join(''), 'Nowhere. [0]'];
  const hidden = await answered(pieces, { show_refusal: false });
  expect(hidden).toMatchObject({ declined: false, isPartial: true, text: `${pieces[0]}Nowhere.` });
  expect(hidden.tokens.join('')).toBe(hidden.text);
  expect(await answered(pieces)).toMatchObject({ declined: true });
});

test('accepts the decision of an extractive model', async () => {
  const quoted = await answered(['The sources do not contain gold.'], { show_refusal: false, extractive: true });
  expect(quoted).toMatchObject({ declined: false, text: 'The sources do not contain gold.' });
});

test('an extractive model declines in the language of the question', async () => {
  const declined = async (query: string, history: Message[] = [], show_refusal = true) => {
    const llm = scriptedLlm(() => ['[0] The sources ', 'do not.'], { extractive: true });
    const request = { messages: history, grounding: { query: 'x', question: query, sources: [source] }, max_tokens: 9, timeout: 9 };
    const { events, result } = await collect(streamAnswer(llm, request, { show_refusal, isKnown: () => false, marker }));
    return { shown: events.map(({ data }) => String(data.text)).join(''), text: result.text, declined: result.declined, llm };
  };
  const before: Message[] = [
    { role: 'user', content: 'When?' },
    { role: 'assistant', content: 'At ten [1].' },
    { role: 'user', content: 'why?' },
  ];
  const german = 'Die Quellen beantworten das nicht.';
  expect(await declined('Wo ist der Filter?')).toMatchObject({ shown: german, text: german, declined: true });
  expect(await declined('Wo ist der Filter?', [], false)).toMatchObject({ shown: '', declined: true });
  const again = await declined('why?', before);
  expect(again).toMatchObject({ shown: 'The sources say no more about this.', declined: true });
  expect(again.llm.requests[0]!.grounding.previous_answers).toBe('At ten [1].');
  const third = await declined('more', [
    { role: 'user', content: 'Where is it?' },
    { role: 'assistant', content: 'In Turin [1].' },
    ...before,
    { role: 'assistant', content: 'Dogs came in [1].' },
    { role: 'user', content: 'more' },
  ]);
  expect(third.llm.requests[0]!.grounding.previous_answers, 'all that was said since it was asked').toBe('At ten [1].\nDogs came in [1].');
  const other = await declined('When is it opened?', before);
  expect(other).toMatchObject({ shown: 'The sources do not answer this.' });
  expect(other.llm.requests[0]!.grounding.previous_answers).toBeUndefined();
});

test('mentions the discarded partial answer only if a part was shown before the failure', async () => {
  const failure = () => new KbError('unavailable', 'It went away.', { isRetryable: true, attempts: 2 });
  const told = async (pieces: (string | Error)[]) => {
    const llm = scriptedLlm(() => pieces);
    const request = { messages: [], grounding: { query: 'x', sources: [source] }, max_tokens: 9, timeout: 9 };
    return await collect(streamAnswer(llm, request, { show_refusal: true, isKnown: () => true, marker })).catch((error: unknown) => error);
  };
  expect(await told([failure()])).toMatchObject({ message: 'It went away.', hint: undefined });
  expect(await told(['It is so. ', 'And ', failure()])).toMatchObject({
    code: 'unavailable',
    isRetryable: true,
    attempts: 2,
    message: 'The answer broke off: It went away.',
    hint: 'The partial answer was discarded. Ask again, or choose another model.',
  });
  expect(await told(['It is so. ', 'And ', new KbError('aborted', 'Stopped.')])).toMatchObject({ message: 'Stopped.' });
});
