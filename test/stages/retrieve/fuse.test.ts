import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Hit } from '../../../src/ports/stores.ts';
import { fuse, type Arm } from '../../../src/stages/retrieve/fuse.ts';

const hit = (id: string, score: number): Hit => ({ chunk: { id, text: id, source: 's', metadata: {} }, score });
const arm = (hits: Hit[], weight: number, limit = 100): Arm => ({ hits, limit, weight });
const ids = (candidates: ReturnType<typeof fuse>) => candidates.map(({ chunk }) => chunk.id);

test("each arm's scores are divided by the arm's best and weighted", () => {
  const fused = fuse({ text: arm([hit('a', 20), hit('b', 10)], 0.5), vector: arm([hit('b', 0.8), hit('a', 0.2)], 0.5) });
  expect(fused.map(({ chunk, fused: score }) => [chunk.id, score])).toEqual([
    ['b', 0.75],
    ['a', 0.625],
  ]);
});

test('scores count from the floor of their arm', () => {
  const vector = { ...arm([hit('a', 0.9), hit('b', 0.8), hit('c', 0.7)], 1), floor: 0.75 };
  expect(fuse({ vector }).map(({ fused }) => Number(fused.toFixed(3)))).toEqual([1, 0.333, 0]);
});

test('a chunk keeps its rank and score in each arm', () => {
  const [first] = fuse({ text: arm([hit('b', 9), hit('a', 3)], 0.2), vector: arm([hit('a', 0.7)], 0.8) });
  expect(first!.chunk.id).toBe('a');
  expect(first!.places).toEqual({ text: { rank: 2, score: 3 }, vector: { rank: 1, score: 0.7 } });
});

test('an arm that weighs nothing changes nothing', () => {
  const text = arm([hit('a', 3), hit('b', 2)], 1);
  expect(ids(fuse({ text, vector: arm([hit('b', 0.9), hit('a', 0.1)], 0) }))).toEqual(ids(fuse({ text })));
});

test('what is missing from a list that was cut off scores as its last hit; what is missing from a whole one scores nothing', () => {
  const text = arm([hit('a', 10)], 0.5);
  const vector = (limit: number) => arm([hit('b', 0.8), hit('c', 0.6)], 0.5, limit);
  const score = (limit: number) => fuse({ text, vector: vector(limit) }).find(({ chunk }) => chunk.id === 'a')!.fused;
  expect(score(2)).toBeCloseTo(0.5 + 0.5 * 0.75);
  expect(score(3)).toBeCloseTo(0.5);
});

test('where an arm can tell what a chunk scores that it does not list, that counts, without a rank', () => {
  const vector = { ...arm([hit('b', 0.8)], 0.5, 1), score: () => 0.2 };
  const [first] = fuse({ text: arm([hit('a', 10)], 0.5), vector });
  expect(first!.places).toEqual({ text: { rank: 1, score: 10 }, vector: { score: 0.2 } });
  expect(first!.fused).toBeCloseTo(0.5 + 0.5 * 0.25);
});

test('equal scores are in the order of ids, however the store lists them', () => {
  const hits = [hit('b', 5), hit('a', 5), hit('c', 5)];
  expect(ids(fuse({ text: arm(hits, 1) }))).toEqual(['a', 'b', 'c']);
  expect(ids(fuse({ text: arm(hits.toReversed(), 1) }))).toEqual(['a', 'b', 'c']);
});

test('chunks of the same text from several sources are all kept', () => {
  const twin = (id: string, source: string): Hit => ({ chunk: { id, text: 'the same', source, metadata: {} }, score: 4 });
  expect(fuse({ text: arm([twin('1', 'x.md'), twin('2', 'y.md')], 1) }).map(({ chunk }) => chunk.source)).toEqual(['x.md', 'y.md']);
});

test('a bonus lifts a chunk over one that scores higher', () => {
  const text = arm([hit('a', 10), hit('b', 9)], 1);
  expect(ids(fuse({ text }))).toEqual(['a', 'b']);
  expect(ids(fuse({ text }, ({ id }) => (id === 'b' ? 0.25 : 0)))).toEqual(['b', 'a']);
});

test('an arm in which nothing is similar adds nothing', () => {
  const fused = fuse({ vector: arm([hit('a', -0.1), hit('b', -0.4)], 1) });
  expect(fused.map(({ fused: score }) => score)).toEqual([0, 0]);
});

const hits = (least: number, most: number) =>
  fc
    .uniqueArray(fc.record({ id: fc.integer({ min: 0, max: 40 }).map(String), score: fc.double({ min: least, max: most, noNaN: true }) }), {
      selector: ({ id }) => id,
      maxLength: 30,
    })
    .map((found) => found.map(({ id, score }) => hit(id, score)).toSorted((a, b) => b.score - a.score));

test('any two arms give every chunk once, best first, between 0 and 1', () => {
  fc.assert(
    fc.property(
      hits(0, 50),
      hits(-1, 1),
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.integer({ min: 1, max: 30 }),
      (text, vector, weight, limit) => {
        const fused = fuse({ text: arm(text, 1 - weight, limit), vector: arm(vector, weight, limit) });
        expect(new Set(ids(fused))).toEqual(new Set([...text, ...vector].map(({ chunk }) => chunk.id)));
        expect(fused).toHaveLength(new Set(ids(fused)).size);
        for (const [i, { fused: score }] of fused.entries()) {
          expect(score).toBeGreaterThanOrEqual(0);
          expect(score).toBeLessThanOrEqual(1 + 1e-9);
          expect(score).toBeLessThanOrEqual(fused[i - 1]?.fused ?? Infinity);
        }
      },
    ),
  );
});
