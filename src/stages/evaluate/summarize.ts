import type { EvaluationOutcome, EvaluationResult, Figures, Verdict } from '../../schema/evaluation.ts';

/** Quantile of the normal distribution for an interval of 95%. */
const Z_95 = 1.96;

type Interval = [low: number, high: number];

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

/** Computes the arithmetic mean; NaN of no numbers. */
export const mean = (numbers: readonly number[]): number => sum(numbers) / numbers.length;

/** Computes the nearest-rank percentile (`percent` from 0 to 100); 0 of no numbers. */
export function percentile(numbers: readonly number[], percent: number): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)] ?? 0;
}

/**
 * Computes the 95% interval of a share, by Wilson (1927), which holds for few questions and for shares near 0 and 1. `hits` may also be a
 * sum of numbers from 0 to 1: their mean varies no more than a share does.
 */
export function shareInterval(hits: number, total: number): Interval {
  const share = hits / total;
  const centre = share + Z_95 ** 2 / (2 * total);
  const reach = Z_95 * Math.sqrt((share * (1 - share)) / total + Z_95 ** 2 / (4 * total ** 2));
  const scale = 1 + Z_95 ** 2 / total;
  return [Math.max(0, (centre - reach) / scale), Math.min(1, (centre + reach) / scale)];
}

/**
 * Computes the 95% interval of a mean of unbounded numbers, such as differences, by its standard error; of a single number, that number.
 */
export function meanInterval(numbers: readonly number[]): Interval {
  const centre = mean(numbers);
  if (numbers.length < 2) return [centre, centre];
  const variance = sum(numbers.map((number) => (number - centre) ** 2)) / (numbers.length - 1);
  const reach = Z_95 * Math.sqrt(variance / numbers.length);
  return [centre - reach, centre + reach];
}

function valuesByName(records: readonly Readonly<Record<string, number>>[]): Map<string, number[]> {
  const entries = records.flatMap((record) => Object.entries(record));
  return new Map(
    Array.from(
      Map.groupBy(entries, ([name]) => name),
      ([name, own]) => [name, own.map(([, value]) => value)],
    ),
  );
}

/** Maximum questions in the list of the worst. */
const MAX_WORST = 10;

type Measure = (outcome: EvaluationOutcome) => number;
const foundWithin =
  (depth: number): Measure =>
  ({ rank }) =>
    rank! > 0 && rank! <= depth ? 1 : 0;
const discountedGain: Measure = ({ rank }) => (rank! > 0 && rank! <= 10 ? 1 / Math.log2(rank! + 1) : 0);

/** The measure of each retrieval figure, which is its mean over the questions with gold passages. */
const RETRIEVAL = {
  'recall@1': foundWithin(1),
  'recall@5': foundWithin(5),
  'recall@10': foundWithin(10),
  mrr: ({ rank }) => (rank! > 0 ? 1 / rank! : 0),
  'ndcg@10': discountedGain,
  hit_rate: foundWithin(Infinity),
} satisfies Record<string, Measure>;

const hasGold = ({ answerable, rank }: EvaluationOutcome): boolean => answerable && rank !== undefined;
const isJudged = ({ answerable, verdict, must }: JudgedOutcome): boolean => answerable && verdict !== undefined && must;
const isDeclined = ({ verdict }: EvaluationOutcome): boolean => verdict === 'declined';
const isAnswered = ({ verdict }: EvaluationOutcome): boolean => verdict !== undefined && verdict !== 'declined';

/** An outcome, and whether its question has required phrases (`must`). */
export type JudgedOutcome = EvaluationOutcome & { must: boolean };

/** The value of a question for each figure that it contributes to; paired comparisons use these values. */
function contributions(outcome: JudgedOutcome): Record<string, number> {
  const retrieval = hasGold(outcome) ? Object.entries(RETRIEVAL).map(([name, measure]) => [name, measure(outcome)] as const) : [];
  return {
    ...Object.fromEntries(retrieval),
    ...(isJudged(outcome) ? { right: outcome.verdict === 'right' ? 1 : 0 } : {}),
    ...(outcome.answerable || outcome.verdict === undefined ? {} : { refusal_recall: isDeclined(outcome) ? 1 : 0 }),
  };
}

