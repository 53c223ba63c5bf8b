import { operationCommand } from '../../src/cli/command.ts';
import { printSnapshots } from '../../src/cli/printers/show-collections.ts';

export default operationCommand('list_snapshots', {
  examples: ['<%= config.bin %> snapshot list', '<%= config.bin %> snapshot list --json'],
  show: ({ screen }) => ({ result: ({ snapshots }) => printSnapshots(snapshots, screen) }),
});
