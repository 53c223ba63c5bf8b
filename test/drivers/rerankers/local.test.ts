import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openLocalReranker } from '../../../src/drivers/rerankers/local-reranker.ts';

const { rank } = openLocalReranker();
const passage = (text: string, { score = 0.5, ...metadata }: Record<string, unknown> & { score?: number } = {}) => ({
  text,
  score,
  metadata,
});

test('of passages that retrieval holds equal, the one whose words stand together as in the query is first', async () => {
  const scores = await rank(
    'replacement interval of the filter cartridge',
    [
      passage('The replacement interval of the filter cartridge is 90 days.'),
      passage(
        `The filter sits beside the pump. ${'The pump hums along quietly. '.repeat(12)} A cartridge has no replacement; the interval is short.`,
      ),
      passage('The canteen closes at two.'),
    ],
    {},
  );
  expect(scores[0]).toBeGreaterThan(scores[1]!);
  expect(scores[0]).toBeGreaterThan(scores[2]!);
});

test('a title and headings that the query names lift a passage', async () => {
  const text = 'Every 90 days, or when the lamp is red.';
  const [plain, titled, headed] = await rank(
    'filter cartridge',
    [passage(text), passage(text, { title: 'Filter cartridge' }), passage(text, { location: { headings: ['Filter cartridge'] } })],
    {},
  );
  expect(titled).toBeGreaterThan(plain!);
  expect(headed).toBeCloseTo(titled!);
});

test('passages of the same words keep the order of their retrieval scores', async () => {
  const scores = await rank(
    'pump',
    [0.9, 0.6, 0.3].map((score) => passage('The pump stops.', { score })),
    {},
  );
  expect(scores).toEqual(scores.toSorted((a, b) => b - a));
  expect(new Set(scores).size).toBe(3);
});

test('no passages give no scores, and a query without a word leaves the order to retrieval', async () => {
  expect(await rank('pump', [], {})).toEqual([]);
  const [first, second] = await rank('???', [passage('a', { score: 0.2 }), passage('b', { score: 0.4 })], {});
  expect(second).toBeGreaterThan(first!);
});

test('any passages get one score each, between 0 and 1, the same every time', async () => {
  const word = fc.constantFrom('pump', 'filter', 'cartridge', 'replace', 'the', '过滤器', 'ERR-4042', '');
  const text = fc.array(word, { maxLength: 60 }).map((words) => words.join(' '));
  const passages = fc.array(fc.record({ text, score: fc.double({ min: 0, max: 1, noNaN: true }), metadata: fc.record({ title: text }) }), {
    maxLength: 20,
  });
  await fc.assert(
    fc.asyncProperty(text, passages, async (query, given) => {
      const scores = await rank(query, given, {});
      expect(scores).toHaveLength(given.length);
      for (const score of scores) expect(score > 0 && score < 1).toBe(true);
      expect(await rank(query, given, {})).toEqual(scores);
    }),
  );
});
