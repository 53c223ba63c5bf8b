import type { EvaluationResult } from '../../schema/evaluation.ts';
import { contributions, type Interval, type Judged, mean, meanInterval, valuesByName } from './summarize.ts';

/** What the second of two evaluations brings, question by question. */
export interface Difference {
  /** Mean of second minus first over the questions that both counted. */
  difference: number;
  /** 95 % interval of it; one without 0 is more than chance. */
  interval: Interval;
  /** Questions that the second did better, and worse. */
  better: number;
  worse: number;
}

/** The paired differences of every figure that both have. Both results come with their items. */
export function compareResults(first: EvaluationResult, second: EvaluationResult, judged: ReadonlySet<string>): Record<string, Difference> {
  const values = ({ items }: EvaluationResult) =>
    new Map(items.map((outcome) => [outcome.id, contributions({ ...outcome, must: judged.has(outcome.id) } as Judged)]));
  const [before, after] = [values(first), values(second)];
  const pairs = Array.from(before, ([id, figures]) => {
    const others = after.get(id) ?? {};
    return Object.fromEntries(Object.entries(figures).flatMap(([name, value]) => (name in others ? [[name, others[name]! - value]] : [])));
  });
  return Object.fromEntries(
    Array.from(valuesByName(pairs), ([name, differences]) => [
      name,
      {
        difference: mean(differences),
        interval: meanInterval(differences),
        better: differences.filter((value) => value > 0).length,
        worse: differences.filter((value) => value < 0).length,
      },
    ]),
  );
}
