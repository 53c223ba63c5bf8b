import { expect, test } from 'vitest';
import { capitalTerms, wordShare } from '../../src/base/word-share.ts';

test('capitals inside a question tell names, not its first word and not what is no term of its own', () => {
  expect([...capitalTerms('Does Helios make pumps in Turin?')]).toEqual(['helio', 'turin']);
  expect([...capitalTerms('Pumps')]).toEqual([]);
  expect([...capitalTerms('Wie oft muss die Filterpatrone ersetzt werden?')]).toEqual([]);
});

test('a word with a capital counts as often as is said', () => {
  const text = 'The pumps are loud.';
  expect(wordShare('Which pumps are made in Turin?', text)).toBeCloseTo(1 / 5);
  expect(wordShare('Which pumps are made in Turin?', text, { capital: 2 })).toBeCloseTo(1 / 6);
  expect(wordShare('Which pumps are made in Turin?', 'Turin', { capital: 2 })).toBeCloseTo(2 / 6);
});
