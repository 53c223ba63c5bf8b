import { expect, test } from 'vitest';
import { isDangling, standsInFor } from '../../../../src/drivers/llms/extractive/dangling.ts';

test('a sentence whose subject was named before it does not stand alone', () => {
  for (const sentence of [
    'It costs EUR 4.',
    'This is free.',
    'If it hums, call us.',
    'For a repair outside the warranty it costs EUR 4 a day.',
  ])
    expect(isDangling(sentence), sentence).toBe(true);
  for (const sentence of [
    'A loan machine costs EUR 4.',
    'If the pump hums, it is worn.',
    'For a repair we take EUR 4.',
    'The price is as low as it was.',
  ])
    expect(isDangling(sentence), sentence).toBe(false);
});

test('it stands in for something else where it names all but what it is about', () => {
  expect(standsInFor('During a repair, they cost EUR 4 a day.')).toBe(true);
  expect(standsInFor('It costs EUR 4.')).toBe(false);
});
