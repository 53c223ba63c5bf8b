import { expect, test } from 'vitest';
import { terms } from '../../../../src/base/terms.ts';
import { hasOpposite, isDeniedIn, isDenying, sideOf } from '../../../../src/drivers/llms/extractive/contradiction.ts';
import { isUncounted } from '../../../../src/drivers/llms/extractive/counting.ts';

const opposite = (question: string, text: string) => hasOpposite(question, new Set(terms(text)));

test('a question for what is not so is not answered by what is', () => {
  expect(isDeniedIn('Which parts does the warranty not cover?', 'The warranty covers the pump.')).toBe(true);
  expect(isDeniedIn("Which parts aren't covered?", 'The warranty covers the pump.')).toBe(true);
  expect(isDeniedIn('Which parts does the warranty not cover?', 'Seals are excluded; no claim is accepted, except for the pump.')).toBe(
    false,
  );
  expect(isDeniedIn('Which parts does the warranty cover?', 'The warranty covers the pump.')).toBe(false);
});

test('a denial that tells a circumstance is no question for what is not so', () => {
  expect(isDeniedIn("Why doesn't the pump start?", 'The pump stops at high pressure.')).toBe(false);
  expect(isDeniedIn('What happens if the pump does not start?', 'The red light comes on.')).toBe(false);
  expect(isDeniedIn('What do I press when the display is not lit?', 'Hold both buttons.')).toBe(false);
});

test('a text with the opposite of a word in its place says something else', () => {
  expect(opposite('What is the maximum pressure?', 'The minimum pressure is 2 bar.')).toBe(true);
  expect(opposite('What is the maximum pressure?', 'The minimum and the maximum pressure are 2 and 9 bar.')).toBe(false);
  expect(opposite('Which parts are necessary?', 'Gloves are unnecessary.')).toBe(true);
  expect(opposite('Which parts are unnecessary?', 'Gloves are necessary.')).toBe(true);
  expect(opposite('What is the pressure?', 'The minimum pressure is 2 bar.')).toBe(false);
});

test('how many there are is answered by a number of them', () => {
  expect(isUncounted('How many machines did they sell?', 'They keep parts for ten years after the last machine of a model.')).toBe(true);
  expect(isUncounted('How many machines did they sell?', 'They sold 1,200 new machines.')).toBe(false);
  expect(isUncounted('How many machines did they sell?', 'Machines sold: 1,200.')).toBe(false);
  expect(isUncounted('How many seals come with it?', 'It comes with two spare seals.')).toBe(false);
  expect(isUncounted('How many people work there?', 'It has 40 employees.')).toBe(false);
  expect(isUncounted('How often are machines sold?', 'Seldom.')).toBe(false);
});

test('a heading denies with a clause or a participle, not with a name or a sign of trouble', () => {
  for (const heading of [
    'What is not covered',
    "What the warranty doesn't cover",
    'Parts not covered',
    'Repairs that we never make',
    'Not included',
  ])
    expect(isDenying(heading), heading).toBe(true);
  for (const heading of [
    'Non-stick pan',
    "The pump doesn't run",
    'The display is not lit',
    'Nonprofit handbook',
    'At least two',
    'What is covered',
  ])
    expect(isDenying(heading), heading).toBe(false);
  expect([isDenying('', 'Not covered are:'), isDenying('', 'If the pump does not run:')]).toEqual([true, false]);
});

test('a heading that denies stands against an open question about the same, with one that denies, and not against a yes or no', () => {
  expect(sideOf('What is covered by the warranty?', 'What is not covered')).toBe(-1);
  expect(sideOf('Which parts does the warranty not cover?', 'What is not covered')).toBe(1);
  for (const question of ['Is damage by limescale covered?', 'And does it cover seals?', 'What happens when limescale is found?'])
    expect(sideOf(question, 'What is not covered'), question).toBe(0);
  expect(sideOf('How do I clean the pan?', 'Non-stick pan')).toBe(0);
});
