import * as Args from '@oclif/core/args';
import { operationCommand } from '../../src/cli/command.ts';
import { assertKnown } from '../../src/cli/prompts.ts';
import { settle } from '../../src/core/run.ts';
import { count } from '../../src/text/count.ts';

export default operationCommand('restore_snapshot', {
  description:
    'In one step: searches find either all of the old state or all of the new one. Asks for confirmation. Without a terminal it needs --yes.',
  examples: ['<%= config.bin %> snapshot restore before-migration', '<%= config.bin %> snapshot restore 20261122-233012 --yes'],
  args: { name: Args.string({ description: 'Snapshot', required: true }) },
  question: async ({ engine, loaded, signal }, { name }) => {
    const { collection } = loaded.config;
    const { snapshots } = await settle(engine.run('list_snapshots', {}, { signal }));
    assertKnown(name, { kind: `snapshot of "${collection}"`, names: snapshots.map((one) => one.name), listCommand: 'kb snapshot list' });
    return `Replace what "${collection}" holds by the snapshot "${name}"?`;
  },
  show: ({ screen }) => ({
    title: 'Restoring',
    result: ({ name, collection, restored }) => screen.report(`Restored "${collection}" from "${name}": ${count(restored, 'chunk')}.`),
  }),
});
