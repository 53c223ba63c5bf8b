import { KbCommand } from '../src/cli/command.ts';
import { operationFlags, readRequestFlags } from '../src/cli/flags.ts';
import { readInputItems, runPipe } from '../src/cli/json-lines.ts';
import { operations } from '../src/schema/operations.ts';
import { GivenChunk } from '../src/schema/items.ts';

export default class Embed extends KbCommand {
  static override summary = operations.embed.summary;
  static override description = 'Reads chunks as JSON Lines from standard input, as kb chunk writes them. Writes each with its vector.';
  static override examples = ['<%= config.bin %> parse ./docs | <%= config.bin %> chunk | <%= config.bin %> embed'];
  static override flags = operationFlags(operations.embed);

  async run(): Promise<void> {
    const { flags } = await this.parse(Embed);
    await this.withEngine(flags, async (context) => {
      const rest = readRequestFlags(operations.embed.input, flags);
      await runPipe(context, 'embed', {
        waiting: 'Embedding',
        batches: readInputItems(GivenChunk, { what: 'chunks', size: 512 }),
        request: (chunks) => ({ chunks, ...rest }),
        show: ({ items }) => items.forEach((item) => context.screen.printJson(item)),
      });
    });
  }
}
