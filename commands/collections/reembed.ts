import * as Args from '@oclif/core/args';
import { count } from '../../src/text/count.ts';
import { KbCommand } from '../../src/cli/command.ts';
import { operationFlags } from '../../src/cli/flags.ts';
import { operations } from '../../src/schema/operations.ts';

export default class CollectionsReembed extends KbCommand {
  static override summary = operations.reembed_collection.summary;
  static override description = 'Searches use the old vectors until all new ones are ready. The collection then switches in one step.';
  static override examples = ['<%= config.bin %> collections reembed manuals --embedding-provider openai'];
  static override args = { name: Args.string({ description: 'Collection', required: true }) };
  static override flags = operationFlags(operations.reembed_collection, { omit: ['name'] });

  async run(): Promise<void> {
    const { args, flags } = await this.parse(CollectionsReembed);
    await this.withEngine(flags, async (context) => {
      await this.perform(context, 'reembed_collection', {
        request: { name: args.name },
        title: 'Embedding anew',
        result: ({ embedded, embedding }) =>
          context.screen.report(
            `Embedded ${count(embedded, 'chunk')} of «${args.name}» with ${embedding.provider}${embedding.model ? ` / ${embedding.model}` : ''}.`,
          ),
      });
    });
  }
}
