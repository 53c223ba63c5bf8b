import { expect, test } from 'vitest';
import { lastAsked, wantedFigure, withoutMeasure } from '../../../../src/drivers/llms/extractive/wanted.ts';

const has = (question: string, text: string) => wantedFigure(question)!.test(text);

test('a question after a time, a price or a date is answered by a figure of that kind and no other', () => {
  const asked = {
    'How long is the warranty?': '36 months',
    'What does it cost?': 'EUR 4 a day',
    'When was it built?': 'in May 1990',
    'How often is it descaled?': 'once a week',
  };
  expect(has('How long is the warranty?', 'ten working days')).toBe(true);
  expect(has('What is the price?', 'it is four dollars')).toBe(true);
  expect(has('How long does it take?', 'It may take May.')).toBe(false);
  for (const [question, right] of Object.entries(asked)) {
    expect(has(question, right), question).toBe(true);
    expect(has(question, 'It is blue, as long as it works, and weighs 20 kilograms.'), question).toBe(false);
  }
  expect(has('How long is the warranty?', 'Yearly service: EUR 109')).toBe(false);
});

test('a question that asks for no figure wants none', () => {
  for (const question of ['Who painted it?', 'What does the warranty cover?', 'Why does it hum?'])
    expect(wantedFigure(question)).toBeUndefined();
});

test('of several questions the last is asked, and the words that ask for a measure are none of its subject', () => {
  expect(lastAsked('What does it cost? And how long does it take?')).toBe('And how long does it take?');
  expect(wantedFigure('What does it cost? Who sells it?')).toBeUndefined();
  expect(withoutMeasure('How long is the long hose?')).toBe('how is the long hose?');
});
