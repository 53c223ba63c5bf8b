import { oneLine } from '@citekb/documents/markdown';
import * as Flags from '@oclif/core/flags';
import type { Interfaces } from '@oclif/core';
import { KbError } from '../../core/errors.ts';
import type { EvaluationOutcome, EvaluationResult, Figures } from '../../schema/evaluation.ts';
import type { FlagValues } from '../command-context.ts';
import { allowFailures } from '../flags.ts';
import { listNames } from '../../text/count.ts';
import type { Difference } from '../../stages/evaluate/summarize.ts';

/** Figures that gates check, by the flag of the gate. */
const GATES: Record<string, { what: string; value: (result: EvaluationResult) => number | undefined }> = {
  'min-recall': { what: 'recall@5', value: ({ retrieval }) => retrieval?.['recall@5'] },
  'min-recall@1': { what: 'recall@1', value: ({ retrieval }) => retrieval?.['recall@1'] },
  'min-recall@5': { what: 'recall@5', value: ({ retrieval }) => retrieval?.['recall@5'] },
  'min-recall@10': { what: 'recall@10', value: ({ retrieval }) => retrieval?.['recall@10'] },
  'min-mrr': { what: 'mrr', value: ({ retrieval }) => retrieval?.mrr },
  'min-ndcg': { what: 'ndcg@10', value: ({ retrieval }) => retrieval?.['ndcg@10'] },
  'min-hit-rate': { what: 'hit_rate', value: ({ retrieval }) => retrieval?.hit_rate },
  'min-right': {
    what: 'answers right',
    value: ({ answers }) => answers && answers.right / Object.values(answers).reduce((a, b) => a + b, 0),
  },
  'min-refusal-precision': { what: 'precision of refusals', value: ({ refusals }) => refusals?.precision },
  'min-refusal-recall': { what: 'recall of refusals', value: ({ refusals }) => refusals?.recall },
};

/** Flags of `kb eval` besides those of a chat. A gate's flag takes the minimum of a figure, 0 to 1. */
export const evaluationFlags: Interfaces.FlagInput = {
  compare: Flags.string({
    description: 'Two configuration files to measure over the same questions',
    multiple: true,
    helpValue: 'FILE FILE',
  }),
  generate: Flags.integer({ description: 'Propose so many questions from the collection, as JSON Lines', min: 1, helpValue: 'N' }),
  report: Flags.string({ description: 'Write the report to a file too: JSON where it ends with .json, else Markdown', helpValue: 'FILE' }),
  'allow-failures': allowFailures,
  ...Object.fromEntries(
    Object.entries(GATES).map(([name, { what }]) => [
      name,
      Flags.string({ description: `Exit with 1 where ${what} is less`, helpValue: '0..1', helpGroup: 'GATES' }),
    ]),
  ),
};

/** Reads the gates from the flags. Throws a KbError (`usage`) for anything but a number from 0 to 1. */
export function readGates(flags: FlagValues): Map<string, number> {
  const gates = new Map<string, number>();
  for (const name of Object.keys(GATES)) {
    const text = flags[name];
    if (text === undefined) continue;
    const minimum = String(text).trim() === '' ? NaN : Number(text);
    if (!(minimum >= 0 && minimum <= 1)) throw new KbError('usage', `--${name} ${String(text)}: a number from 0 to 1 is expected.`);
    gates.set(name, minimum);
  }
  return gates;
}

/** Writes a sentence for each gate that a result misses. A gate without questions is missed. */
export function missedGates(result: EvaluationResult, gates: ReadonlyMap<string, number>): string[] {
  return [...gates].flatMap(([name, minimum]) => {
    const { what, value } = GATES[name]!;
    const found = value(result);
    if (found === undefined) return `--${name} ${minimum}: the golden set has no question that ${what} counts.`;
    return found >= minimum ? [] : `--${name} ${minimum}: ${what} is ${found.toFixed(3)}.`;
  });
}

