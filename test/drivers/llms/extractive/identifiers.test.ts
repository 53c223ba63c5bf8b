import { expect, test } from 'vitest';
import { codeOf, holds, identifiersOf } from '../../../../src/drivers/llms/extractive/identifiers.ts';

const missing = (question: string, text: string) => identifiersOf(question).filter((identifier) => !holds(text, identifier));

test('codes and numbers behind what things are counted through are identifiers; amounts, years and ordinals are none', () => {
  expect(identifiersOf('What does E05 mean on the OV-250 with 2.3.1 of series 7?')).toEqual([
    { code: 'E05' },
    { code: 'OV-250' },
    { code: '2.3.1' },
    { label: 'seri', number: '7' },
  ]);
  expect(
    identifiersOf('How many of the 20-year-old 3.5mm screws held 90km in the mid-1990s and the 16th century, in 1990, at 3 bar?'),
  ).toEqual([]);
});

test('a number is held behind its label, in a list, within a range, in front of it, as a word and in Roman figures', () => {
  const question = 'What is the pressure of series 7?';
  for (const text of [
    'Series 7 has 9 bar.',
    'series 5, 7 and 9',
    'Series 5 to 9',
    'Series 6–8',
    'the series-7 boiler',
    'Series VII',
    'series seven',
  ])
    expect(missing(question, text), text).toEqual([]);
  for (const text of ['Series 11 costs 7 euros.', 'Series 8 to 9', 'chapter 7 is about the series', 'series 17', 'Series 70'])
    expect(missing(question, text), text).toHaveLength(1);
});

test('a code is held however its parts are set apart, and never as a part of another', () => {
  for (const text of ['the OV-250', 'OV 250', 'ov250', 'two OV-250s']) expect(missing('the OV-250?', text), text).toEqual([]);
  for (const text of ['OV-2500', 'the OV-200 at 250 euros', 'XOV-250', '250']) expect(missing('the OV-250?', text), text).toHaveLength(1);
  expect(missing('Version 2.3.1?', 'v2.3.1 is out')).toEqual([]);
  for (const text of ['2.3.10', '12.3.1', '2.3.1.4']) expect(missing('What is new in 2.3.1?', text), text).toHaveLength(1);
});

test('a cell that is a code is what its row is about', () => {
  expect(codeOf(' E05 ')).toBe('e05');
  expect(codeOf('the code E05')).toBeUndefined();
  expect(codeOf('Boilers')).toBeUndefined();
});
