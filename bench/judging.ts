import { mean } from './beir.ts';

/** Every other item: 0 is what weights and thresholds are chosen on, 1 what they are measured on. */
export const half = <T>(items: readonly T[], which: 0 | 1): T[] => items.filter((_, i) => i % 2 === which);

export const below = (scores: readonly number[], threshold: number): number =>
  scores.filter((score) => score < threshold).length / scores.length;

/** The score below which that share of the scores lies. */
export const kth = (scores: readonly number[], part: number): number => scores.toSorted((a, b) => a - b)[Math.floor(part * scores.length)]!;

/** The area under the curve: how often a good one scores more than a bad one. */
export const area = (good: readonly number[], bad: readonly number[]): number =>
  mean(good.flatMap((a) => bad.map((b) => (a > b ? 1 : a === b ? 0.5 : 0))));

const STEPS = 4000;
const PACE = 2;

/** The weights of a logistic regression that tells good from bad, by gradient descent over standardized features; given back for the features as they are. */
export function fitted<Feature extends string>(
  features: readonly Feature[],
  good: readonly Readonly<Record<Feature, number | undefined>>[],
  bad: readonly Readonly<Record<Feature, number | undefined>>[],
): Record<string, number> {
  const rows = [...good, ...bad].map((row) => features.map((feature) => row[feature] ?? 0));
  const centre = features.map((_, k) => mean(rows.map((row) => row[k]!)));
  const spread = features.map((_, k) => Math.sqrt(mean(rows.map((row) => (row[k]! - centre[k]!) ** 2))) || 1);
  const scaled = rows.map((row) => [1, ...row.map((value, k) => (value - centre[k]!) / spread[k]!)]);
  const weights = Array.from({ length: features.length + 1 }, () => 0);
  for (let step = 0; step < STEPS; step++) {
    const gradient = weights.map(() => 0);
    for (const [i, row] of scaled.entries()) {
      const logit = row.reduce((sum, value, k) => sum + value * weights[k]!, 0);
      const error = (i < good.length ? 1 : 0) - 1 / (1 + Math.exp(-logit));
      for (const [k, value] of row.entries()) gradient[k]! += error * value;
    }
    for (const k of weights.keys()) weights[k]! += (PACE * gradient[k]!) / rows.length;
  }
  const own = features.map((feature, k) => [feature, weights[k + 1]! / spread[k]!] as const);
  return { bias: weights[0]! - own.reduce((sum, [, weight], k) => sum + weight * centre[k]!, 0), ...Object.fromEntries(own) };
}
