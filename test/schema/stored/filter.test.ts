import { expect, it } from 'vitest';
import { z } from 'zod';
import { parseRequest } from '../../../src/core/parse-request.ts';
import { Filter } from '../../../src/schema/stored/filter.ts';

const Request = z.strictObject({ filter: Filter.optional() });
const deep = (levels: number): Filter => (levels === 1 ? { lang: 'de' } : { and: [deep(levels - 1)] });

it('accepts every form of a condition', () => {
  const filters: Filter[] = [
    {},
    { lang: 'de', year: 2020, draft: false },
    { year: { gte: 2020, lt: 2024 }, tag: { in: ['a', 1, true] }, source: { prefix: 'docs/' }, audience: { exists: false } },
    { not: { or: [{ lang: 'de' }, { and: [{ year: 1 }] }] } },
    deep(8),
  ];
  for (const filter of filters) expect(parseRequest(Request, { filter })).toEqual({ filter });
});

const mistakes: [unknown, string][] = [
  [deep(9), 'filter.and[0].and[0].and[0].and[0].and[0].and[0].and[0].and[0]: at most 8 levels'],
  [{ year: { near: 2020 } }, 'filter.year.near: one of in, gt, gte, lt, lte, prefix, exists'],
  [{ year: {} }, 'filter.year: one of in, gt'],
  [{ year: [2020] }, 'filter.year: a text, a number'],
  [{ year: null }, 'filter.year: a text'],
  [{ year: { gte: true } }, 'filter.year.gte: a text or a number'],
  [{ or: { lang: 'de' } }, 'filter.or: a list of 1 to 100 filters'],
  [{ or: [] }, 'filter.or: a list of 1 to 100'],
  [{ and: Array.from({ length: 101 }, () => ({ a: 1 })) }, 'filter.and: a list of 1 to 100'],
  [{ or: [{ lang: 'de' }, {}] }, 'filter.or[1]: at least one condition'],
  [{ not: {} }, 'filter.not: at least one condition'],
  [{ not: [{ a: 1 }] }, 'filter.not: an object'],
  [{ source: { prefix: 3 } }, 'filter.source.prefix: a text'],
  [{ source: { prefix: '' } }, 'filter.source.prefix: a text'],
  [{ audience: { exists: 'yes' } }, 'filter.audience.exists: true or false'],
  [{ tag: { in: [] } }, 'filter.tag.in: a list of 1 to 10,000'],
  [{ tag: { in: [{}] } }, 'filter.tag.in: a list of'],
  [{ tag: { in: Array(10_001).fill(1) } }, 'filter.tag.in: a list of 1 to 10,000'],
  [{ or: Array.from({ length: 11 }, () => ({ tag: { in: Array(1_000).fill(1) } })) }, 'filter.or[10].tag.in: a list of 1 to 10,000'],
  [{ tag: 'x'.repeat(10_001) }, 'filter.tag: a text of at most 10,000 characters'],
  [{ tag: { prefix: 'x'.repeat(10_001) } }, 'filter.tag.prefix: a text of at most 10,000 characters'],
  [
    { and: Array.from({ length: 100 }, () => ({ or: Array.from({ length: 100 }, (_, i) => ({ [`f${i}`]: i })) })) },
    'at most 1,000 conditions',
  ],
];

it.each(mistakes)('names the place of a mistake: %j', (filter, message) => {
  expect(() => parseRequest(Request, { filter })).toThrow(message);
});
