import * as Args from '@oclif/core/args';
import { count } from '../../src/text/count.ts';
import { KbCommand } from '../../src/cli/command.ts';
import { operationFlags, requestOfFlags } from '../../src/cli/flags.ts';
import { operations } from '../../src/schema/operations.ts';

export default class CollectionsCopy extends KbCommand {
  static override summary = operations.copy_collection.summary;
  static override description =
    'Nothing is embedded. On a local disk the copy shares its files with the original until one of them changes. With --to-vector-db or --to-url it is made in another store, and appears there when it is complete.';
  static override examples = [
    '<%= config.bin %> collections copy manuals manuals-trial',
    '<%= config.bin %> collections copy manuals manuals --to-vector-db qdrant --to-url http://qdrant:6333',
    '<%= config.bin %> collections copy manuals manuals --to-url s3://bucket/kb --replace',
  ];
  static override args = {
    name: Args.string({ description: 'Collection', required: true }),
    to: Args.string({ description: 'Name of the copy', required: true }),
  };
  static override flags = operationFlags(operations.copy_collection, { omit: ['name', 'to'] });

  async run(): Promise<void> {
    const { args, flags } = await this.parse(CollectionsCopy);
    await this.withEngine(flags, async (context) => {
      await this.perform(context, 'copy_collection', {
        request: { name: args.name, to: args.to, ...requestOfFlags(operations.copy_collection.input, flags) },
        title: 'Copying',
        result: ({ copied }) => context.screen.report(`Copied ${count(copied, 'chunk')} of «${args.name}» to «${args.to}».`),
      });
    });
  }
}
