import { operationCommand } from '../src/cli/command.ts';
import { watchPrinter } from '../src/cli/printers/show-ingest.ts';

export default operationCommand('watch', {
  description:
    'Files are read as soon as they have settled, sites and APIs every --interval seconds. Documents that are gone are removed. Ctrl-C ends it.',
  examples: ['<%= config.bin %> watch', '<%= config.bin %> watch --interval 600 --collection manuals'],
  show: ({ screen }) => ({ onEvent: watchPrinter(screen), hasFailed: () => false }),
});
