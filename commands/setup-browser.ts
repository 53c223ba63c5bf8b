import { operationCommand } from '../src/cli/command.ts';
import { makePrintable } from '../src/cli/screen.ts';

export default operationCommand('setup_browser', {
  examples: ['<%= config.bin %> setup-browser', '<%= config.bin %> setup-browser --json'],
  show: ({ screen }) => ({
    title: 'Looking for a browser',
    waiting: 'Looking for a browser',
    result: ({ message }) => screen.print(makePrintable(message)),
  }),
});
