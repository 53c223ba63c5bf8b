import { KbCommand } from '../src/cli/command.ts';
import { operationFlags } from '../src/cli/flags.ts';
import { watchTeller } from '../src/cli/printers/show-ingest.ts';
import { operations } from '../src/schema/operations.ts';

export default class Watch extends KbCommand {
  static override summary = operations.watch.summary;
  static override description =
    'Files are read as soon as they have settled, sites and APIs every --interval seconds. Documents that are gone are removed. Ctrl-C ends it.';
  static override examples = ['<%= config.bin %> watch', '<%= config.bin %> watch --interval 600 --collection manuals'];
  static override flags = operationFlags(operations.watch);

  async run(): Promise<void> {
    const { flags } = await this.parse(Watch);
    await this.withEngine(flags, async (context) => {
      await this.perform(context, 'watch', { request: {}, onEvent: watchTeller(context.screen), hasFailed: () => false });
    });
  }
}
