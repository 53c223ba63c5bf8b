import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { KbCommand, tuneGarbageCollector } from '../src/cli/command.ts';
import { operationFlags, outputDir, readRequestFlags } from '../src/cli/flags.ts';
import { itemPrinter } from '../src/cli/printers/document-printer.ts';
import { listPages } from '../src/cli/source-flags.ts';
import { operations } from '../src/schema/operations.ts';

export default class Scrape extends KbCommand {
  static override summary = operations.scrape.summary;
  static override description = 'Writes the main content of each page as Markdown, one document per line (JSON Lines).';
  static override examples = [
    '<%= config.bin %> scrape https://example.com/docs/start',
    '<%= config.bin %> scrape https://example.com/docs/ --crawl-mode full --max-pages 500 --json > docs.json',
    '<%= config.bin %> scrape https://example.com/docs/ --crawl-mode full --set \'ingestion.urls.include=["/docs/api/**"]\' --set ingestion.urls.render=never',
    '<%= config.bin %> scrape --retry docs.json | kb chunk',
  ];
  static override strict = false;
  static override args = { url: Args.string({ description: 'Pages, or start pages of crawls' }) };
  static override flags = {
    retry: Flags.string({
      description: 'Read failed pages again. FILE is the output of kb scrape --json, or error items',
      helpValue: 'FILE',
    }),
    'output-dir': outputDir,
    ...operationFlags(operations.scrape, { omit: ['url'] }),
  };

  async run(): Promise<void> {
    const { argv, flags } = await this.parse(Scrape);
    const url = listPages(argv as string[], flags.retry);
    tuneGarbageCollector();
    await this.withEngine(flags, async (context) => {
      if (url.length === 0) context.screen.note('There is nothing to be read again.');
      await this.perform(context, 'scrape', {
        title: 'Scraping',
        request: { url, ...readRequestFlags(operations.scrape.input, flags) },
        ...itemPrinter(context),
      });
    });
  }
}
