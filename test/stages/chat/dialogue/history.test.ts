import { expect, test } from 'vitest';
import { KbError } from '../../../../src/core/errors.ts';
import type { HistoryEntry } from '../../../../src/schema/items.ts';
import { tokensOfMessages } from '../../../../src/stages/chat/budget.ts';
import { isSummary, splitLongHistory, summarizeHistory, appendTurn } from '../../../../src/stages/chat/dialogue/history.ts';
import { said, scriptedLlm } from '../scripted-llm.ts';

const talk = (count: number): HistoryEntry[] =>
  Array.from({ length: count }, (_, i) => ({
    role: i % 2 ? 'assistant' : 'user',
    content: `Remark ${i + 1} about the milk. And more of it.`,
  }));
const compaction = { enabled: true, history_limit: 6, keep_recent: 2 };

test('the new turn is added, and what was given is left as it is', () => {
  const given = talk(2);
  expect(appendTurn(given, 'q', 'a')).toEqual([...talk(2), { role: 'user', content: 'q' }, { role: 'assistant', content: 'a' }]);
  expect(given).toEqual(talk(2));
});

test('a history that would be past its limit with the new turn is cut into older and recent messages', () => {
  expect(splitLongHistory(talk(4), compaction)).toBeUndefined();
  expect(splitLongHistory(talk(5), compaction)).toEqual({ older: talk(5).slice(0, 3), recent: talk(5).slice(3) });
  expect(splitLongHistory(talk(7), compaction)).toEqual({ older: talk(7).slice(0, 5), recent: talk(7).slice(5) });
  expect(splitLongHistory(talk(7), { ...compaction, keep_recent: 0 })).toEqual({ older: talk(7), recent: [] });
  expect(splitLongHistory(talk(7), { ...compaction, enabled: false })).toBeUndefined();
});

test.each([3, 4, 5, 9])(
  'with a summary and the new turn no more than a limit of %i comes back, however many are to be kept',
  (history_limit) => {
    for (let given = 0; given < 12; given++) {
      const cut = splitLongHistory(talk(given), { enabled: true, history_limit, keep_recent: 8 });
      const comesBack = (cut ? cut.recent.length + 1 : given) + 2;
      expect([given, cut !== undefined, comesBack <= history_limit]).toEqual([given, given + 2 > history_limit, true]);
    }
  },
);

test('a history with too many tokens is cut, too, where the older messages are worth it', () => {
  const size = tokensOfMessages(talk(6));
  const roomy = { ...compaction, history_limit: 15 };
  expect(splitLongHistory(talk(6), roomy, size)).toBeUndefined();
  expect(splitLongHistory(talk(6), roomy, size - 1)).toEqual({ older: talk(6).slice(0, 4), recent: talk(6).slice(4) });
  const lately = [...talk(2), { role: 'user' as const, content: 'word '.repeat(1000) }, ...talk(1)];
  expect(splitLongHistory(lately, roomy, 1000)).toBeUndefined();
});

test('the older messages are shortened to what the model can hold', async () => {
  const llm = scriptedLlm(() => ['Short.']);
  const long = talk(6).map((entry) => ({ ...entry, content: `${entry.content} ${'milk '.repeat(3000)}` }));
  await summarizeHistory(long, llm, { timeout: 9, window: 2000 });
  expect(tokensOfMessages(llm.requests[0]!.messages)).toBeLessThan(1400);
  expect(said(llm.requests[0]!)).toMatch(/Remark 1 [^]*Remark 6 /);
});

test('a model that thinks first is left enough tokens for it, where its window holds them', async () => {
  const llm = scriptedLlm(() => ['Short.']);
  await summarizeHistory(talk(4), llm, { timeout: 9 });
  await summarizeHistory(talk(4), llm, { timeout: 9, window: 4096 });
  await summarizeHistory(talk(4), llm, { timeout: 9, window: 2000 });
  expect(llm.requests.map(({ max_tokens }) => max_tokens)).toEqual([1000, 1000, 600]);
});

test('where hardly anything is older than what is kept, nothing is summarized', () => {
  const short = tokensOfMessages(talk(7)) / 2;
  expect(splitLongHistory(talk(7), { ...compaction, history_limit: 15, keep_recent: 6 }, short)).toBeUndefined();
  expect(splitLongHistory(talk(7), { ...compaction, history_limit: 60, keep_recent: 50 }, short)).toBeUndefined();
});

test('a model is asked once for a summary, with the older messages as quoted text', async () => {
  const llm = scriptedLlm(() => [' They spoke ', 'of milk. ']);
  const summary = await summarizeHistory(talk(4), llm, { timeout: 9 });
  expect(summary.content).toMatch(/\nThey spoke of milk\.$/);
  expect(isSummary(summary)).toBe(true);
  expect(llm.requests).toHaveLength(1);
  expect(said(llm.requests[0]!)).toMatch(/user: Remark 1[^]*assistant: Remark 4/);
});

test('a summary that is empty or absurdly long is an error, and the model is stopped', async () => {
  await expect(
    summarizeHistory(
      talk(4),
      scriptedLlm(() => [' \n']),
      { timeout: 9 },
    ),
  ).rejects.toThrow(KbError);
  const chatty = scriptedLlm(() => Array.from({ length: 50 }, () => 'word '.repeat(100)));
  await expect(summarizeHistory(talk(4), chatty, { timeout: 9 })).rejects.toThrow(/longer than/);
  expect(chatty.stopped).toBe(1);
});

test('without a model the summary keeps how each message begins, and the one before it', async () => {
  const llm = scriptedLlm(() => [], { extractive: true });
  const first = await summarizeHistory(talk(3), llm, { timeout: 9 });
  expect(first.content.split('\n').slice(1)).toEqual([
    '- user: Remark 1 about the milk.',
    '- assistant: Remark 2 about the milk.',
    '- user: Remark 3 about the milk.',
  ]);
  const second = await summarizeHistory([first, { role: 'user', content: 'And the cups?' }], llm, { timeout: 9 });
  expect(second.content.split('\n').slice(1)).toEqual([...first.content.split('\n').slice(1), '- user: And the cups?']);
  expect(llm.requests).toEqual([]);
});

test('a summary without a model does not grow with the conversation, and keeps the newest', async () => {
  const summary = await summarizeHistory(
    talk(1000),
    scriptedLlm(() => [], { extractive: true }),
    { timeout: 9 },
  );
  expect(summary.content.length).toBeLessThan(3200);
  expect(summary.content).toContain('Remark 1000');
});

test('the history that comes back is as long as that of a request may be', () => {
  const long = (length: number) => ({ role: 'user' as const, content: 'x'.repeat(length) });
  const lengths = (entries: readonly HistoryEntry[]) => entries.map(({ content }) => content.length);
  expect(lengths(appendTurn([long(60_000), long(30_000)], 'q'.repeat(40_000), 'a'.repeat(20_000)))).toEqual([30_000, 40_000, 20_000]);
  expect(lengths(appendTurn([long(10)], 'q'.repeat(100_000), 'a'.repeat(500)))).toEqual([99_500, 500]);
  expect(lengths(appendTurn([long(10)], 'q', 'a'.repeat(200_000)))).toEqual([0, 100_000]);
});
