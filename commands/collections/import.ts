import * as Args from '@oclif/core/args';
import { existsSync } from 'node:fs';
import { KbError } from '../../src/core/errors.ts';
import { shellWord } from '../../src/core/advice/advice.ts';
import { count } from '../../src/text/count.ts';
import { KbCommand, tuneGarbageCollector } from '../../src/cli/command.ts';
import { operationFlags, readRequestFlags } from '../../src/cli/flags.ts';
import { readInputLines } from '../../src/cli/json-lines.ts';
import { operations } from '../../src/schema/operations.ts';

export default class CollectionsImport extends KbCommand {
  static override summary = operations.import_collection.summary;
  static override description =
    'Reads what kb collections export writes, on standard input. Nothing is embedded. An export that was cut off is refused; --force takes what is there of it.';
  static override examples = ['<%= config.bin %> collections import manuals-copy < manuals.jsonl'];
  static override args = { name: Args.string({ description: 'Name of the new collection', required: true }) };
  static override flags = operationFlags(operations.import_collection, { omit: ['name', 'lines'] });

  async run(): Promise<void> {
    const { args, flags } = await this.parse(CollectionsImport);
    if (existsSync(args.name))
      throw new KbError('usage', `"${args.name}" is a file, where the name of the new collection is expected.`, {
        hint: `The file comes on standard input: kb collections import NAME < ${shellWord(args.name)}`,
      });
    tuneGarbageCollector();
    await this.withEngine(flags, async (context) => {
      await this.perform(context, 'import_collection', {
        request: { name: args.name, lines: readInputLines('an export'), ...readRequestFlags(operations.import_collection.input, flags) },
        title: 'Importing',
        result: ({ imported }) => context.screen.report(`Imported ${count(imported, 'chunk')} into "${args.name}".`),
      });
    });
  }
}
