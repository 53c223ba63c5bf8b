import * as Args from '@oclif/core/args';
import { count } from '../../src/text/count.ts';
import { KbCommand } from '../../src/cli/command.ts';
import { operationFlags, requestOfFlags } from '../../src/cli/flags.ts';
import { operations } from '../../src/schema/operations.ts';

export default class SnapshotCreate extends KbCommand {
  static override summary = operations.create_snapshot.summary;
  static override description =
    'The snapshot lies in the store of the collection. It stays when the collection is changed, embedded anew or dropped.';
  static override examples = [
    '<%= config.bin %> snapshot create',
    '<%= config.bin %> snapshot create before-migration',
    '<%= config.bin %> snapshot create --keep 7',
  ];
  static override args = { name: Args.string({ description: 'Name of the snapshot. Default: date and time (UTC)', ignoreStdin: true }) };
  static override flags = operationFlags(operations.create_snapshot, { omit: ['name'] });

  async run(): Promise<void> {
    const { args, flags } = await this.parse(SnapshotCreate);
    await this.withEngine(flags, async (context) => {
      await this.perform(context, 'create_snapshot', {
        request: { name: args.name, ...requestOfFlags(operations.create_snapshot.input, flags) },
        title: 'Copying',
        result: ({ name, collection, chunks, removed }) => {
          context.screen.report(`Made the snapshot «${name}» of «${collection}»: ${count(chunks, 'chunk')}.`);
          if (removed.length > 0) context.screen.report(`Removed ${count(removed.length, 'older snapshot')}: ${removed.join(', ')}.`);
        },
      });
    });
  }
}
