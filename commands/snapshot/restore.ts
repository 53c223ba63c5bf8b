import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { count } from '../../src/text/count.ts';
import { assertKnown } from '../../src/cli/assert-known.ts';
import { settle } from '../../src/core/run.ts';
import { confirmed } from '../../src/cli/init.ts';
import { KbCommand } from '../../src/cli/command.ts';
import { operationFlags } from '../../src/cli/flags.ts';
import { operations } from '../../src/schema/operations.ts';

export default class SnapshotRestore extends KbCommand {
  static override summary = operations.restore_snapshot.summary;
  static override description =
    'In one step: searches find either all of the old state or all of the new one. Asks for confirmation. Without a terminal it needs --yes.';
  static override examples = [
    '<%= config.bin %> snapshot restore before-migration',
    '<%= config.bin %> snapshot restore 20261122-233012 --yes',
  ];
  static override args = { name: Args.string({ description: 'Snapshot', required: true }) };
  static override flags = {
    yes: Flags.boolean({ description: 'Do not ask' }),
    ...operationFlags(operations.restore_snapshot, { omit: ['name'] }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(SnapshotRestore);
    await this.withEngine(flags, async (context) => {
      const { collection } = context.loaded.config;
      const { snapshots } = await settle(context.engine.run('list_snapshots', {}, { signal: context.signal }));
      assertKnown(args.name, { kind: `snapshot of «${collection}»`, names: snapshots.map(({ name }) => name), listed: 'kb snapshot list' });
      const question = `Replace what «${collection}» holds by the snapshot «${args.name}»?`;
      if (!flags.yes && !(await confirmed(question, 'kb snapshot restore'))) return context.screen.note('Nothing was changed.');
      await this.perform(context, 'restore_snapshot', {
        request: { name: args.name },
        title: 'Restoring',
        result: ({ restored }) => context.screen.report(`Restored «${collection}» from «${args.name}»: ${count(restored, 'chunk')}.`),
      });
    });
  }
}
