import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { HistoryEntry } from '../../../src/schema/items.ts';
import {
  truncateWords,
  estimateTokens,
  fitPrompt,
  halvePrompt,
  fitMessages,
  tokensOfMessages,
  windowOf,
} from '../../../src/stages/chat/budget.ts';
import { linearly } from '../../../packages/documents/test/support/linear-time.ts';

const talk = (count: number, length = 70): HistoryEntry[] =>
  Array.from({ length: count }, (_, i) => ({ role: i % 2 ? 'assistant' : 'user', content: `${i} `.padEnd(length, 'word ') }));
const sources = (count: number, length = 700) =>
  Array.from({ length: count }, (_, i) => ({ citation: i + 1, title: `T${i}`, text: 'word '.repeat(length / 5) }));

test('estimates a token for a letter of an unspaced script and for 3.5 English characters', () => {
  expect(estimateTokens('x'.repeat(35))).toBe(10);
  expect(estimateTokens('咖啡机')).toBe(3);
  expect(estimateTokens('кофе')).toBe(2);
  expect(estimateTokens('')).toBe(0);
});

test('uses the known window, else twice the answer, with at most half of it for the answer', () => {
  expect(windowOf({ context_window: 2000, max_tokens: 5000 })).toEqual({ tokens: 2000, answer: 1000, prompt: 1000 });
  expect(windowOf({ context_window: 128_000, max_tokens: 1000 })).toEqual({ tokens: 128_000, answer: 1000, prompt: 127_000 });
  expect(windowOf({ max_tokens: 1000 }).tokens).toBe(8000);
  expect(windowOf({ max_tokens: 20_000 })).toEqual({ tokens: 40_000, answer: 20_000, prompt: 20_000 });
  expect(windowOf({ context_window: Infinity, max_tokens: 1000 }).prompt).toBe(Infinity);
});

test('keeps a prompt that fits', () => {
  const all = { history: talk(9), sources: sources(4) };
  expect(fitPrompt(all, { room: 5000, keep_recent: 2 })).toEqual(all);
});

test('drops older messages first, then the weakest sources, then recent messages, and last the end of the source', () => {
  const all = { history: talk(9), sources: sources(4) };
  const [message] = all.history.map((entry) => tokensOfMessages([entry]));
  const whole = 9 * message! + 4 * (70 + 201);
  const kept = (room: number) => fitPrompt(all, { room, keep_recent: 2 });
  expect(kept(whole - 1)).toEqual({ history: all.history.slice(1), sources: all.sources });
  expect(kept(whole - 7 * message! - 1)).toEqual({ history: all.history.slice(7), sources: all.sources.slice(0, 3) });
  expect(kept(2 * message! + 275)).toEqual({ history: all.history.slice(7), sources: all.sources.slice(0, 1) });
  expect(kept(message! + 275)).toEqual({ history: all.history.slice(8), sources: all.sources.slice(0, 1) });
  const cut = kept(200);
  expect(cut.history).toEqual([]);
  expect(cut.sources[0]!.text).toMatch(/^word .* …$/);
  expect(estimateTokens(cut.sources[0]!.text)).toBeLessThan(135);
});

test('any prompt fits after fitting, or consists of the beginning of one source', () => {
  fc.assert(
    fc.property(fc.nat(30), fc.nat(8), fc.nat(4000), fc.nat(6), (messages, count, room, keep_recent) => {
      const { history, sources: kept } = fitPrompt({ history: talk(messages), sources: sources(count + 1) }, { room, keep_recent });
      const size = tokensOfMessages(history) + kept.reduce((sum, { title, text }) => sum + 70 + estimateTokens(`${title}\n${text}`), 0);
      expect(kept.length).toBeGreaterThan(0);
      if (size > room + 5) expect([history.length, kept.length, kept[0]!.text.endsWith(' …')]).toEqual([0, 1, true]);
    }),
  );
});

test('halves a prompt to the newest half of the messages and the best half of the sources', () => {
  const [all, some] = [talk(5), sources(3)];
  expect(halvePrompt({ history: all, sources: some })).toEqual({ history: all.slice(3), sources: some.slice(0, 2) });
  const one = halvePrompt({ history: talk(1), sources: sources(1) });
  expect(one.history).toEqual([]);
  expect(one.sources[0]!.text.length).toBeLessThan(400);
});

test('truncates a text at a word', () => {
  expect(truncateWords('one two three four five six', 100)).toBe('one two three four five six');
  expect(truncateWords('one two three four five six', 4)).toBe('one two …');
});

test('truncates a text before its last blanks, and anywhere if it has none', () => {
  expect(truncateWords(`${'x'.repeat(30)} \n\t ${'y'.repeat(30)}`, 12)).toBe(`${'x'.repeat(30)} …`);
  expect(truncateWords('x'.repeat(70), 10)).toBe(`${'x'.repeat(35)} …`);
  expect(truncateWords(' '.repeat(70), 10)).toBe(' …');
});

test('truncates a run of blanks in linear time', async () => {
  const { begun, messages, kept } = await linearly(200_000, (size) => {
    const text = `${' '.repeat(size)}word ${'x'.repeat(10 * size)}`;
    return {
      begun: truncateWords(`a${text}`, size),
      messages: fitMessages([{ role: 'user', content: text }], 100),
      kept: fitPrompt({ history: [], sources: [{ citation: 1, title: 'T', text }] }, { room: 500, keep_recent: 1 }).sources,
    };
  });
  expect(begun).toBe(`a${' '.repeat(200_000)}word …`);
  expect([messages, kept].map(({ length }) => length)).toEqual([1, 1]);
});

test('shortens messages before it drops any, and then keeps the newest', () => {
  const long = talk(4, 35_000);
  const kept = fitMessages(long, 1200);
  expect(kept.map(({ content }) => content[0])).toEqual(['0', '1', '2', '3']);
  expect(tokensOfMessages(kept)).toBeLessThanOrEqual(1200);
  expect(fitMessages(talk(100), 100).at(-1)!.content).toMatch(/^99 /);
  expect(fitMessages(talk(3), 10_000)).toEqual(talk(3));
});

test('truncates a text between letters', () => {
  for (const tokens of [17, 18, 19, 20, 21]) expect(truncateWords('汉😀'.repeat(50), tokens).isWellFormed()).toBe(true);
});
