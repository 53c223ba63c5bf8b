import * as Args from '@oclif/core/args';
import { operationCommand } from '../../src/cli/command.ts';
import { printCollection } from '../../src/cli/printers/show-collections.ts';

export default operationCommand('show_collection', {
  examples: ['<%= config.bin %> collections show manuals'],
  args: { name: Args.string({ description: 'Collection', required: true }) },
  show: ({ screen }) => ({ waiting: 'Counting', result: (collection) => printCollection(collection, screen) }),
});
