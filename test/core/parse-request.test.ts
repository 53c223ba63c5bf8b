import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import fc from 'fast-check';
import { parseRequest, withoutNulls, assertPlainData, findUnsafeJson } from '../../src/core/parse-request.ts';
import { operations } from '../../src/schema/operations.ts';

const Item = z.strictObject({ id: z.string(), numbers: z.array(z.number()).optional() });
const schema = z.strictObject({ items: z.union([z.string(), z.array(Item)]) });

describe('parseRequest', () => {
  it('returns a valid value as the schema outputs it', () => {
    expect(parseRequest(z.object({ a: z.int().default(5) }), {})).toEqual({ a: 5 });
  });

  it('reports each error of an invalid value', () => {
    expect(() => parseRequest(schema, { items: [{ id: 1 }, { id: 2 }] })).toThrow(
      /^items\[0\]\.id: a text is expected, not a number\.\nitems\[1\]\.id: a text is expected, not a number\.$/,
    );
  });

  it('reports thousands of errors by the first entries of their lists', () => {
    const thousands = Array.from({ length: 10_001 }, (_, id) => ({ id }));
    const lines = (part: string) => new RegExp(String.raw`^\[?${part}.*(?:\n.*){9}\nAnd thousands more values do not fit\.$`);
    expect(() => parseRequest(schema, { items: thousands })).toThrow(lines(String.raw`items\[0\]\.id: a text is expected, not a number\.`));
    const wide = z.array(z.number());
    expect(() => parseRequest(wide, Array(10_001).fill('x'))).toThrow(lines(String.raw`0\]: a number is expected, not a text\.`));
  });

  it('counts thousands of errors behind valid entries without naming one', () => {
    const late = Array.from({ length: 10_020 }, (_, id) => ({ id: id < 15 ? 'x' : id }));
    expect(() => parseRequest(schema, { items: late })).toThrow('the request: more than 10,000 values in it do not fit.');
  });

  it('reports one error in a long list by its entry', () => {
    const items = Array.from({ length: 20_000 }, (_, i) => ({ id: String(i) }) as { id: unknown });
    items[15_000] = { id: false };
    expect(() => parseRequest(schema, { items })).toThrow('items[15000].id: a text is expected, not false.');
  });
});

const Query = z.strictObject({
  query: z.string(),
  top_k: z.int().optional(),
  mode: z.string().default('hybrid'),
  block: z.strictObject({ model: z.string().optional(), inner: z.strictObject({ size: z.int().optional() }).optional() }).optional(),
  metadata: z.record(z.string(), z.unknown()).optional(),
  files: z
    .union([z.string(), z.array(z.union([z.string(), z.strictObject({ path: z.string(), title: z.string().optional() })]))])
    .optional(),
});

it('removes nulls of optional fields, at every depth', () => {
  const given = {
    query: 'q',
    top_k: null,
    mode: null,
    block: { model: null, inner: { size: null } },
    files: ['a', { path: 'b', title: null }],
  };
  expect(withoutNulls(Query, given)).toEqual({ query: 'q', block: { inner: {} }, files: ['a', { path: 'b' }] });
  expect(given.files[1]).toEqual({ path: 'b', title: null });
  expect(parseRequest(Query, given)).toMatchObject({ query: 'q', mode: 'hybrid' });
});

it('keeps nulls of required fields, of unknown keys and of free values', () => {
  for (const given of [
    { query: null },
    { query: 'q', colour: null },
    { query: 'q', metadata: { a: null } },
    { files: [null] },
    null,
    'q',
    [null],
  ])
    expect(withoutNulls(Query, given)).toEqual(given);
  expect(() => parseRequest(Query, { query: null })).toThrow('query: a text is expected, not null.');
  expect(() => parseRequest(Query, { query: 'q', colour: null })).toThrow('colour: this key is unknown.');
});

it('returns the same object if nothing is null', () => {
  const given = { query: 'q', block: { inner: { size: 1 } }, files: [{ path: 'b' }] };
  expect(withoutNulls(Query, given)).toBe(given);
});

it('accepts null for every optional field of every request', () => {
  for (const [name, { input }] of Object.entries(operations)) {
    if (!(input instanceof z.ZodObject)) continue;
    const optional = Object.entries(input.shape).filter(([, field]) => (field as z.ZodType).safeParse(undefined).success);
    const nulls = Object.fromEntries(optional.map(([key]) => [key, null]));
    expect([name, withoutNulls(input, nulls)]).toEqual([name, {}]);
  }
});

