import { operationCommand } from '../src/cli/command.ts';
import { configurationCheck, showChecks } from '../src/cli/printers/show-collections.ts';

export default operationCommand('doctor', {
  examples: ['<%= config.bin %> doctor', '<%= config.bin %> doctor --connections', '<%= config.bin %> doctor --repair'],
  show: ({ screen, loaded }) => ({
    waiting: 'Checking',
    complete: ({ checks, ...rest }) => ({ checks: [configurationCheck(loaded.file), ...checks], ...rest }),
    result: ({ checks }) => showChecks(checks, screen),
  }),
});
