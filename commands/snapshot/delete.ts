import * as Args from '@oclif/core/args';
import { operationCommand } from '../../src/cli/command.ts';

export default operationCommand('delete_snapshot', {
  description: 'Asks for confirmation. Without a terminal it needs --yes.',
  examples: ['<%= config.bin %> snapshot delete before-migration', '<%= config.bin %> snapshot delete before-migration --yes'],
  args: { name: Args.string({ description: 'Snapshot', required: true }) },
  question: ({ loaded }, { name }) => `Remove the snapshot "${name}" of "${loaded.config.collection}"?`,
  show: ({ screen }) => ({
    waiting: 'Removing',
    result: ({ name, collection }) => screen.report(`Removed the snapshot "${name}" of "${collection}".`),
  }),
});
