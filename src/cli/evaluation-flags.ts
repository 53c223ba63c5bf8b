import { Flags, type Interfaces } from '@oclif/core';
import { KbError } from '../base/errors.ts';
import type { EvaluationResult } from '../schema/evaluation.ts';
import { allowFailures, type FlagValues } from './flags.ts';

/** Every figure that a gate may ask for, by the gate's flag. */
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

/** The flags of `kb eval` beside those of a chat; those of the gates take the least value, 0 to 1, of a figure. */
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

/** The gates that flags ask for. Throws a KbError (`usage`) for what is no number from 0 to 1. */
export function readGates(flags: FlagValues): Map<string, number> {
  const gates = new Map<string, number>();
  for (const name of Object.keys(GATES)) {
    const text = flags[name];
    if (text === undefined) continue;
    const least = String(text).trim() === '' ? NaN : Number(text);
    if (!(least >= 0 && least <= 1)) throw new KbError('usage', `--${name} ${String(text)}: a number from 0 to 1 is expected.`);
    gates.set(name, least);
  }
  return gates;
}

/** A sentence for each gate that a result misses. A figure that there are no questions for is missed: a gate never holds for nothing. */
export function missedGates(result: EvaluationResult, gates: ReadonlyMap<string, number>): string[] {
  return [...gates].flatMap(([name, least]) => {
    const { what, value } = GATES[name]!;
    const found = value(result);
    if (found === undefined) return `--${name} ${least}: the golden set has no question that ${what} counts.`;
    return found >= least ? [] : `--${name} ${least}: ${what} is ${found.toFixed(3)}.`;
  });
}
