import { KbCommand } from '../src/cli/command.ts';
import { operationFlags, requestOfFlags } from '../src/cli/flags.ts';
import { configurationCheck, showChecks } from '../src/cli/printers/show-collections.ts';
import { operations } from '../src/schema/operations.ts';

export default class Doctor extends KbCommand {
  static override summary = operations.doctor.summary;
  static override examples = ['<%= config.bin %> doctor', '<%= config.bin %> doctor --connections', '<%= config.bin %> doctor --repair'];
  static override flags = operationFlags(operations.doctor);

  async run(): Promise<void> {
    const { flags } = await this.parse(Doctor);
    await this.withEngine(flags, async (context) => {
      const { screen, loaded } = context;
      await this.perform(context, 'doctor', {
        request: requestOfFlags(operations.doctor.input, flags),
        waiting: 'Checking',
        completed: ({ checks, ...rest }) => ({ checks: [configurationCheck(loaded.file), ...checks], ...rest }),
        result: ({ checks }) => showChecks(checks, screen),
      });
    });
  }
}