const percent = (share: number | undefined): string => (share === undefined ? '–' : `${Math.round(100 * share)}%`);
const total = ({ right, partly, wrong, declined }: NonNullable<Figures['answers']>): number => right + partly + wrong + declined;
const decimals = (value: number | undefined): string => (value === undefined ? '–' : value.toFixed(2).replace(/^0(?=\.)/, ''));
const escapeCell = (text: string): string => oneLine(text).replaceAll('|', '\\|');
const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map((_, i) => (i === 0 ? '---' : '---:')), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

const HEAD = ['', 'questions', 'recall@1', 'recall@5', 'recall@10', 'MRR', 'nDCG@10', 'right', 'partly', 'wrong', 'declined', 'refused'];

function figureRow(name: string, { questions, retrieval, answers, refusals }: Figures): string[] {
  const shareOf = (count: number | undefined) => (answers && count !== undefined ? percent(count / total(answers)) : '–');
  return [
    name,
    String(questions),
    percent(retrieval?.['recall@1']),
    percent(retrieval?.['recall@5']),
    percent(retrieval?.['recall@10']),
    decimals(retrieval?.mrr),
    decimals(retrieval?.['ndcg@10']),
    shareOf(answers?.right),
    shareOf(answers?.partly),
    shareOf(answers?.wrong),
    shareOf(answers?.declined),
    percent(refusals?.recall),
  ];
}

const INTERVALS = { 'recall@5': 'recall@5', mrr: 'MRR', right: 'answers right', refusal_recall: 'unanswerable refused' };

function intervalLine({ intervals }: EvaluationResult): string | undefined {
  const parts = Object.entries(INTERVALS).flatMap(([name, what]) => {
    const interval = intervals[name];
    const format = name === 'mrr' ? decimals : percent; // as in the table
    return interval ? `${what} ${format(interval[0])} to ${format(interval[1])}` : [];
  });
  return parts.length > 0 ? `95% intervals: ${parts.join('; ')}.` : undefined;
}

const calibrationLine = ({ calibration }: EvaluationResult): string | undefined =>
  calibration.length === 0
    ? undefined
    : `Confidence: ${calibration
        .map(
          ({ level, answers, right, probability }) =>
            `"${level}" ${right} of ${answers} right (${percent(right / answers)}${probability === undefined ? '' : `, estimated ${percent(probability)}`})`,
        )
        .join('; ')}.`;

function worstLine({ id, question, verdict, level, rank }: EvaluationOutcome): string {
  const passage = rank === undefined ? undefined : rank === 0 ? 'gold passage not found' : `gold passage at ${rank}`;
  const answer = verdict && `${verdict}${level ? `, confidence ${level}` : ''}`;
  return `- **${id}** ${escapeCell(question)}: ${[answer, passage].filter(Boolean).join('; ')}`;
}

/**
 * Writes the figures of an evaluation as Markdown: a table for all questions and each type, intervals, calibration, and the worst
 * questions.
 */
export function evaluationReport(result: EvaluationResult): string {
  const { by_type, latency_ms, worst, missing_sources } = result;
  const rows = [figureRow('all', result), ...Object.entries(by_type).map(([type, figures]) => figureRow(escapeCell(type), figures))];
  const lines = [
    table(HEAD, rows),
    intervalLine(result),
    calibrationLine(result),
    `Latency: ${latency_ms.p50.toFixed(0)} ms (median), ${latency_ms.p95.toFixed(0)} ms (95th percentile).`,
    missing_sources.length > 0
      ? `Not stored, so that their passages count as not found: ${listNames(missing_sources.map(escapeCell), 10)}.`
      : undefined,
    worst.length > 0 ? `Worst questions:\n\n${worst.map(worstLine).join('\n')}` : undefined,
  ];
  return `${lines.filter((line) => line !== undefined).join('\n\n')}\n`;
}

/** Writes two evaluations side by side as Markdown, with the differences question by question. */
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
    table(['', 'difference', '95% interval', 'better', 'worse'], rows),
  ].join('\n\n')}\n`;
}
