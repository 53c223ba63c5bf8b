import * as Flags from '@oclif/core/flags';
import { operationCommand } from '../src/cli/command.ts';
import { countOf } from '../src/text/count.ts';

export default operationCommand('delete', {
  description: 'Takes one of --id, --source and --where (--filter). A deleted document comes back when its source is ingested again.',
  examples: [
    '<%= config.bin %> delete --source docs/old-manual.pdf',
    '<%= config.bin %> delete --id 3f2a… --id 77b0…',
    "<%= config.bin %> delete --where 'team in (north, west) and source ^= drafts/'",
  ],
  flags: { id: Flags.string({ description: 'Chunk', multiple: true, multipleNonGreedy: true }) },
  show: ({ screen, flags }, request) => ({
    request: { ...request, ...(flags.id ? { ids: flags.id as string[] } : {}) },
    waiting: 'Deleting',
    lists: true,
    hasFailed: ({ deleted }) => deleted === 0,
    result: ({ deleted, requested, collection }) => {
      screen[deleted === 0 ? 'print' : 'report'](`Deleted ${countOf(deleted, requested, 'chunk')} in "${collection}".`);
      if (request.source !== undefined && deleted === 0)
        screen.note('No document has that source. kb retrieve shows each source as it is stored: give it like that.');
    },
  }),
});
