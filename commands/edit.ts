import { countOf } from '../src/text/count.ts';
import { KbCommand } from '../src/cli/command.ts';
import { allowFailures, operationFlags } from '../src/cli/flags.ts';
import { readInputItems, runPipe } from '../src/cli/json-lines.ts';
import { operations } from '../src/schema/operations.ts';
import { EditedChunk } from '../src/schema/items.ts';

export default class Edit extends KbCommand {
  static override summary = operations.edit.summary;
  static override description =
    'Reads chunks (id, text, and metadata if it changes) as JSON Lines from standard input and embeds them again. An edit lasts until its document changes.';
  static override examples = [
    'echo \'{"id": "3f2a…", "text": "The gate is locked at eleven."}\' | <%= config.bin %> edit --collection manuals',
  ];
  static override flags = {
    'allow-failures': allowFailures,
    ...operationFlags(operations.edit),
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(Edit);
    await this.withEngine(flags, async (context) => {
      await runPipe(context, 'edit', {
        waiting: 'Editing',
        batches: readInputItems(EditedChunk, { what: 'chunks', size: 5000 }),
        request: (chunks) => ({ chunks }),
        summary: ({ edited, requested, collection }) =>
          context.screen.report(`Edited ${countOf(edited, requested, 'chunk')} in «${collection}».`),
      });
    });
  }
}
