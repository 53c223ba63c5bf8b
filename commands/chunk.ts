import { KbCommand } from '../src/cli/command.ts';
import { operationFlags } from '../src/cli/flags.ts';
import { readInputItems, runPipe } from '../src/cli/json-lines.ts';
import { operations } from '../src/schema/operations.ts';
import { GivenDocument } from '../src/schema/items.ts';

export default class Chunk extends KbCommand {
  static override summary = operations.chunk.summary;
  static override description = 'Reads documents as JSON Lines from standard input, as kb parse writes them. Writes one chunk per line.';
  static override examples = [
    '<%= config.bin %> parse ./docs | <%= config.bin %> chunk --chunk-size 800',
    'echo \'{"text": "# Door\\n\\nIt is locked at ten."}\' | <%= config.bin %> chunk --json',
  ];
  static override flags = operationFlags(operations.chunk, { omit: ['title', 'source', 'markdown'] });

  async run(): Promise<void> {
    const { flags } = await this.parse(Chunk);
    await this.withEngine(flags, async (context) => {
      await runPipe(context, 'chunk', {
        batches: readInputItems(GivenDocument, { what: 'documents', size: 64 }),
        request: (markdown) => ({ markdown }),
        show: ({ items }) => items.forEach((item) => context.screen.printJson(item)),
      });
    });
  }
}
