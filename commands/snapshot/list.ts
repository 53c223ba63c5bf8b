import { KbCommand } from '../../src/cli/command.ts';
import { operationFlags } from '../../src/cli/flags.ts';
import { printSnapshots } from '../../src/cli/printers/show-collections.ts';
import { operations } from '../../src/schema/operations.ts';

export default class SnapshotList extends KbCommand {
  static override summary = operations.list_snapshots.summary;
  static override examples = ['<%= config.bin %> snapshot list', '<%= config.bin %> snapshot list --json'];
  static override flags = operationFlags(operations.list_snapshots);

  async run(): Promise<void> {
    const { flags } = await this.parse(SnapshotList);
    await this.withEngine(flags, async (context) => {
      await this.perform(context, 'list_snapshots', { request: {}, result: ({ snapshots }) => printSnapshots(snapshots, context.screen) });
    });
  }
}
