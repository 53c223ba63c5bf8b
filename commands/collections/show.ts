import * as Args from '@oclif/core/args';
import { KbCommand } from '../../src/cli/command.ts';
import { operationFlags } from '../../src/cli/flags.ts';
import { printCollection } from '../../src/cli/printers/show-collections.ts';
import { operations } from '../../src/schema/operations.ts';

export default class CollectionsShow extends KbCommand {
  static override summary = operations.show_collection.summary;
  static override examples = ['<%= config.bin %> collections show manuals'];
  static override args = { name: Args.string({ description: 'Collection', required: true }) };
  static override flags = operationFlags(operations.show_collection, { omit: ['name'] });

  async run(): Promise<void> {
    const { args, flags } = await this.parse(CollectionsShow);
    await this.withEngine(flags, async (context) => {
      await this.perform(context, 'show_collection', {
        waiting: 'Counting',
        request: { name: args.name },
        result: (collection) => printCollection(collection, context.screen),
      });
    });
  }
}
