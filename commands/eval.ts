import { Args } from '@oclif/core';
import { KbCommand } from '../src/cli/command.ts';
import { notYet } from '../src/cli/not-yet.ts';

export default class Eval extends KbCommand {
  static override summary = 'Measure retrieval and refusal over a golden set (not part of this version yet)';
  static override args = { file: Args.string({ description: 'Golden set' }) };

  async run(): Promise<void> {
    await this.parse(Eval);
    notYet('eval', 'bench/retrieval.ts measures retrieval on sets in BEIR layout.');
  }
}
