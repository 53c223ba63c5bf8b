import { array, assert, integer, property } from 'fast-check';
import { expect, it } from 'vitest';
import { ByteCollector } from '../../src/core/byte-collector.ts';

it('returns the bytes of pieces of any size, whole or their beginning', () => {
  assert(
    property(array(integer({ min: 0, max: 40_000 }), { maxLength: 12 }), integer({ min: 0, max: 1_000 }), (lengths, limit) => {
      const pieces = lengths.map((length, i) => Buffer.alloc(length, `${i},`));
      const bytes = new ByteCollector();
      for (const piece of pieces) bytes.add(piece);
      const whole = Buffer.concat(pieces);
      expect(bytes.length).toBe(whole.length);
      expect(bytes.concat().equals(whole)).toBe(true);
      expect(bytes.concat(Math.min(limit, whole.length)).equals(whole.subarray(0, limit))).toBe(true);
    }),
    { numRuns: 60 },
  );
});

it('keeps single bytes in little more memory than they have', () => {
  const bytes = new ByteCollector();
  for (let i = 0; i < 1_000_000; i++) bytes.add(Buffer.from([97]));
  expect(bytes.concat()).toHaveLength(1_000_000);
  expect(bytes.pieceCount).toBe(16);
});
