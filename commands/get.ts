import * as Args from '@oclif/core/args';
import { KbCommand } from '../src/cli/command.ts';
import { operationFlags, readRequestFlags, settingFlags } from '../src/cli/flags.ts';
import { makePrintable } from '../src/cli/screen.ts';
import { operations } from '../src/schema/operations.ts';

export default class Get extends KbCommand {
  static override summary = operations.get_source.summary;
  static override description =
    'Prints the document as Markdown, whole or one part of it. --json also lists its metadata and chunks. kb sources lists all documents.';
  static override examples = [
    '<%= config.bin %> get manuals/pump.md --lines 10-40',
    '<%= config.bin %> get manuals/pump.pdf --page 3',
    '<%= config.bin %> get manuals/pump.md --heading Maintenance --json',
  ];
  static override args = {
    source: Args.string({ description: 'Source of the document, its last parts if no other ends in them, or its id', required: true }),
  };
  static override flags = {
    ...operationFlags(operations.get_source, { omit: ['name', 'id', 'offset', 'max_characters'] }),
    ...settingFlags(['collection']),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Get);
    await this.withEngine(flags, async (context) => {
      const asked = readRequestFlags(operations.get_source.input, flags);
      await this.perform(context, 'get_source', {
        request: { name: context.loaded.config.collection, id: args.source, ...asked },
        waiting: 'Reading',
        result: ({ text }) => context.screen.print(makePrintable(text)),
      });
    });
  }
}
