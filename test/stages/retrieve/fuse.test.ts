import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Hit, StoredChunk } from '../../../src/ports/stores.ts';
import { type Arm, fuse, type FusedCandidate, rescore } from '../../../src/stages/retrieve/fuse.ts';

const hit = (id: string, score: number): Hit => ({ chunk: { id, text: id, source: 's', metadata: {} }, score });
const arm = (hits: Hit[], weight: number, limit = 100): Arm => ({ hits, limit, weight });
const ids = (candidates: readonly FusedCandidate[]) => candidates.map(({ chunk }) => chunk.id);

test('divides the scores of each arm by its best and weights them', () => {
  const fused = fuse({ text: arm([hit('a', 20), hit('b', 10)], 0.5), vector: arm([hit('b', 0.8), hit('a', 0.2)], 0.5) });
  expect(fused.map(({ chunk, fused: score }) => [chunk.id, score])).toEqual([
    ['b', 0.75],
    ['a', 0.625],
  ]);
});

test('counts scores from the floor of their arm', () => {
  const vector = { ...arm([hit('a', 0.9), hit('b', 0.8), hit('c', 0.7)], 1), floor: 0.75 };
  expect(fuse({ vector }).map(({ fused }) => Number(fused.toFixed(3)))).toEqual([1, 0.333, 0]);
});

test('keeps the rank and score of a chunk in each arm', () => {
  const [first] = fuse({ text: arm([hit('b', 9), hit('a', 3)], 0.2), vector: arm([hit('a', 0.7)], 0.8) });
  expect(first!.chunk.id).toBe('a');
  expect(first!.ranks).toEqual({ text: { rank: 2, score: 3 }, vector: { rank: 1, score: 0.7 } });
});

test('ignores an arm of weight 0', () => {
  const text = arm([hit('a', 3), hit('b', 2)], 1);
  expect(ids(fuse({ text, vector: arm([hit('b', 0.9), hit('a', 0.1)], 0) }))).toEqual(ids(fuse({ text })));
});

test('scores a chunk missing from a truncated list like its last hit, and one missing from a complete list as 0', () => {
  const text = arm([hit('a', 10)], 0.5);
  const vector = (limit: number) => arm([hit('b', 0.8), hit('c', 0.6)], 0.5, limit);
  const score = (limit: number) => fuse({ text, vector: vector(limit) }).find(({ chunk }) => chunk.id === 'a')!.fused;
  expect(score(2)).toBeCloseTo(0.5 + 0.5 * 0.75);
  expect(score(3)).toBeCloseTo(0.5);
});

test('uses the known score of a chunk that an arm does not list, without a rank', () => {
  const vector = { ...arm([hit('b', 0.8)], 0.5, 1), score: () => 0.2 };
  const [first] = fuse({ text: arm([hit('a', 10)], 0.5), vector });
  expect(first!.ranks).toEqual({ text: { rank: 1, score: 10 }, vector: { score: 0.2 } });
  expect(first!.fused).toBeCloseTo(0.5 + 0.5 * 0.25);
});

test('orders equal scores by id, however the store lists them', () => {
  const hits = [hit('b', 5), hit('a', 5), hit('c', 5)];
  expect(ids(fuse({ text: arm(hits, 1) }))).toEqual(['a', 'b', 'c']);
  expect(ids(fuse({ text: arm(hits.toReversed(), 1) }))).toEqual(['a', 'b', 'c']);
});

test('keeps chunks with the same text from several sources', () => {
  const twin = (id: string, source: string): Hit => ({ chunk: { id, text: 'the same', source, metadata: {} }, score: 4 });
  expect(fuse({ text: arm([twin('1', 'x.md'), twin('2', 'y.md')], 1) }).map(({ chunk }) => chunk.source)).toEqual(['x.md', 'y.md']);
});

test('a bonus can rank a chunk before one with a higher score', () => {
  const text = arm([hit('a', 10), hit('b', 9)], 1);
  expect(ids(fuse({ text }))).toEqual(['a', 'b']);
  expect(ids(fuse({ text }, ({ id }) => (id === 'b' ? 0.25 : 0)))).toEqual(['b', 'a']);
});

