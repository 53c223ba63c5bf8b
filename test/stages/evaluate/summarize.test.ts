import { describe, expect, it } from 'vitest';
import type { EvaluationResult } from '../../../src/schema/evaluation.ts';
import {
  compareResults,
  type JudgedOutcome,
  meanInterval,
  percentile,
  shareInterval,
  summarize,
} from '../../../src/stages/evaluate/summarize.ts';

const outcome = (id: string, rest: Partial<JudgedOutcome>): JudgedOutcome => ({
  id,
  question: id,
  answerable: true,
  milliseconds: 10,
  must: false,
  ...rest,
});
const options = { errors: [], failed: 0, missing_sources: [], lists: true };

describe('the figures of a golden set', () => {
  it('match figures computed by hand', () => {
    const { retrieval, by_type, worst } = summarize(
      [outcome('a', { rank: 1, type: 'fact' }), outcome('b', { rank: 2, type: 'fact' }), outcome('c', { rank: 0, type: 'trap' })],
      options,
    );
    expect(retrieval).toMatchObject({ 'recall@1': 1 / 3, 'recall@5': 2 / 3, 'recall@10': 2 / 3, hit_rate: 2 / 3, mrr: 0.5 });
    expect(retrieval!['ndcg@10']).toBeCloseTo((1 + 1 / Math.log2(3)) / 3);
    expect(by_type['fact']!.retrieval!['recall@1']).toBe(0.5);
    expect(worst.map(({ id }) => id)).toEqual(['c', 'b']);
  });

  it('count answers, refusals and confidence over the questions that they concern', () => {
    const { answers, refusals, calibration, retrieval } = summarize(
      [
        outcome('right', { must: true, verdict: 'right', level: 'high', probability: 0.9 }),
        outcome('wrong', { must: true, verdict: 'wrong', level: 'high', probability: 0.7 }),
        outcome('wrongly declined', { must: true, verdict: 'declined', level: 'none' }),
        outcome('rightly declined', { answerable: false, verdict: 'declined', level: 'none' }),
        outcome('invented', { answerable: false, verdict: 'wrong', level: 'low' }),
        outcome('not judged', { level: 'high' }),
      ],
      options,
    );
    expect(answers).toEqual({ right: 1, partly: 0, wrong: 1, declined: 1 });
    expect(refusals).toEqual({ precision: 0.5, recall: 0.5 });
    expect(calibration).toEqual([
      { level: 'high', answers: 2, right: 1, probability: 0.8 },
      { level: 'low', answers: 1, right: 0 },
    ]);
    expect(retrieval).toBeUndefined();
  });

  it('list a wrong answer with high confidence first', () => {
    const { worst } = summarize(
      [
        outcome('late', { rank: 4 }),
        outcome('low', { must: true, verdict: 'wrong', level: 'low', rank: 0 }),
        outcome('sure', { must: true, verdict: 'wrong', level: 'high', rank: 1 }),
        outcome('refused', { answerable: false, verdict: 'declined', level: 'none' }),
        outcome('fine', { must: true, verdict: 'right', level: 'high', rank: 1 }),
      ],
      options,
    );
    expect(worst.map(({ id }) => id)).toEqual(['sure', 'low', 'late']);
  });
});

describe('intervals', () => {
  it('follow Wilson for a share', () => {
    const [low, high] = shareInterval(8, 10);
    expect([low.toFixed(3), high.toFixed(3)]).toEqual(['0.490', '0.943']);
    expect(shareInterval(0, 5)[0]).toBe(0);
    expect(shareInterval(5, 5)[1]).toBe(1);
  });

  it('stay between 0 and 1 for a mean of ranks', () => {
    const { intervals } = summarize(
      [1, 1, 2].map((rank, i) => outcome(String(i), { rank })),
      options,
    );
    expect(intervals['mrr']!.map((end) => end.toFixed(2))).toEqual(['0.31', '0.98']);
  });

  it('widen with the variance of a mean', () => {
    expect(meanInterval([0.5, 0.5, 0.5])).toEqual([0.5, 0.5]);
    expect(meanInterval([0, 1])[0]).toBeLessThan(0);
    expect(meanInterval([0.3])).toEqual([0.3, 0.3]);
  });

  it('come with percentiles that are measured numbers', () => {
    expect([percentile([3, 1, 2], 50), percentile([3, 1, 2], 95), percentile([], 50)]).toEqual([2, 3, 0]);
  });
});

describe('two evaluations', () => {
  it('are compared by paired differences of questions', () => {
    const of = (...ranks: number[]): EvaluationResult =>
      summarize(
        ranks.map((rank, i) => outcome(String(i), { rank })),
        options,
      );
    const { 'recall@1': first, 'recall@5': five } = compareResults(of(1, 2, 0), of(1, 1, 3), new Set());
    expect(first).toMatchObject({ difference: 1 / 3, better: 1, worse: 0 });
    expect(five).toMatchObject({ better: 1, worse: 0 });
    expect(compareResults(of(1), of(2), new Set())['recall@1']).toMatchObject({ difference: -1, worse: 1 });
  });
});
