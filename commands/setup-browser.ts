import { KbCommand } from '../src/cli/command.ts';
import { operationFlags } from '../src/cli/flags.ts';
import { printable } from '../src/cli/screen.ts';
import { operations } from '../src/schema/operations.ts';

export default class SetupBrowser extends KbCommand {
  static override summary = operations.setup_browser.summary;
  static override examples = ['<%= config.bin %> setup-browser', '<%= config.bin %> setup-browser --json'];
  static override flags = operationFlags(operations.setup_browser);

  async run(): Promise<void> {
    const { flags } = await this.parse(SetupBrowser);
    await this.withEngine(flags, async (context) => {
      await this.perform(context, 'setup_browser', {
        request: {},
        title: 'Looking for a browser',
        waiting: 'Looking for a browser',
        result: ({ message }) => context.screen.print(printable(message)),
      });
    });
  }
}
