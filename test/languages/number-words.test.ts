import { expect, test } from 'vitest';
import { numberTerms, writtenCounts, writtenNumbers } from '../../src/languages/number-words.ts';

test('reads the value of a written number, also in a hyphenated word', () => {
  expect(writtenNumbers('Seven of twenty-one, a two-year term, ninety-nine; sixteen and zero.')).toEqual([7, 21, 2, 99, 16, 0]);
  expect(writtenNumbers('Twenty four months, and ninety, one by one.')).toEqual([24, 90, 1, 1]);
  expect(numberTerms('The term is two years.').has('two')).toBe(true);
});

test('does not read words that only look like numbers', () => {
  expect(writtenNumbers('The canteen, someone, often; oneself, tense.')).toEqual([]);
});

test.each([
  ['Die Garantie gilt für drei Jahre, und für einundzwanzig Monate auf den Akku.', [3, 21], 'jahre'],
  ['La garantie est de trois ans, et de soixante et onze mois pour la pile, quatre-vingt-dix-neuf pour le reste.', [3, 71, 99], 'ans'],
  ['La garantía es de tres años, y de treinta y dos meses para la batería.', [3, 32], 'años'],
])('reads numbers in the language of the text: %s', (text, values, counted) => {
  expect(writtenNumbers(text)).toEqual(values);
  expect(writtenCounts(text)[0]!.of).toBe(counted);
});
