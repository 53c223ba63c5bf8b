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

/** What a regression is fitted on. */
export interface Observation<Feature extends string> {
  features: Readonly<Partial<Record<Feature, number | undefined>>>;
  isGood: boolean;
  /** How much it counts. */
  weight: number;
}

/** Rounds of Newton's method: it is at rest long before. */
const ROUNDS = 30;
/** How much a weight is drawn to nothing: features that go together do not fight. */
const RIDGE = 0.3;

/** Solves a system of linear equations by elimination; the right-hand side is the last column. */
function solved(rows: readonly (readonly number[])[]): number[] {
  const left = rows.map((row) => [...row]);
  for (const i of left.keys()) {
    const pivot = left.keys().filter((k) => k >= i).reduce((best, k) => (Math.abs(left[k]![i]!) > Math.abs(left[best]![i]!) ? k : best), i); // prettier-ignore
    [left[i], left[pivot]] = [left[pivot]!, left[i]!];
    for (const [k, row] of left.entries()) {
      if (k === i) continue;
      const factor = row[i]! / left[i]![i]!;
      for (let j = i; j < row.length; j++) row[j]! -= factor * left[i]![j]!;
    }
  }
  return left.map((row, i) => row.at(-1)! / row[i]!);
}

/** The weights of a logistic regression that tells good from bad, with two digits. */
export function fitted<Feature extends string>(
  names: readonly Feature[],
  observations: readonly Observation<Feature>[],
): Record<'bias' | Feature, number> {
  const rows = observations.map(({ features }) => [1, ...names.map((name) => features[name] ?? 0)]);
  let weights = rows[0]!.map(() => 0);
  for (let round = 0; round < ROUNDS; round++) {
    const system = weights.map((weight, i) => [...weights.map((_, k) => (i === k && i > 0 ? RIDGE : 0)), i > 0 ? -RIDGE * weight : 0]);
    for (const [at, row] of rows.entries()) {
      const { isGood, weight } = observations[at]!;
      const chance = 1 / (1 + Math.exp(-row.reduce((sum, value, k) => sum + value * weights[k]!, 0)));
      for (const [i, value] of row.entries()) {
        for (const [k, other] of row.entries()) system[i]![k]! += weight * chance * (1 - chance) * value * other;
        system[i]![row.length]! += weight * (Number(isGood) - chance) * value;
      }
    }
    const steps = solved(system);
    weights = weights.map((weight, i) => weight + steps[i]!);
  }
  return Object.fromEntries(['bias', ...names].map((name, i) => [name, Math.round(weights[i]! * 100) / 100])) as Record<
    'bias' | Feature,
    number
  >;
}
