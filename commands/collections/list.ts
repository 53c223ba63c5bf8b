import { operationCommand } from '../../src/cli/command.ts';
import { printCollections } from '../../src/cli/printers/show-collections.ts';

export default operationCommand('list_collections', {
  examples: ['<%= config.bin %> collections list', '<%= config.bin %> collections list --json'],
  show: ({ screen }) => ({ result: ({ collections }) => printCollections(collections, screen) }),
});
