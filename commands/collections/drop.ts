import * as Args from '@oclif/core/args';
import { operationCommand } from '../../src/cli/command.ts';
import { assertKnown } from '../../src/cli/prompts.ts';
import { settle } from '../../src/core/run.ts';

export default operationCommand('drop_collection', {
  description: 'Asks for confirmation. Without a terminal it needs --yes.',
  examples: ['<%= config.bin %> collections drop old-manuals', '<%= config.bin %> collections drop old-manuals --yes'],
  args: { name: Args.string({ description: 'Collection', required: true }) },
  question: async ({ engine, signal }, { name }) => {
    const { collections } = await settle(engine.run('list_collections', {}, { signal }));
    assertKnown(name, { kind: 'collection', names: collections.map((one) => one.name), listCommand: 'kb collections list' });
    return `Remove the collection "${name}" and all that is in it?`;
  },
  show: ({ screen }, { name }) => ({ waiting: 'Dropping', result: () => screen.report(`Removed the collection "${name}".`) }),
});
