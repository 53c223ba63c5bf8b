import * as Args from '@oclif/core/args';
import { operationCommand } from '../../src/cli/command.ts';
import { count } from '../../src/text/count.ts';

export default operationCommand('reembed_collection', {
  description: 'Searches use the old vectors until all new ones are ready. The collection then switches in one step.',
  examples: ['<%= config.bin %> collections reembed manuals --embedding-provider openai'],
  args: { name: Args.string({ description: 'Collection', required: true }) },
  show: ({ screen }, { name }) => ({
    title: 'Embedding anew',
    result: ({ embedded, embedding: { provider, model } }) =>
      screen.report(`Embedded ${count(embedded, 'chunk')} of "${name}" with ${[provider, model].filter(Boolean).join(' / ')}.`),
  }),
});