const nested = (levels: number, inner: unknown = 1): unknown => (levels === 0 ? inner : nested(levels - 1, { a: inner }));
const wide = (keys: number) => Object.fromEntries(Array.from({ length: keys }, (_, i) => [`k${i}`, i]));
function deepList(levels: number): unknown {
  let list: unknown = [];
  for (let i = 0; i < levels; i++) list = [list];
  return list;
}

it.each([
  [null],
  ['x'],
  [{ query: 'x', filter: { a: 1 } }],
  [nested(60)],
  [{ metadata: wide(10_000) }],
  [{ chunks: Array.from({ length: 20_000 }, (_, i) => i) }],
  [{ bytes: Buffer.alloc(20_000) }],
])('a value of a usual shape passes (%#)', (value) => {
  expect(() => assertPlainData(value)).not.toThrow();
});

it('rejects a value that is nested too deep or contains itself', () => {
  const itself: Record<string, unknown> = {};
  itself.itself = itself;
  for (const markdown of [deepList(50_000), itself])
    expect(() => assertPlainData({ markdown })).toThrow(
      expect.objectContaining({ code: 'usage', message: expect.stringMatching(/^markdown.*64/) }),
    );
});

it('rejects an object with too many keys by its path', () => {
  expect(() => assertPlainData({ markdown: [{ text: 'x', metadata: wide(10_001) }] })).toThrow(
    'markdown[0].metadata: at most 10,000 keys are expected, not 10,001.',
  );
  expect(() => assertPlainData(wide(10_001))).toThrow(/^the request: /);
});

it('rejects a key that schemas drop silently by its path, at any depth, but not similar keys', () => {
  const hostile = (text: string) => () => assertPlainData(JSON.parse(text));
  expect(hostile('{"source":"two","__proto__":"x"}')).toThrow('__proto__: no key may have this name.');
  expect(hostile('{"filter":{"or":[{"a":1},{"__proto__":{"b":1}}]}}')).toThrow('filter.or[1].__proto__: no key may have this name.');
  expect(hostile('{"metadata":{"constructor":"x","prototype":1,"toString":true,"x__proto__":""}}')).not.toThrow();
});

it('rejects a key that is too long, and shows only its beginning', () => {
  const refusal = expect.objectContaining({
    code: 'usage',
    message: `filter.${'k'.repeat(60)}…: a key has at most 256 characters, not 1000000.`,
  });
  expect(() => assertPlainData({ filter: { ['k'.repeat(1_000_000)]: 1 } })).toThrow(refusal);
  expect(() => assertPlainData({ filter: { ['k'.repeat(256)]: 1 } })).not.toThrow();
});

it('rejects a value with too many lists and objects in all', () => {
  const lists = (count: number) => ({ metadata: { lists: Array.from({ length: count }, () => []) } });
  expect(() => assertPlainData(lists(400_000))).toThrow('the request: at most 400,000 lists and objects are expected in all.');
  expect(() => assertPlainData(lists(390_000))).not.toThrow();
});

it('finds in a text what it rejects in the value', () => {
  expect(findUnsafeJson('['.repeat(5_000_000))).toBe('at most 64 levels of lists and objects');
  expect(findUnsafeJson(JSON.stringify({ a: wide(10_001) }))).toBe('at most 10,000 keys in one object');
  const lists = (count: number) => Array.from({ length: count }, () => Array.from({ length: 100 }, () => []));
  expect(findUnsafeJson(JSON.stringify(lists(4_000)))).toBe('at most 400,000 lists and objects in all');
  const long = (length: number) => ({ a: { b: Array.from({ length }, () => 0) } });
  expect(findUnsafeJson(JSON.stringify(long(20_001)))).toBe('at most 20,000 entries in one list');
  for (const value of [nested(60), { a: wide(10_000), b: wide(10_000) }, lists(3_900), [long(20_000), long(20_000)]])
    expect(findUnsafeJson(JSON.stringify(value))).toBeUndefined();
});

it('takes no sign in a string for structure', () => {
  const strings = fc.array(fc.string({ unit: fc.constantFrom('[', '{', ':', '"', '\\', 'a', '\n') }), { maxLength: 5 });
  fc.assert(
    fc.property(strings, (texts) => {
      const deep = JSON.stringify({ ['['.repeat(100)]: texts, more: texts.map((text) => ({ [text]: '{'.repeat(100) })) });
      expect(findUnsafeJson(deep)).toBeUndefined();
      expect(findUnsafeJson(`${'['.repeat(100)}${deep}`)).toBeDefined();
    }),
  );
});
