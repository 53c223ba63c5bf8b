import { expect, it } from 'vitest';
import { z } from 'zod';
import { parseRequest, withoutNulls } from '../../src/core/parse-request.ts';
import { operations } from '../../src/schema/operations.ts';

const schema = z.strictObject({
  query: z.string(),
  top_k: z.int().optional(),
  mode: z.string().default('hybrid'),
  block: z.strictObject({ model: z.string().optional(), inner: z.strictObject({ size: z.int().optional() }).optional() }).optional(),
  metadata: z.record(z.string(), z.unknown()).optional(),
  files: z
    .union([z.string(), z.array(z.union([z.string(), z.strictObject({ path: z.string(), title: z.string().optional() })]))])
    .optional(),
});

it('leaves out what is null and may be absent, at every depth', () => {
  const given = {
    query: 'q',
    top_k: null,
    mode: null,
    block: { model: null, inner: { size: null } },
    files: ['a', { path: 'b', title: null }],
  };
  expect(withoutNulls(schema, given)).toEqual({ query: 'q', block: { inner: {} }, files: ['a', { path: 'b' }] });
  expect(given.files[1]).toEqual({ path: 'b', title: null });
  expect(parseRequest(schema, given)).toMatchObject({ query: 'q', mode: 'hybrid' });
});

it('leaves null where something is needed, where the schema does not know the key, and in what it does not describe', () => {
  for (const given of [
    { query: null },
    { query: 'q', colour: null },
    { query: 'q', metadata: { a: null } },
    { files: [null] },
    null,
    'q',
    [null],
  ])
    expect(withoutNulls(schema, given)).toEqual(given);
  expect(() => parseRequest(schema, { query: null })).toThrow('query: a text is expected, not null.');
  expect(() => parseRequest(schema, { query: 'q', colour: null })).toThrow('colour: this key is unknown.');
});

it('hands back the same value where nothing is null', () => {
  const given = { query: 'q', block: { inner: { size: 1 } }, files: [{ path: 'b' }] };
  expect(withoutNulls(schema, given)).toBe(given);
});

it('takes null for every optional field of every request', () => {
  for (const [name, { input }] of Object.entries(operations)) {
    if (!(input instanceof z.ZodObject)) continue;
    const optional = Object.entries(input.shape).filter(([, field]) => (field as z.ZodType).safeParse(undefined).success);
    const nulls = Object.fromEntries(optional.map(([key]) => [key, null]));
    expect([name, withoutNulls(input, nulls)]).toEqual([name, {}]);
  }
});
