import * as Args from '@oclif/core/args';
import { KbCommand } from '../src/cli/command.ts';
import { operationFlags, readRequestFlags, settingFlags } from '../src/cli/flags.ts';
import { printDocuments } from '../src/cli/printers/document-printer.ts';
import { operations } from '../src/schema/operations.ts';

export default class Sources extends KbCommand {
  static override summary = operations.list_sources.summary;
  static override description =
    'Shows source, title, kind, chunks, characters and the time of the last write. kb get SOURCE shows one document.';
  static override examples = [
    '<%= config.bin %> sources',
    '<%= config.bin %> sources manuals/ --kind path --limit 20',
    '<%= config.bin %> sources --collection support --json',
  ];
  static override args = { prefix: Args.string({ description: 'Only sources that begin with this text' }) };
  static override flags = { ...operationFlags(operations.list_sources, { omit: ['name'] }), ...settingFlags(['collection']) };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Sources);
    await this.withEngine(flags, async (context) => {
      const asked = { ...readRequestFlags(operations.list_sources.input, flags), ...(args.prefix ? { prefix: args.prefix } : {}) };
      await this.perform(context, 'list_sources', {
        request: { name: context.loaded.config.collection, ...asked },
        waiting: 'Reading the names',
        result: (result) => printDocuments(result, context.screen),
      });
    });
  }
}
