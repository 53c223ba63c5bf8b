import { expect, test } from 'vitest';
import { isOfAnother, pairsIn, pairsOf } from '../../../../src/drivers/llms/extractive/pairs.ts';

test('words that stand together in a question are a pair, whatever their ending; function words, numbers and codes part them', () => {
  expect([...pairsOf('What do replacement water tanks cost?')]).toEqual(['replac water', 'water tank', 'tank cost']);
  expect([...pairsOf('What is the price of the pump in series 7 of the OV-200?')]).toEqual([]);
});

test('a text has a pair where one word is right behind the other', () => {
  const pairs = pairsOf('water tank');
  expect(pairsIn('Description: Water tank 2.5 l', pairs)).toEqual(new Set(['water tank']));
  for (const text of ['Tank valve; Group: Water', 'water for the tank', 'tank water']) expect(pairsIn(text, pairs).size, text).toBe(0);
});

test('a figure of another thing is told by the word before it', () => {
  const pairs = pairsOf('brew pressure');
  expect(isOfAnother('Steam pressure 0.8 to 1.6 bar', pairs)).toBe(true);
  for (const text of ['Brew pressure 9 bar, steam pressure 1 bar', 'The pressure is 9 bar', '9 bar'])
    expect(isOfAnother(text, pairs), text).toBe(false);
});
