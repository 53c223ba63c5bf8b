import fc from 'fast-check';

/** A way to a value inside a body: keys and indexes. */
type Way = (string | number)[];

const KEYS = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  '',
  ' ',
  'ｑｕｅｒｙ',
  'query ',
  '💥',
  '\u0000',
  'a.b',
  '$ref',
];

const nested = (depth: number, leaf: unknown): unknown => {
  let value = leaf;
  for (let i = 0; i < depth; i++) value = i % 2 ? { a: value } : [value];
  return value;
};

/** Values that hardly any field is made for. */
const odd: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(null, true, false, 0, -1, 0.5, 1e308, -1e308, Number.MAX_SAFE_INTEGER + 2, '', ' ', [], {}, [[]], [null], {
    '': null,
  }),
  fc.constantFrom(
    '\u0000',
    '\ud800',
    '‮evil‬',
    '../../../../etc/passwd',
    'file:///etc/passwd',
    'http://[::1',
    '%00',
    "'; DROP TABLE x; --",
    '{{7*7}}',
    'NaN',
    '1e309',
  ),
  fc.integer({ min: 1, max: 3 }).map((size) => 'ä'.repeat(size * 50_000)),
  fc.integer({ min: 2, max: 30 }).map((depth) => nested(depth, 'x')),
  fc.constantFrom(63, 64, 65, 400).map((depth) => nested(depth, 1)),
  fc.integer({ min: 1, max: 3 }).map((size) => Array.from({ length: size * 400 }, (_, i) => i)),
  fc.constantFrom(...KEYS).map((key) => Object.fromEntries([[key, { polluted: true }]])),
  fc.jsonValue({ maxDepth: 2 }),
);

function waysInto(value: unknown, way: Way = []): Way[] {
  if (typeof value !== 'object' || value === null) return [way];
  const inner = Array.isArray(value)
    ? value.map((part, index) => waysInto(part, [...way, index]))
    : Object.entries(value).map(([key, part]) => waysInto(part, [...way, key]));
  return [way, ...inner.flat()];
}

/** The value with another one at the end of the way; without it where that is undefined. Own keys stay own keys, `__proto__` among them. */
function changed(value: unknown, [step, ...rest]: Way, into: unknown): unknown {
  if (step === undefined) return into;
  if (Array.isArray(value))
    return value.map((part, index) => (index === step ? changed(part, rest, into) : part)).filter((part) => part !== undefined);
  const entries = Object.entries(value as object).map(([key, part]) => [key, key === step ? changed(part, rest, into) : part] as const);
  return Object.fromEntries(entries.filter(([, part]) => part !== undefined));
}

function added(value: unknown, way: Way, [key, more]: [string, unknown]): unknown {
  const at = way.reduce<unknown>((found, step) => (found as Record<string | number, unknown>)[step], value);
  if (typeof at !== 'object' || at === null || Array.isArray(at)) return changed(value, way, more);
  return changed(value, way, Object.fromEntries([...Object.entries(at), [key, more]]));
}

/** One to three changes to a body that fits: a value of another kind or out of bounds, a key less, a key more. */
const mutated = (body: unknown): fc.Arbitrary<unknown> => {
  const change = fc.tuple(fc.nat(), fc.constantFrom('swap', 'swap', 'remove', 'add'), odd, fc.constantFrom(...KEYS));
  return fc.array(change, { minLength: 1, maxLength: 3 }).map((changes) =>
    changes.reduce<unknown>((value, [pick, kind, other, key]) => {
      const ways = waysInto(value);
      const way = ways[pick % ways.length]!;
      if (kind === 'add') return added(value, way, [key, other]);
      return changed(value, way, kind === 'remove' && way.length > 0 ? undefined : other);
    }, body),
  );
};

/** Texts that were to be the JSON of a body, and that are not, or not what was expected of them. */
export const spoiled = (body: unknown): fc.Arbitrary<string> => {
  const json = JSON.stringify(body) ?? 'null';
  return fc.oneof(
    { weight: 6, arbitrary: mutated(body).map((value) => JSON.stringify(value) ?? '') },
    { weight: 1, arbitrary: fc.nat({ max: json.length }).map((end) => json.slice(0, end)) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        '',
        ' ',
        'null',
        '[]',
        '{}',
        '"text"',
        '42',
        '{"a":1}{"b":2}',
        `\ufeff${json}`,
        `${json},`,
        '{"query":"a","query":"b"}',
        'NaN',
        '['.repeat(50_000),
        '{"a":'.repeat(20_000),
        '{"query":1e999}',
        '"\\ud800"',
      ),
    },
  );
};
