import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { KbCommand } from '../src/cli/command.ts';
import { operationFlags, readRequestFlags, searchedCollectionFlag, splitCollections } from '../src/cli/flags.ts';
import { showHits } from '../src/cli/printers/show-hits.ts';
import { operations } from '../src/schema/operations.ts';

export default class Retrieve extends KbCommand {
  static override summary = operations.retrieve.summary;
  static override description =
    'Also called kb query. Scores are similarities from 0 to 1, comparable between modes. On a terminal, each hit shows its best sentence in context; otherwise, and with --full, the whole passage.';
  static override aliases = ['query'];
  static override examples = [
    '<%= config.bin %> retrieve "How often is the filter replaced?"',
    '<%= config.bin %> retrieve ERR-4042 --mode text --top-k 3 --explain',
    `<%= config.bin %> retrieve "opening hours" --where 'year >= 2024 and lang = en' --json`,
  ];
  static override args = { query: Args.string({ description: 'Text to search for', required: true }) };
  static override flags = {
    ...operationFlags(operations.retrieve, { omit: ['query'] }),
    collection: searchedCollectionFlag,
    full: Flags.boolean({ description: 'Show whole passages on a terminal' }),
  };

  async run(): Promise<void> {
    const { args, flags: given } = await this.parse(Retrieve);
    const { flags, collections } = splitCollections(given);
    await this.withEngine(flags, async (context) => {
      const request = { ...readRequestFlags(operations.retrieve.input, flags), ...collections, query: args.query };
      await this.perform(context, 'retrieve', {
        request,
        waiting: 'Searching',
        lists: true,
        result: (result) => showHits(result, context.screen, { full: given.full }),
      });
    });
  }
}
