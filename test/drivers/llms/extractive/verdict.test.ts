import { expect, test } from 'vitest';
import type { Evidence } from '../../../../src/drivers/llms/extractive/evidence.ts';
import { verdictOf } from '../../../../src/drivers/llms/extractive/verdict.ts';

const evidence: Evidence = {
  nearest: 0.6,
  words: 0.6,
  capital: 0,
  name: 0,
  number: 0,
  denied: 0,
  opposite: 0,
  absent: 0,
  uncounted: 0,
  onlyName: 0,
  yesOrNo: 0,
  noFigure: 0,
  unpriced: 0,
};
const answered = (over: Partial<Evidence>) => verdictOf({ ...evidence, ...over }).answered;

test('a passage near in meaning that has the words of the question answers, with vectors and without', () => {
  expect(answered({})).toBe(true);
  expect(answered({ nearest: undefined })).toBe(true);
});

test('a passage that is neither near nor has the words does not, one that is near enough without any of the words does', () => {
  expect(answered({ nearest: 0.3, words: 0.2 })).toBe(false);
  expect(answered({ nearest: undefined, words: 0.2 })).toBe(false);
  expect(answered({ nearest: 0.55, words: 0 })).toBe(true);
});

test('a name that is nowhere, a number of nothing and a denial decline however near the passage is', () => {
  for (const nearest of [0.7, undefined]) {
    expect(answered({ nearest, absent: 1 })).toBe(false);
    expect(answered({ nearest, uncounted: 1 })).toBe(false);
    expect(answered({ nearest, unpriced: 1 })).toBe(false);
    expect(answered({ nearest, denied: 1 })).toBe(false);
    expect(answered({ nearest, onlyName: 1, yesOrNo: 1 })).toBe(false);
    expect([answered({ nearest, onlyName: 1 }), answered({ nearest, yesOrNo: 1 })]).toEqual([true, true]);
  }
});

test('everything that is missing makes an answer less sure, and an opposite beside a missing name and number declines', () => {
  const sure = verdictOf(evidence).answer;
  for (const feature of ['name', 'number', 'denied', 'opposite', 'uncounted'] as const)
    expect(verdictOf({ ...evidence, [feature]: 1 }).answer).toBeLessThan(sure);
  expect(answered({ opposite: 1, name: 1, number: 1 })).toBe(false);
  expect(verdictOf({ ...evidence, capital: 1 }).subject).toBeLessThan(verdictOf(evidence).subject);
});
