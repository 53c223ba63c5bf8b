import * as Args from '@oclif/core/args';
import { KbCommand } from '../src/cli/command.ts';
import { runEvaluation } from '../src/cli/evaluation/run-evaluation.ts';
import { evaluationFlags } from '../src/cli/evaluation/evaluation-report.ts';
import { operationFlags } from '../src/cli/flags.ts';
import { operations } from '../src/schema/operations.ts';

export default class Eval extends KbCommand {
  static override summary = operations.evaluate.summary;
  static override description =
    'A golden set (YAML, JSON Lines or CSV) lists questions with the expected sources, passages and words. Exits with 1 if a threshold is missed.';
  static override examples = [
    '<%= config.bin %> eval questions.yaml',
    '<%= config.bin %> eval questions.jsonl --min-recall 0.9 --min-right 0.6 --report report.md',
    '<%= config.bin %> eval questions.csv --compare now.yaml then.yaml',
    '<%= config.bin %> eval --generate 20 > questions.jsonl',
  ];
  static override args = { file: Args.string({ description: 'Golden set', ignoreStdin: true }) };
  static override flags = { ...evaluationFlags, ...operationFlags(operations.evaluate) };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Eval);
    await this.withEngine(flags, (context) => runEvaluation(context, args.file));
  }
}
