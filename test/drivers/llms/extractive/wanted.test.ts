import { expect, test } from 'vitest';
import { figureTerms, isUnpriced, wantedFigure } from '../../../../src/drivers/llms/extractive/wanted.ts';

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

test('the unit tells which figure is asked for', () => {
  const asked = {
    'How much does it weigh?': ['118 kg', '12 kW'],
    'What is the weight of the pump?': ['2.5 lbs', 'EUR 145'],
    'How hot does it get?': ['70 °C', '7 months'],
    'What is the brew pressure?': ['9 bar', '9 barrels'],
    'How loud is it?': ['51 dB(A)', '51 days'],
    'How many kilowatt hours does it use per year?': ['300 kWh', '8.2 kW'],
  };
  for (const [question, [right, wrong]] of Object.entries(asked))
    expect([has(question, right!), has(question, wrong!)], question).toEqual([true, false]);
  expect(figureTerms('How much does it weigh?')).toContain('weight');
  expect(figureTerms('Who painted it?')).toEqual([]);
});

test('a question that asks for no figure wants none', () => {
  for (const question of ['Who painted it?', 'What does the warranty cover?', 'Why does it hum?'])
    expect(wantedFigure(question)).toBeUndefined();
});

test('the figure that is wanted is that of the last question, whatever remark comes behind it', () => {
  const asked = 'How long is the warranty?';
  expect(wantedFigure('What does it cost? Who sells it?')).toBeUndefined();
  expect(wantedFigure(`${asked} Thanks in advance.`)).toBe(wantedFigure(asked));
});

test('when is told by a date or by an occasion, and «may» and a length are no date', () => {
  for (const text of ['in 1990', 'on 3 May', 'in May 2020', 'in June', 'the 1990s', 'am 3. Mai', 'in the 19th century'])
    expect(has('When was it built?', text), text).toBe(true);
  for (const text of [
    'It may stop.',
    'May it stop?',
    '1500 mm',
    '2000 litres',
    'EUR 1,990',
    'it will march on',
    '1200 W',
    'once it was built',
  ])
    expect(has('When was it built?', text), text).toBe(false);
  for (const text of [
    'The pump stops once the tank is empty.',
    'every Monday',
    'after 60 litres',
    'at 9:30',
    'in 2024',
    'It is locked at ten.',
    'at noon',
  ])
    expect(has('When does it stop?', text), text).toBe(true);
  expect(has('When does it stop?', 'The pump may stop with a noise.')).toBe(false);
  expect(has('When does it stop?', 'It stops at three levels.')).toBe(false);
});

test('only a question for a price is one, and only a text that speaks of none is without', () => {
  const text = 'The electromagnetic force acts between them.';
  for (const question of [
    'What does the pump cost?',
    'How much did it cost?',
    'What is the price of it?',
    'Was kostet die Pumpe?',
    '滤网多少钱？',
  ])
    expect([isUnpriced(question, text), isUnpriced(question, 'It costs 5 euros. 价格为 5 元。')], question).toEqual([true, false]);
  for (const question of ['What force acts between electric charges?', 'What social costs arose?', 'How long is it?'])
    expect(isUnpriced(question, text), question).toBe(false);
});
