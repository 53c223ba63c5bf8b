import { expect, test } from 'vitest';
import { capitalTerms, createTermShare } from '../../src/text/comparison.ts';

test('capitals inside a question tell names, not its first word and not what is no term of its own', () => {
  expect([...capitalTerms('Does Helios make pumps in Turin?')]).toEqual(['helio', 'turin']);
  expect([...capitalTerms('Pumps')]).toEqual([]);
  expect([...capitalTerms('Wie oft muss die Filterpatrone ersetzt werden?')]).toEqual([]);
  expect([...capitalTerms('Was bedeutet der Code E31?')]).toEqual(['e31']);
});

test('a word with a capital counts as often as is said', () => {
  const text = 'The pumps are loud.';
  expect(createTermShare('Which pumps are made in Turin?')(text)).toBeCloseTo(1 / 5);
  expect(createTermShare('Which pumps are made in Turin?', { capital: 2 })(text)).toBeCloseTo(1 / 6);
  expect(createTermShare('Which pumps are made in Turin?', { capital: 2 })('Turin')).toBeCloseTo(2 / 6);
});

test('the words that ask in Chinese are no terms that a text may lack', () => {
  expect(createTermShare('保修多长时间？')('整机保修两年')).toBeCloseTo(1 / 3);
  expect(createTermShare('保修多长时间？')('工作时间')).toBe(0);
});
