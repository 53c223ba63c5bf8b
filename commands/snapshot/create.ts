import * as Args from '@oclif/core/args';
import { operationCommand } from '../../src/cli/command.ts';
import { count } from '../../src/text/count.ts';

export default operationCommand('create_snapshot', {
  description: 'The snapshot lies in the store of the collection. It stays when the collection is changed, embedded anew or dropped.',
  examples: [
    '<%= config.bin %> snapshot create',
    '<%= config.bin %> snapshot create before-migration',
    '<%= config.bin %> snapshot create --keep 7',
  ],
  args: { name: Args.string({ description: 'Name of the snapshot. Default: date and time (UTC)', ignoreStdin: true }) },
  show: ({ screen }) => ({
    title: 'Copying',
    result: ({ name, collection, chunks, removed }) => {
      screen.report(`Made the snapshot "${name}" of "${collection}": ${count(chunks, 'chunk')}.`);
      if (removed.length > 0) screen.report(`Removed ${count(removed.length, 'older snapshot')}: ${removed.join(', ')}.`);
    },
  }),
});
