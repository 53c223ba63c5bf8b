import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { assertKnown } from '../../src/cli/assert-known.ts';
import { settle } from '../../src/core/run.ts';
import { confirmed } from '../../src/cli/init.ts';
import { KbCommand } from '../../src/cli/command.ts';
import { operationFlags } from '../../src/cli/flags.ts';
import { operations } from '../../src/schema/operations.ts';

export default class CollectionsDrop extends KbCommand {
  static override summary = operations.drop_collection.summary;
  static override description = 'Asks for confirmation. Without a terminal it needs --yes.';
  static override examples = ['<%= config.bin %> collections drop old-manuals', '<%= config.bin %> collections drop old-manuals --yes'];
  static override args = { name: Args.string({ description: 'Collection', required: true }) };
  static override flags = {
    yes: Flags.boolean({ description: 'Do not ask' }),
    ...operationFlags(operations.drop_collection, { omit: ['name'] }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(CollectionsDrop);
    await this.withEngine(flags, async (context) => {
      const { name } = args;
      const { collections } = await settle(context.engine.run('list_collections', {}, { signal: context.signal }));
      assertKnown(name, { kind: 'collection', names: collections.map((one) => one.name), listed: 'kb collections list' });
      if (!flags.yes && !(await confirmed(`Remove the collection «${name}» and all that is in it?`, 'kb collections drop')))
        return context.screen.note('Nothing was removed.');
      await this.perform(context, 'drop_collection', {
        waiting: 'Dropping',
        request: { name },
        result: () => context.screen.report(`Removed the collection «${name}».`),
      });
    });
  }
}
