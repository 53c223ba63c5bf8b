import * as Args from '@oclif/core/args';
import { operationCommand } from '../../src/cli/command.ts';
import { count } from '../../src/text/count.ts';

export default operationCommand('export_collection', {
  description:
    'Writes JSON Lines to standard output: a header with the embedder, one chunk per line with text, metadata and vector, and a final line with their number and hash.',
  examples: ['<%= config.bin %> collections export manuals > manuals.jsonl'],
  args: { name: Args.string({ description: 'Collection', required: true }) },
  show: ({ screen }, { name }) => ({
    waiting: 'Exporting',
    onEvent: ({ type, data }) => (type === 'item' && !screen.json ? screen.printJson(data) : undefined),
    result: ({ exported }) => screen.note(`Exported ${count(exported, 'chunk')} of "${name}".`),
  }),
});
