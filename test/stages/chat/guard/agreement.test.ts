import { expect, test } from 'vitest';
import type { Embedder } from '../../../../src/ports/models.ts';
import { agreesWithQuotation } from '../../../../src/stages/chat/guard/agreement.ts';

const sources = [
  { citation: 1, title: 'Fares', text: 'A day ticket costs 34 francs. It is valid until the last cabin.', score: 0.9 },
  { citation: 2, title: 'Wind', text: 'Above 70 kilometres per hour the ropeway stands still.', score: 0.5 },
];
const grounding = { query: 'What does a day ticket cost?', sources };

test.each([
  ['A day ticket costs 34 francs [1].', true],
  ['Above 70 kilometres per hour the ropeway stands still [2]. A day ticket costs 34 francs.', true],
  ['Above 70 kilometres per hour the ropeway stands still [2].', false],
  ['A day ticket has a cost.', false],
])('whether %j says what would be quoted: %j', async (answer, agrees) => {
  expect(await agreesWithQuotation(answer, grounding, {})).toBe(agrees);
});

test('compares by words if the embedder fails', async () => {
  const embedder: Embedder = {
    provider: 'test',
    model: 'broken',
    dimensions: 2,
    concurrency: 1,
    min_retrieval_score: 0.5,
    embed: async () => Promise.reject(new Error('It is away.')),
    close: async () => {},
  };
  expect(await agreesWithQuotation('A day ticket costs 34 francs.', grounding, { embedder })).toBe(true);
});
