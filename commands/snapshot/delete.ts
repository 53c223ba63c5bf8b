import { Args } from '@oclif/core';
import { KbCommand } from '../../src/cli/command.ts';
import { operationFlags } from '../../src/cli/flags.ts';
import { operations } from '../../src/schema/operations.ts';

export default class SnapshotDelete extends KbCommand {
  static override summary = operations.delete_snapshot.summary;
  static override examples = ['<%= config.bin %> snapshot delete before-migration'];
  static override args = { name: Args.string({ description: 'Snapshot', required: true }) };
  static override flags = operationFlags(operations.delete_snapshot, { omit: ['name'] });

  async run(): Promise<void> {
    const { args, flags } = await this.parse(SnapshotDelete);
    await this.withEngine(flags, async (desk) => {
      await this.perform(desk, 'delete_snapshot', {
        request: { name: args.name },
        waiting: 'Removing',
        result: ({ name, collection }) => desk.screen.print(`Removed the snapshot «${name}» of «${collection}».`),
      });
    });
  }
}
