import { KbCommand } from '../../src/cli/command.ts';
import { operationFlags } from '../../src/cli/flags.ts';
import { printCollections } from '../../src/cli/printers/show-collections.ts';
import { operations } from '../../src/schema/operations.ts';

export default class CollectionsList extends KbCommand {
  static override summary = operations.list_collections.summary;
  static override examples = ['<%= config.bin %> collections list', '<%= config.bin %> collections list --json'];
  static override flags = operationFlags(operations.list_collections);

  async run(): Promise<void> {
    const { flags } = await this.parse(CollectionsList);
    await this.withEngine(flags, async (context) => {
      await this.perform(context, 'list_collections', {
        request: {},
        result: ({ collections }) => printCollections(collections, context.screen),
      });
    });
  }
}
