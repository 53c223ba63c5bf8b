import { operationCommand } from '../src/cli/command.ts';
import { size } from '../src/text/count.ts';

export default operationCommand('optimize_collection', {
  description:
    'kb ingest does this by itself where it pays. Run it after many small changes, or to free disk space at once. Searches go on meanwhile.',
  examples: ['<%= config.bin %> optimize', '<%= config.bin %> optimize --collection manuals'],
  show: ({ screen }) => ({
    waiting: 'Optimizing',
    result: ({ name, bytes, bytes_before }) => {
      const sizes = bytes === null || bytes_before === null ? '' : `: ${size(bytes)} on disk, ${size(bytes_before)} before`;
      screen.report(`Optimized "${name}"${sizes}.`);
    },
  }),
});
