import { KbCommand } from '../src/cli/command.ts';
import { operationFlags } from '../src/cli/flags.ts';
import { size } from '../src/text/count.ts';
import { operations } from '../src/schema/operations.ts';

export default class Optimize extends KbCommand {
  static override summary = operations.optimize_collection.summary;
  static override description =
    'kb ingest does this by itself where it pays. Run it after many small changes, or to free disk space at once. Searches go on meanwhile.';
  static override examples = ['<%= config.bin %> optimize', '<%= config.bin %> optimize --collection manuals'];
  static override flags = operationFlags(operations.optimize_collection);

  async run(): Promise<void> {
    const { flags } = await this.parse(Optimize);
    await this.withEngine(flags, async (context) => {
      await this.perform(context, 'optimize_collection', {
        request: {},
        waiting: 'Optimizing',
        result: ({ name, bytes, bytes_before }) => {
          const sizes = bytes === null || bytes_before === null ? '' : `: ${size(bytes)} on disk, ${size(bytes_before)} before`;
          context.screen.report(`Optimized «${name}»${sizes}.`);
        },
      });
    });
  }
}
