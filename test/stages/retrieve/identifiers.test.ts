import { expect, test } from 'vitest';
import { identifierBonus, identifiersIn } from '../../../src/stages/retrieve/similarity.ts';

const chunk = (text: string) => ({ id: text, text, source: 's', metadata: {} });

test('codes, names with underscores and versions are identifiers', () => {
  expect(identifiersIn('what does ERR-4042 mean?')).toEqual(['err-4042']);
  expect(identifiersIn('call foo_bar() since v2.3.1, see HX100')).toEqual(['foo_bar', 'v2.3.1', 'hx100']);
});

test('words, plain numbers, ordinals and decades are not', () => {
  expect(identifiersIn('the high-speed trains of the 1990s, the 16th in 2019, e.g. node.js at 3.5')).toEqual([]);
  expect(identifierBonus('how often is the filter replaced')).toBeUndefined();
});

test('only the exact identifier gains, in any case and with any hyphen', () => {
  const bonus = identifierBonus('ERR-4042')!;
  expect(bonus(chunk('The display shows err-4042.'))).toBeGreaterThan(0);
  expect(bonus(chunk('The display shows ERR\u20114042.'))).toBeGreaterThan(0);
  for (const other of ['ERR-404', 'ERR-40421', 'ERR 4042', 'WARN-4042', '4042'])
    expect(bonus(chunk(`The display shows ${other}.`)), other).toBe(0);
});

test('a code is one in words that are written without spaces, too', () => {
  expect(identifiersIn('F-117是什么意思？')).toEqual(['f-117']);
  const bonus = identifierBonus('F-117是什么意思？')!;
  expect(bonus(chunk('错误F-117表示水压过低。'))).toBeGreaterThan(0);
  expect(bonus(chunk('エラーF-117の意味'))).toBeGreaterThan(0);
  for (const other of ['错误F-1170表示', '错误F-118表示']) expect(bonus(chunk(other)), other).toBe(0);
  expect(identifierBonus('what is F-117?')!(chunk('错误F-117表示水压过低。'))).toBeGreaterThan(0);
});

test('a chunk that holds one of two identifiers gains half', () => {
  const bonus = identifierBonus('ERR-1 or ERR-2')!;
  expect(bonus(chunk('ERR-1'))).toBeCloseTo(bonus(chunk('ERR-1, ERR-2')) / 2);
});

test('a query of a hundred thousand joined letters is read at once', () => {
  expect(identifiersIn('a.'.repeat(50_000))).toEqual([]);
});
