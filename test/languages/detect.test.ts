import { expect, test } from 'vitest';
import { isFunctionWord, languageOf } from '../../src/languages/detect.ts';

test('a German question that begins like an English one is told by any German word', () => {
  for (const question of ['Was ist E31?', 'Was tun bei E31?', 'Was macht man bei E31?', 'Was bedeutet E24?', 'Und was ist E31?'])
    expect(languageOf(question), question).toBe('de');
  for (const question of ['Was it E31?', 'Was the valve open?', 'Was Bach a composer?'])
    expect(languageOf(question) ?? 'en', question).toBe('en');
});

test('a word says how is asked in one language, and what about in another', () => {
  expect([isFunctionWord('womit', 'de'), isFunctionWord('womit', 'en')]).toEqual([true, false]);
  expect(isFunctionWord('womit', 'xx')).toBe(false);
});
