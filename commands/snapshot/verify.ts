import * as Args from '@oclif/core/args';
import { count } from '../../src/text/count.ts';
import { KbCommand } from '../../src/cli/command.ts';
import { operationFlags } from '../../src/cli/flags.ts';
import { operations } from '../../src/schema/operations.ts';

export default class SnapshotVerify extends KbCommand {
  static override summary = operations.verify_snapshot.summary;
  static override description = 'Nothing is changed. A restore does the same first, and refuses a snapshot that is damaged.';
  static override examples = ['<%= config.bin %> snapshot verify before-migration'];
  static override args = { name: Args.string({ description: 'Snapshot', required: true }) };
  static override flags = operationFlags(operations.verify_snapshot, { omit: ['name'] });

  async run(): Promise<void> {
    const { args, flags } = await this.parse(SnapshotVerify);
    await this.withEngine(flags, async (context) => {
      await this.perform(context, 'verify_snapshot', {
        request: { name: args.name },
        title: 'Comparing',
        result: ({ name, collection, chunks }) =>
          context.screen.print(`The snapshot «${name}» of «${collection}» is as it was made: ${count(chunks, 'chunk')}.`),
      });
    });
  }
}
