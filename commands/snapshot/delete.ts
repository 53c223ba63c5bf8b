import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { confirmed } from '../../src/cli/init.ts';
import { KbCommand } from '../../src/cli/command.ts';
import { operationFlags } from '../../src/cli/flags.ts';
import { operations } from '../../src/schema/operations.ts';

export default class SnapshotDelete extends KbCommand {
  static override summary = operations.delete_snapshot.summary;
  static override description = 'Asks for confirmation. Without a terminal it needs --yes.';
  static override examples = [
    '<%= config.bin %> snapshot delete before-migration',
    '<%= config.bin %> snapshot delete before-migration --yes',
  ];
  static override args = { name: Args.string({ description: 'Snapshot', required: true }) };
  static override flags = {
    yes: Flags.boolean({ description: 'Do not ask' }),
    ...operationFlags(operations.delete_snapshot, { omit: ['name'] }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(SnapshotDelete);
    await this.withEngine(flags, async (context) => {
      const question = `Remove the snapshot «${args.name}» of «${context.loaded.config.collection}»?`;
      if (!flags.yes && !(await confirmed(question, 'kb snapshot delete'))) return context.screen.note('Nothing was removed.');
      await this.perform(context, 'delete_snapshot', {
        request: { name: args.name },
        waiting: 'Removing',
        result: ({ name, collection }) => context.screen.report(`Removed the snapshot «${name}» of «${collection}».`),
      });
    });
  }
}
