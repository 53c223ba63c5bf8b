import { expect, test } from 'vitest';
import { createFigureCheck, createTimeCheck } from '../../../src/stages/quote/asked-figure.ts';

test('a question about a time is answered by a period, a clock time, a month or a year, not by any number', () => {
  const answers = createFigureCheck('How long does a login session last?')!;
  expect(['It lasts 31 days.', 'within two weeks', 'until 18:30', 'since May', 'built in 1987'].map(answers)).toEqual(Array(5).fill(true));
  expect(['HTTP/1.0 clients', '1. Ask for a return number.', 'It costs 9 euros.'].map(answers)).toEqual([false, false, false]);
});

test.each(['Wann bekomme ich mein Geld zurück?', 'À quelle heure fermez-vous ?', '¿Cuánto tiempo dura?', 'until when can I phone you?'])(
  '%s asks for a time',
  (question) => {
    expect(createTimeCheck(question)?.('8:00–17:00')).toBe(true);
  },
);

test('other questions about a number are answered by any, and the rest by none in particular', () => {
  expect(createFigureCheck('How many slots are there?')?.('There are 16384.')).toBe(true);
  expect(createTimeCheck('How many slots are there?')).toBeUndefined();
  expect(createFigureCheck('Where is the cache?')).toBeUndefined();
});
