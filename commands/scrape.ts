import { Args } from '@oclif/core';
import { KbCommand } from '../src/cli/command.ts';
import { operationFlags, requestOfFlags } from '../src/cli/flags.ts';
import { itemPrinter } from '../src/cli/items.ts';
import { operations } from '../src/engine/operations.ts';

export default class Scrape extends KbCommand {
  static override summary = operations.scrape.summary;
  static override description = 'Writes a document a line as JSON Lines: the main content of each page as Markdown.';
  static override examples = [
    '<%= config.bin %> scrape https://example.com/docs/start',
    '<%= config.bin %> scrape https://example.com/faq | kb chunk',
  ];
  static override strict = false;
  static override args = { url: Args.string({ description: 'Pages', required: true }) };
  static override flags = operationFlags(operations.scrape, { omit: ['url'] });

  async run(): Promise<void> {
    const { argv, flags } = await this.parse(Scrape);
    await this.withEngine(flags, async (desk) => {
      await this.perform(desk, 'scrape', {
        request: { url: argv as string[], ...requestOfFlags(operations.scrape.input, flags) },
        ...itemPrinter(desk),
      });
    });
  }
}