function figuresOf(outcomes: readonly JudgedOutcome[]): Figures {
  const gold = outcomes.filter(hasGold);
  const judged = outcomes.filter(isJudged);
  const asked = outcomes.filter(({ verdict, level }) => verdict !== undefined || level !== undefined);
  const unanswerable = asked.filter(({ answerable }) => !answerable);
  const declined = asked.filter(isDeclined);
  const verdicts = (verdict: Verdict) => judged.filter((outcome) => outcome.verdict === verdict).length;
  const share = (some: readonly EvaluationOutcome[], all: readonly EvaluationOutcome[]) =>
    all.length > 0 ? some.length / all.length : undefined;
  return {
    questions: outcomes.length,
    ...(gold.length > 0 && {
      retrieval: Object.fromEntries(
        Object.entries(RETRIEVAL).map(([name, measure]) => [name, mean(gold.map((outcome) => measure(outcome)))]),
      ) as Figures['retrieval'],
    }),
    ...(judged.length > 0 && {
      answers: { right: verdicts('right'), partly: verdicts('partly'), wrong: verdicts('wrong'), declined: verdicts('declined') },
    }),
    ...(asked.length > 0 && {
      refusals: {
        precision: share(
          declined.filter(({ answerable }) => !answerable),
          declined,
        ),
        recall: share(unanswerable.filter(isDeclined), unanswerable),
      },
    }),
  };
}

function intervalsOf(outcomes: readonly JudgedOutcome[]): Record<string, Interval> {
  const values = valuesByName(outcomes.map(contributions));
  return Object.fromEntries(Array.from(values, ([name, numbers]) => [name, shareInterval(sum(numbers), numbers.length)]));
}

/** Counts answers by confidence level: those to questions with required phrases, and all to unanswerable questions. */
function calibrationOf(outcomes: readonly JudgedOutcome[]): EvaluationResult['calibration'] {
  const answered = outcomes.filter((outcome) => isAnswered(outcome) && (outcome.must || !outcome.answerable));
  return (['high', 'low', 'none'] as const).flatMap((level) => {
    const some = answered.filter((outcome) => outcome.level === level);
    if (some.length === 0) return [];
    const probabilities = some.flatMap(({ probability = [] }) => probability);
    return {
      level,
      answers: some.length,
      right: some.filter(({ verdict }) => verdict === 'right').length,
      ...(probabilities.length > 0 ? { probability: mean(probabilities) } : {}),
    };
  });
}

/**
 * Scores how bad an outcome is: 100 for a wrong answer, 50 for a declined one, 20 for a partly right one; plus 20 for high confidence in it, 15 for
 * a passage that was not found, up to 10 for one found late.
 */
function scoreBadness({ verdict, level, rank, answerable }: EvaluationOutcome): number {
  const answer =
    !answerable && isDeclined({ verdict } as EvaluationOutcome)
      ? 0
      : { wrong: 100, declined: 50, partly: 20, right: 0, none: 0 }[verdict ?? 'none'];
  const passage = rank === undefined ? 0 : rank === 0 ? 15 : Math.min(rank - 1, 10);
  return answer + (answer > 0 && level === 'high' ? 20 : 0) + passage;
}

const withoutMust = ({ must: _must, ...outcome }: JudgedOutcome): EvaluationOutcome => outcome;

/** Computes the figures of a golden set from the outcomes of its questions; there must be at least one. */
export function summarize(
  outcomes: readonly JudgedOutcome[],
  { lists, ...more }: Pick<EvaluationResult, 'errors' | 'failed' | 'missing_sources'> & { lists: boolean },
): EvaluationResult {
  const times = outcomes.map(({ milliseconds }) => milliseconds);
  const types = Map.groupBy(outcomes, ({ type }) => type ?? '');
  const worst = outcomes.filter((outcome) => scoreBadness(outcome) > 0).toSorted((a, b) => scoreBadness(b) - scoreBadness(a));
  return {
    ...figuresOf(outcomes),
    calibration: calibrationOf(outcomes),
    latency_ms: { p50: percentile(times, 50), p95: percentile(times, 95) },
    intervals: intervalsOf(outcomes),
    by_type: Object.fromEntries(Array.from(types, ([type, some]) => [type, figuresOf(some)] as const).filter(([type]) => type !== '')),
    worst: worst.slice(0, MAX_WORST).map(withoutMust),
    items: lists ? outcomes.map(withoutMust) : [],
    ...more,
  };
}

/** Paired difference of a figure between two evaluations. */
export interface Difference {
  /** Mean of second minus first over the questions that both counted. */
  difference: number;
  /** 95% interval of the difference; if it excludes 0, the difference is more than chance. */
  interval: Interval;
  /** Number of questions that the second did better, and worse. */
  better: number;
  worse: number;
}

/** Computes the paired difference of every figure that both results have. Both must include their items. */
export function compareResults(first: EvaluationResult, second: EvaluationResult, judged: ReadonlySet<string>): Record<string, Difference> {
  const values = ({ items }: EvaluationResult) =>
    new Map(items.map((outcome) => [outcome.id, contributions({ ...outcome, must: judged.has(outcome.id) } as JudgedOutcome)]));
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
