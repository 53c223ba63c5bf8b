import { expect, test } from 'vitest';
import type { StoredChunk } from '../../../src/ports/stores.ts';
import type { Arm, FusedCandidate } from '../../../src/stages/retrieve/fuse.ts';
import { rescore } from '../../../src/stages/retrieve/rescore.ts';

const LONG = 'The lock keeps other writers out until the transaction ends, and readers see what was committed before. '.repeat(5);

const candidate = (id: string, fused: number, more: Partial<StoredChunk> = {}): FusedCandidate => ({
  chunk: { id, text: `${id}. ${LONG}`, source: `${id}.md`, metadata: {}, chunk_count: 9, ...more },
  fused,
  places: {},
});
const arm = (...candidates: FusedCandidate[]): Arm => ({
  hits: candidates.map(({ chunk, fused }) => ({ chunk, score: 10 * fused })),
  limit: 100,
  weight: 0.5,
});
const ids = (candidates: readonly FusedCandidate[]) => candidates.map(({ chunk }) => chunk.id);

test('a passage with two neighbouring words of the query goes before one that has them apart', async () => {
  const apart = candidate('apart', 0.82, { text: `A key of a foreign table. ${LONG}` });
  const together = candidate('together', 0.8, { text: `Foreign keys are checked. ${LONG}` });
  const others = ['c', 'd', 'e'].map((id) => candidate(id, 0.1));
  const all = [apart, together, ...others];
  const [first, second] = await rescore('what is a foreign key', all, { text: arm(...all) });
  expect([first!.chunk.id, second!.chunk.id]).toEqual(['together', 'apart']);
  expect(first!.rescored!.bigrams).toBeGreaterThan(0.02);
  expect(second!.rescored).toBeUndefined();
});

test('a query of one word, and a search without words, have no pairs', async () => {
  const all = [candidate('a', 0.8, { text: `Foreign keys. ${LONG}` }), candidate('b', 0.7)];
  expect(await rescore('foreign', all, { text: arm(...all) })).toEqual(all);
  expect(await rescore('foreign key', all, {})).toEqual(all);
});

test('contents, indexes and change logs stand back where none is asked for', async () => {
  const all = [candidate('log', 0.8, { metadata: { page_kind: 'changelog' } }), candidate('page', 0.75)];
  expect(ids(await rescore('What is a lock?', all, {}))).toEqual(['page', 'log']);
  expect((await rescore('What is a lock?', all, {}))[1]).toMatchObject({ fused: 0.7000000000000001, rescored: { page_kind: -0.1 } });
  for (const query of ['What changed about locks?', 'Welche Änderungen gibt es bei Sperren?'])
    expect(ids(await rescore(query, all, {}))).toEqual(['log', 'page']);
});

test('a scrap of a longer document stands back, a short document and one of few letters that say much do not', async () => {
  const whole = candidate('whole', 0.75);
  const scrap = { text: '## See also' };
  expect(ids(await rescore('locks', [candidate('scrap', 0.8, scrap), whole], {}))).toEqual(['whole', 'scrap']);
  expect(ids(await rescore('locks', [candidate('alone', 0.8, { ...scrap, chunk_count: 1 }), whole], {}))).toEqual(['alone', 'whole']);
  const chinese = { text: '在事务结束之前，锁会阻止其他写入者。'.repeat(8) };
  expect(ids(await rescore('locks', [candidate('chinese', 0.8, chinese), whole], {}))).toEqual(['chinese', 'whole']);
});

test('no score falls below 0', async () => {
  expect((await rescore('locks', [candidate('scrap', 0.01, { text: '## See also' })], {}))[0]!.fused).toBe(0);
});

test('a passage in the company of the best goes before one that says as much of something else', async () => {
  const at = (degrees: number) => ({ vector: Float32Array.of(Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)) });
  const best = [0, 2, 4, 6].map((degrees, i) => candidate(`best${i}`, 0.9 - i / 100, at(degrees)));
  const all = [...best, candidate('else', 0.61, at(90)), candidate('like', 0.6, at(3))];
  const nothing: Arm = { hits: [], limit: 100, weight: 0.5 };
  const found = await rescore('locks', all, { text: nothing, vector: nothing });
  expect(ids(found).slice(-2)).toEqual(['like', 'else']);
  expect(found.at(-2)!.rescored!.centroid).toBeGreaterThan(found.at(-1)!.rescored!.centroid! + 0.1);
  for (const arms of [{}, { text: nothing }, { vector: nothing }]) expect(ids(await rescore('locks', all, arms))).toEqual(ids(all));
});
