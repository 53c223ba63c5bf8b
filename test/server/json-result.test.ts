import fc from 'fast-check';
import { expect, it } from 'vitest';
import { jsonPieces } from '../../src/server/json-result.ts';

it('writes a value as JSON.stringify does', () => {
  const write = (value: unknown) => [...jsonPieces(value)].join('');
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
      expect(write(value)).toBe(JSON.stringify(value));
    }),
  );
  const odd = { a: undefined, b: [undefined, () => 1, Number.NaN], c: new Date(0), d: { e: () => 1 }, f: Float32Array.of(1, 2) };
  expect(write(odd)).toBe(JSON.stringify(odd));
});
