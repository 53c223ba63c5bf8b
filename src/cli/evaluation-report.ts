import type { EvaluationResult, Figures, Outcome } from '../schema/evaluation.ts';
import type { Difference } from '../stages/evaluate/compare.ts';

const percent = (share: number | undefined): string => (share === undefined ? '–' : `${Math.round(100 * share)} %`);
const total = ({ right, partly, wrong, declined }: NonNullable<Figures['answers']>): number => right + partly + wrong + declined;
const decimals = (value: number | undefined): string => (value === undefined ? '–' : value.toFixed(2).replace(/^0(?=\.)/, ''));
const oneLine = (text: string): string => text.replace(/\s+/g, ' ').replaceAll('|', '\\|').trim();
const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map((_, i) => (i === 0 ? '---' : '---:')), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

const HEAD = ['', 'questions', 'recall@1', 'recall@5', 'recall@10', 'MRR', 'nDCG@10', 'right', 'partly', 'wrong', 'declined', 'refused'];

function figureRow(name: string, { questions, retrieval, answers, refusals }: Figures): string[] {
  const of = (count: number | undefined) => (answers && count !== undefined ? percent(count / total(answers)) : '–');
  return [
    name,
    String(questions),
    percent(retrieval?.['recall@1']),
    percent(retrieval?.['recall@5']),
    percent(retrieval?.['recall@10']),
    decimals(retrieval?.mrr),
    decimals(retrieval?.['ndcg@10']),
    of(answers?.right),
    of(answers?.partly),
    of(answers?.wrong),
    of(answers?.declined),
    percent(refusals?.recall),
  ];
}

const INTERVALS = { 'recall@5': 'recall@5', mrr: 'MRR', right: 'answers right', refusal_recall: 'unanswerable refused' };

function intervalLine({ intervals }: EvaluationResult): string | undefined {
  const told = Object.entries(INTERVALS).flatMap(([name, what]) => {
    const interval = intervals[name];
    return interval ? `${what} ${percent(interval[0])} to ${percent(interval[1])}` : [];
  });
  return told.length > 0 ? `95 % intervals: ${told.join('; ')}.` : undefined;
}

const calibrationLine = ({ calibration }: EvaluationResult): string | undefined =>
  calibration.length === 0
    ? undefined
    : `Confidence: ${calibration
        .map(
          ({ level, answers, right, probability }) =>
            `«${level}» ${right} of ${answers} right (${percent(right / answers)}${probability === undefined ? '' : `, estimated ${percent(probability)}`})`,
        )
        .join('; ')}.`;

function worstLine({ id, question, verdict, level, rank }: Outcome): string {
  const passage = rank === undefined ? undefined : rank === 0 ? 'gold passage not found' : `gold passage at ${rank}`;
  const answer = verdict && `${verdict}${level ? `, confidence ${level}` : ''}`;
  return `- **${id}** ${oneLine(question)}: ${[answer, passage].filter(Boolean).join('; ')}`;
}

/** What was measured, as Markdown: a table of all questions and of each type, intervals, calibration, and the questions that went worst. */
export function evaluationReport(result: EvaluationResult): string {
  const { by_type, latency_ms, worst } = result;
  const rows = [figureRow('all', result), ...Object.entries(by_type).map(([type, figures]) => figureRow(oneLine(type), figures))];
  const lines = [
    table(HEAD, rows),
    intervalLine(result),
    calibrationLine(result),
    `Latency: ${latency_ms.p50.toFixed(0)} ms (median), ${latency_ms.p95.toFixed(0)} ms (95th percentile).`,
    worst.length > 0 ? `Worst questions:\n\n${worst.map(worstLine).join('\n')}` : undefined,
  ];
  return `${lines.filter((line) => line !== undefined).join('\n\n')}\n`;
}

/** Two evaluations beside each other, and what the second brings question by question. */
export function comparisonReport(
  sides: readonly { config: string; result: EvaluationResult }[],
  differences: Readonly<Record<string, Difference>>,
): string {
  const signed = (value: number) => `${value > 0 ? '+' : ''}${(100 * value).toFixed(1)}`;
  const rows = Object.entries(differences).map(([name, { difference, interval, better, worse }]) => [
    name,
    signed(difference),
    `${signed(interval[0])} to ${signed(interval[1])}`,
    String(better),
    String(worse),
  ]);
  return `${[
    table(
      HEAD,
      sides.map(({ config, result }) => figureRow(config, result)),
    ),
    `Second minus first, question by question, in points:`,
    table(['', 'difference', '95 % interval', 'better', 'worse'], rows),
  ].join('\n\n')}\n`;
}
