import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { parseRequest } from '../../src/core/parse-request.ts';

const Item = z.strictObject({ id: z.string(), numbers: z.array(z.number()).optional() });
const schema = z.strictObject({ items: z.union([z.string(), z.array(Item)]) });

describe('a value', () => {
  it('that fits is handed back as the schema makes it', () => {
    expect(parseRequest(z.object({ a: z.int().default(5) }), {})).toEqual({ a: 5 });
  });

  it('that does not fit is told of, with the number of other misfits', () => {
    expect(() => parseRequest(schema, { items: [{ id: 1 }, { id: 2 }] })).toThrow(
      'items[0].id: a text is expected, not a number (and 1 more).',
    );
  });

  it('with thousands of misfits is told of by the first that its lists begin with', () => {
    const thousands = Array.from({ length: 10_001 }, (_, id) => ({ id }));
    expect(() => parseRequest(schema, { items: thousands })).toThrow('items[0].id: a text is expected, not a number (and thousands more).');
    const wide = z.array(z.number());
    expect(() => parseRequest(wide, Array(10_001).fill('x'))).toThrow('[0]: a number is expected, not a text (and thousands more).');
  });

  it('with thousands of misfits behind what fits is refused without a name', () => {
    const late = Array.from({ length: 10_020 }, (_, id) => ({ id: id < 15 ? 'x' : id }));
    expect(() => parseRequest(schema, { items: late })).toThrow('the request: more than 10,000 values in it do not fit.');
  });

  it('with a misfit in one entry of a long list is told of that one', () => {
    const items = Array.from({ length: 20_000 }, (_, i) => ({ id: String(i) }) as { id: unknown });
    items[15_000] = { id: false };
    expect(() => parseRequest(schema, { items })).toThrow('items[15000].id: a text is expected, not false.');
  });
});
