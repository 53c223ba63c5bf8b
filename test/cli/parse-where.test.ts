import { expect, it } from 'vitest';
import { parseWhere } from '../../src/cli/parse-where.ts';
import type { Filter } from '../../src/schema/stored/filter.ts';

const conditions: [string, Filter][] = [
  ['lang=de', { lang: 'de' }],
  ['year >= 2020', { year: { gte: 2020 } }],
  ['date < 2024-01-31', { date: { lt: '2024-01-31' } }],
  ['draft = true', { draft: true }],
  ['draft > true', { draft: { gt: 'true' } }],
  ['price = -2.5', { price: -2.5 }],
  ['code = 007', { code: '007' }],
  ['code = "7"', { code: '7' }],
  ['source ^= guides/', { source: { prefix: 'guides/' } }],
  ['year ^= 20', { year: { prefix: '20' } }],
  ['audience != staff', { not: { audience: 'staff' } }],
  ['audience exists', { audience: { exists: true } }],
  ['not audience exists', { not: { audience: { exists: true } } }],
  ['tags in (a, "b c", 3)', { tags: { in: ['a', 'b c', 3] } }],
  ['a = 1 and b = 2 and c = 3', { and: [{ a: 1 }, { b: 2 }, { c: 3 }] }],
  ['a = 1 or b = 2 and c = 3', { or: [{ a: 1 }, { and: [{ b: 2 }, { c: 3 }] }] }],
  ['(a = 1 or b = 2) and not c = 3', { and: [{ or: [{ a: 1 }, { b: 2 }] }, { not: { c: 3 } }] }],
  ['not not (a=1)', { not: { not: { a: 1 } } }],
  ['lang = de AND year > 1', { and: [{ lang: 'de' }, { year: { gt: 1 } }] }],
  [`owner = "O'Neil (x = y) and"`, { owner: "O'Neil (x = y) and" }],
  [String.raw`owner = 'O\'Neil \\ co \n'`, { owner: String.raw`O'Neil \ co \n` }],
  ['"two words" = \'\'', { 'two words': '' }],
  ['location.page >= 3', { 'location.page': { gte: 3 } }],
  ['straße = "größer als 3"', { straße: 'größer als 3' }],
];

it.each(conditions)('parses %s', (text, filter) => {
  expect(parseWhere(text)).toEqual(filter);
});

const mistakes: [string, number, string][] = [
  ['', 0, 'a field'],
  ['year >> 2020', 6, 'a value'],
  ['(year = 2020', 12, '")"'],
  ['audience = "staff', 11, 'quote'],
  ['year = 2020 und audience = staff', 12, '"and", "or" or the end'],
  ['tags in care', 8, '"("'],
  ['tags in ()', 9, 'a value'],
  ['tags in (a b)', 11, '"," or ")"'],
  ['= 3', 0, 'a field'],
  ['year', 4, 'one of ='],
  ['a = and', 4, 'a value'],
  ['a = 1 and', 9, 'a field'],
  ['a ! b', 2, '"!"'],
  ['a = 1)', 5, 'the end'],
];

it.each(mistakes)('points at the mistake in %j', (text, at, problem) => {
  expect(() => parseWhere(text)).toThrow(problem);
  expect(() => parseWhere(text)).toThrow(`\n  ${text}\n  ${' '.repeat(at)}^`);
});

it.each(['(', 'not '])('rejects a condition that is nested too deeply: %j', (nesting) => {
  expect(() => parseWhere(`${nesting.repeat(100_000)}a = 1`)).toThrow('nested too deeply');
});
