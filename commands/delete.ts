import * as Flags from '@oclif/core/flags';
import { countOf } from '../src/text/count.ts';
import { KbCommand } from '../src/cli/command.ts';
import { operationFlags, requestOfFlags } from '../src/cli/flags.ts';
import { operations } from '../src/schema/operations.ts';

export default class Delete extends KbCommand {
  static override summary = operations.delete.summary;
  static override description =
    'Takes one of --id, --source and --where (--filter). A deleted document comes back when its source is ingested again.';
  static override examples = [
    '<%= config.bin %> delete --source docs/old-manual.pdf',
    '<%= config.bin %> delete --id 3f2a… --id 77b0…',
    "<%= config.bin %> delete --where 'team in (north, west) and source ^= drafts/'",
  ];
  static override flags = {
    id: Flags.string({ description: 'Chunk', multiple: true, multipleNonGreedy: true }),
    ...operationFlags(operations.delete),
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(Delete);
    await this.withEngine(flags, async (context) => {
      const request = { ...requestOfFlags(operations.delete.input, flags), ...(flags.id ? { ids: flags.id as string[] } : {}) };
      await this.perform(context, 'delete', {
        waiting: 'Deleting',
        request,
        lists: true,
        hasFailed: ({ deleted }) => deleted === 0,
        result: ({ deleted, requested, collection }) => {
          context.screen[deleted === 0 ? 'print' : 'report'](`Deleted ${countOf(deleted, requested, 'chunk')} in «${collection}».`);
          if (flags.source !== undefined && deleted === 0)
            context.screen.note('No document has that source. kb retrieve shows each source as it is stored: give it like that.');
        },
      });
    });
  }
}
