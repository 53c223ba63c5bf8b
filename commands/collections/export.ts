import * as Args from '@oclif/core/args';
import { count } from '../../src/text/count.ts';
import { KbCommand } from '../../src/cli/command.ts';
import { operationFlags } from '../../src/cli/flags.ts';
import { operations } from '../../src/schema/operations.ts';

export default class CollectionsExport extends KbCommand {
  static override summary = operations.export_collection.summary;
  static override description =
    'Writes JSON Lines to standard output: a header with the embedder, one chunk per line with text, metadata and vector, and a final line with their number and hash.';
  static override examples = ['<%= config.bin %> collections export manuals > manuals.jsonl'];
  static override args = { name: Args.string({ description: 'Collection', required: true }) };
  static override flags = operationFlags(operations.export_collection, { omit: ['name'] });

  async run(): Promise<void> {
    const { args, flags } = await this.parse(CollectionsExport);
    await this.withEngine(flags, async (context) => {
      const { screen } = context;
      await this.perform(context, 'export_collection', {
        waiting: 'Exporting',
        request: { name: args.name },
        onEvent: ({ type, data }) => (type === 'item' && !screen.json ? screen.printJson(data) : undefined),
        result: ({ exported }) => screen.note(`Exported ${count(exported, 'chunk')} of «${args.name}».`),
      });
    });
  }
}
