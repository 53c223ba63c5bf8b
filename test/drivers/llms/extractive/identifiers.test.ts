import { expect, test } from 'vitest';
import { codeOf, identifierHolder, identifiersOf } from '../../../../src/drivers/llms/extractive/identifiers.ts';

const missing = (question: string, text: string) => {
  const isHeld = identifierHolder(text);
  return identifiersOf(question).filter((identifier) => !isHeld(identifier));
};

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

test('letters that are written without spaces are no part of a code that stands among them', () => {
  for (const question of ['E05是什么意思?', 'E05とは何ですか?', 'E05는 무슨 뜻인가요?', '型号E05的保修期'])
    expect(identifiersOf(question)).toEqual([{ code: 'E05' }]);
  for (const question of ['保修期是24个月吗?', '保証は24か月ですか?', '보증은 24개월인가요?']) expect(identifiersOf(question)).toEqual([]);
  expect(missing('What is E05?', '错误E05表示过热。')).toEqual([]);
  expect(missing('What is E05?', '错误E050表示过热。')).toHaveLength(1);
});

test('a letter behind an everyday noun is no number of a question', () => {
  for (const question of ['How long is the warranty for the model I bought?', 'Which part X marks the valve?', 'The unit V replaced?'])
    expect(identifiersOf(question)).toEqual([]);
  expect(identifiersOf('What is in chapter IV?')).toEqual([{ label: 'chapter', number: '4' }]);
});

test('a version is held by those that begin with it, and a step by the list that has so many', () => {
  expect(missing('What is new in version 2?', 'VERSION 2.3.1 brings themes.')).toEqual([]);
  expect(missing('What is new in version 2?', 'VERSION 12.3.1 brings themes.')).toHaveLength(1);
  for (const text of ['v2.3.1 brings', 'Version 2 brings', '2.3.1 brings', 'v2 brings'])
    expect(missing('What does v2 bring?', text), text).toEqual([]);
  for (const text of ['2 bar', 'v12.1', 'v21', '1.2.3', 'v1.2']) expect(missing('What does v2 bring?', text), text).toHaveLength(1);
  const list = 'To reset it:\n\n1. Unplug it.\n2. Wait.';
  expect(missing('What do I do in step 2?', list)).toEqual([]);
  expect(missing('Was mache ich in Schritt 2?', list)).toEqual([]);
  expect(missing('What do I do in step 3?', list)).toHaveLength(1);
});

test('of a question that repeats and heaps them up, the last twenty are looked for', () => {
  expect(identifiersOf('step 1 to 9 '.repeat(4000))).toEqual([
    { label: 'step', number: '1' },
    { label: 'step', number: '9' },
  ]);
  const many = identifiersOf(Array.from({ length: 500 }, (_, i) => `E${100 + i}, step ${i}`).join(' '));
  expect(many).toHaveLength(20);
  expect(many.at(-1)).toEqual({ label: 'step', number: '499' });
  expect(identifiersOf(`what is ${'A1'.repeat(100)}?`)).toEqual([]);
});
