import * as Args from '@oclif/core/args';
import { operationCommand } from '../../src/cli/command.ts';
import { count } from '../../src/text/count.ts';

export default operationCommand('verify_snapshot', {
  description: 'Nothing is changed. A restore does the same first, and refuses a snapshot that is damaged.',
  examples: ['<%= config.bin %> snapshot verify before-migration'],
  args: { name: Args.string({ description: 'Snapshot', required: true }) },
  show: ({ screen }) => ({
    title: 'Comparing',
    result: ({ name, collection, chunks }) =>
      screen.print(`The snapshot "${name}" of "${collection}" is as it was made: ${count(chunks, 'chunk')}.`),
  }),
});
