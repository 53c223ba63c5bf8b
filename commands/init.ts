import * as Flags from '@oclif/core/flags';
import { KbCommand } from '../src/cli/command.ts';
import { writeConfiguration } from '../src/cli/init.ts';

export default class Init extends KbCommand {
  static override summary = 'Write a kb.config.yaml';
  static override description = 'Asks a few questions; --yes takes the defaults. Asks before it overwrites a file.';
  static override examples = ['<%= config.bin %> init', '<%= config.bin %> init --yes'];
  static override flags = { yes: Flags.boolean({ description: 'Take the defaults, ask nothing' }) };

  async run(): Promise<void> {
    const { flags } = await this.parse(Init);
    await writeConfiguration(flags);
  }
}
