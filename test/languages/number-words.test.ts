import { expect, test } from 'vitest';
import { numberWords, writtenNumbers } from '../../src/languages/number-words.ts';

test('a number that is written out has its value, in a word with a hyphen as well', () => {
  expect(writtenNumbers('Seven of twenty-one, a two-year term, ninety-nine; sixteen and zero.')).toEqual([7, 21, 2, 99, 16, 0]);
  expect(writtenNumbers('Twenty four months, and ninety, one by one.')).toEqual([24, 90, 1, 1]);
  expect(numberWords().flatMap(writtenNumbers)).toEqual([...Array.from({ length: 20 }, (_, i) => i), 20, 30, 40, 50, 60, 70, 80, 90]);
});

test('what only looks like a number is none', () => {
  expect(writtenNumbers('The canteen, someone, often; oneself, tense.')).toEqual([]);
});
