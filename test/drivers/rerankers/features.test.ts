import { expect, test } from 'vitest';
import { featuresOf } from '../../../src/drivers/rerankers/local-reranker.ts';

const passage = (text: string) => ({ text, score: 0.5, metadata: {} });

test('words count as standing together within thirty words, and a word that was left behind counts no more', () => {
  const between = (count: number) => `filter ${'and so on '.repeat(count / 3)}cartridge`;
  const [near, far, again] = featuresOf('filter cartridge', [
    passage(between(27)),
    passage(between(45)),
    passage(`${between(45)} filter filter`),
  ]);
  expect(near!.window).toBeCloseTo(1);
  expect(far!.window).toBeCloseTo(0.5);
  expect(far!.coverage).toBeCloseTo(1);
  expect(again!.window).toBeCloseTo(1);
});
