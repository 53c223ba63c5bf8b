import * as Args from '@oclif/core/args';
import { operationCommand } from '../../src/cli/command.ts';
import { count } from '../../src/text/count.ts';

export default operationCommand('copy_collection', {
  description:
    'Nothing is embedded. On a local disk the copy shares its files with the original until one of them changes. With --to-vector-db or --to-url it is made in another store, and appears there when it is complete.',
  examples: [
    '<%= config.bin %> collections copy manuals manuals-trial',
    '<%= config.bin %> collections copy manuals manuals --to-vector-db qdrant --to-url http://qdrant:6333',
    '<%= config.bin %> collections copy manuals manuals --to-url s3://bucket/kb --replace',
  ],
  args: {
    name: Args.string({ description: 'Collection', required: true }),
    to: Args.string({ description: 'Name of the copy', required: true }),
  },
  show: ({ screen }, { name, to }) => ({
    title: 'Copying',
    result: ({ copied }) => screen.report(`Copied ${count(copied, 'chunk')} of "${name}" to "${to}".`),
  }),
});
