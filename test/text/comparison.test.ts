import { expect, test } from 'vitest';
import { capitalTerms, createTermShare } from '../../src/text/comparison.ts';

test('finds capitalized terms inside a question, without its first word and function words', () => {
  expect([...capitalTerms('Does Helios make pumps in Turin?')]).toEqual(['helio', 'turin']);
  expect([...capitalTerms('Pumps')]).toEqual([]);
  expect([...capitalTerms('Wie oft muss die Filterpatrone ersetzt werden?')]).toEqual([]);
  expect([...capitalTerms('Was bedeutet der Code E31?')]).toEqual(['e31']);
});

test('weights a capitalized word as requested', () => {
  const text = 'The pumps are loud.';
  expect(createTermShare('Which pumps are made in Turin?')(text)).toBeCloseTo(1 / 5);
  expect(createTermShare('Which pumps are made in Turin?', { capital: 2 })(text)).toBeCloseTo(1 / 6);
  expect(createTermShare('Which pumps are made in Turin?', { capital: 2 })('Turin')).toBeCloseTo(2 / 6);
});

test('does not expect Chinese question words in a text', () => {
  expect(createTermShare('保修多长时间？')('整机保修两年')).toBeCloseTo(1 / 3);
  expect(createTermShare('保修多长时间？')('工作时间')).toBe(0);
});
