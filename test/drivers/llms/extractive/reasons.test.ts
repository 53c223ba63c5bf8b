import { expect, test } from 'vitest';
import { passagesOf } from '../../../../src/drivers/llms/extractive/passages.ts';
import { asksWhy, reasonsBeside } from '../../../../src/drivers/llms/extractive/reasons.ts';

const passages = (...texts: string[]) => texts.flatMap((text, i) => passagesOf({ citation: i + 1, title: '', text }, i));
const reasons = (said: string, ...texts: string[]) =>
  [...reasonsBeside(passages(...texts), ({ text }) => text === said)].map(({ text }) => text);

test.each([
  ['why?', true],
  ['And why not?', true],
  ['Warum denn?', true],
  ['¿Por qué?', true],
  ['为什么？', true],
  ['tell me more', false],
  ['whyever is a word', false],
])('whether a reason is asked for: %s', (question, is) => {
  expect(asksWhy(question)).toBe(is);
});

const gate = 'The gate is locked at ten.';

test.each([
  'Dogs came in, and that is why.',
  'It is shut because dogs came in.',
  'Since the fence broke, dogs come in.',
  'It is shut so that no dog comes in.',
  'It is shut to avoid noise.',
  'Weil Hunde kamen, ist es zu.',
])('a sentence beside it gives the reason: %s', (reason) => {
  expect(reasons(gate, `${gate} ${reason} Bread is baked on Mondays.`)).toEqual([reason]);
});

test.each(['It has been so since 2019.', 'It has been so since the beginning.', 'It is so late.', 'Bread is baked on Mondays.'])(
  'no reason is given by: %s',
  (other) => {
    expect(reasons(gate, `${gate} ${other}`)).toEqual([]);
  },
);

test('a reason is one beside what was said, in the same source, that was not said itself', () => {
  const reason = 'It is shut because dogs came in.';
  expect(reasons(gate, gate, reason)).toEqual([]);
  expect(reasons(gate, `${gate} One. Two. ${reason}`)).toEqual([]);
  expect(reasons(reason, `${gate} ${reason}`)).toEqual([]);
});