test('adds nothing for an arm without similar chunks', () => {
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

test('fuses any two arms to every chunk once, best first, between 0 and 1', () => {
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

const LONG = 'The lock keeps other writers out until the transaction ends, and readers see what was committed before. '.repeat(5);

const candidate = (id: string, fused: number, more: Partial<StoredChunk> = {}): FusedCandidate => ({
  chunk: { id, text: `${id}. ${LONG}`, source: `${id}.md`, metadata: {}, chunk_count: 9, ...more },
  fused,
  ranks: {},
});
const armOf = (...candidates: FusedCandidate[]): Arm => ({
  hits: candidates.map(({ chunk, fused }) => ({ chunk, score: 10 * fused })),
  limit: 100,
  weight: 0.5,
});

test('ranks a passage with two adjacent query words before one that has them apart', async () => {
  const apart = candidate('apart', 0.82, { text: `A key of a foreign table. ${LONG}` });
  const together = candidate('together', 0.8, { text: `Foreign keys are checked. ${LONG}` });
  const others = ['c', 'd', 'e'].map((id) => candidate(id, 0.1));
  const all = [apart, together, ...others];
  const [first, second] = await rescore('what is a foreign key', all, { text: armOf(...all) });
  expect([first!.chunk.id, second!.chunk.id]).toEqual(['together', 'apart']);
  expect(first!.rescored!.bigrams).toBeGreaterThan(0.02);
  expect(second!.rescored).toBeUndefined();
});

test('adds nothing for pairs to a query of one word or a search without words', async () => {
  const all = [candidate('a', 0.8, { text: `Foreign keys. ${LONG}` }), candidate('b', 0.7)];
  expect(await rescore('foreign', all, { text: armOf(...all) })).toEqual(all);
  expect(await rescore('foreign key', all, {})).toEqual(all);
});

test('ranks contents, indexes and change logs lower unless they are asked for', async () => {
  const all = [candidate('log', 0.8, { metadata: { page_kind: 'changelog' } }), candidate('page', 0.75)];
  expect(ids(await rescore('What is a lock?', all, {}))).toEqual(['page', 'log']);
  expect((await rescore('What is a lock?', all, {}))[1]).toMatchObject({ fused: 0.7000000000000001, rescored: { page_kind: -0.1 } });
  for (const query of ['What changed about locks?', 'Welche Änderungen gibt es bei Sperren?'])
    expect(ids(await rescore(query, all, {}))).toEqual(['log', 'page']);
});

test('ranks a page that another version has replaced below a page that fits less well, whatever is asked for', async () => {
  const all = [candidate('old', 0.95, { metadata: { page_kind: 'outdated' } }), candidate('page', 0.7)];
  for (const query of ['What is a lock?', 'What changed about locks?']) expect(ids(await rescore(query, all, {}))).toEqual(['page', 'old']);
});

test('ranks a short fragment of a longer document lower, but no short document and no dense script', async () => {
  const whole = candidate('whole', 0.75);
  const scrap = { text: '## See also' };
  expect(ids(await rescore('locks', [candidate('scrap', 0.8, scrap), whole], {}))).toEqual(['whole', 'scrap']);
  expect(ids(await rescore('locks', [candidate('alone', 0.8, { ...scrap, chunk_count: 1 }), whole], {}))).toEqual(['alone', 'whole']);
  const chinese = { text: '在事务结束之前，锁会阻止其他写入者。'.repeat(8) };
  expect(ids(await rescore('locks', [candidate('chinese', 0.8, chinese), whole], {}))).toEqual(['chinese', 'whole']);
});

test('keeps scores at 0 or above', async () => {
  expect((await rescore('locks', [candidate('scrap', 0.01, { text: '## See also' })], {}))[0]!.fused).toBe(0);
});

test('ranks a passage that is similar to the best before an equally good one about something else', async () => {
  const at = (degrees: number) => ({ vector: Float32Array.of(Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)) });
  const best = [0, 2, 4, 6].map((degrees, i) => candidate(`best${i}`, 0.9 - i / 100, at(degrees)));
  const all = [...best, candidate('else', 0.61, at(90)), candidate('like', 0.6, at(3))];
  const nothing: Arm = { hits: [], limit: 100, weight: 0.5 };
  const found = await rescore('locks', all, { text: nothing, vector: nothing });
  expect(ids(found).slice(-2)).toEqual(['like', 'else']);
  expect(found.at(-2)!.rescored!.centroid).toBeGreaterThan(found.at(-1)!.rescored!.centroid! + 0.1);
  for (const arms of [{}, { text: nothing }, { vector: nothing }]) expect(ids(await rescore('locks', all, arms))).toEqual(ids(all));
});
