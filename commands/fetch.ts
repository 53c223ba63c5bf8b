import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { KbCommand } from '../src/cli/command.ts';
import { outputDir, settingFlags } from '../src/cli/flags.ts';
import { itemPrinter } from '../src/cli/printers/document-printer.ts';
import { readFetchApis } from '../src/cli/source-flags.ts';
import { operations } from '../src/schema/operations.ts';

export default class Fetch extends KbCommand {
  static override summary = operations.fetch.summary;
  static override description =
    'Writes one document per line (JSON Lines). @file is a YAML or JSON file that configures an API (url, method, headers, params, body, pagination …); ${NAME} in it is an environment variable.';
  static override examples = [
    '<%= config.bin %> fetch https://example.com/api/articles',
    "<%= config.bin %> fetch https://example.com/api/articles --header 'Authorization: Bearer ${TOKEN}' --param lang=en",
    '<%= config.bin %> fetch @articles.yaml | kb chunk',
  ];
  static override strict = false;
  static override args = { api: Args.string({ description: 'URL of the API, or @file', required: true }) };
  static override flags = {
    header: Flags.string({
      description: 'Header to send with the request',
      helpValue: "'NAME: VALUE'",
      multiple: true,
      multipleNonGreedy: true,
    }),
    param: Flags.string({ description: 'Query parameter', helpValue: 'NAME=VALUE', multiple: true, multipleNonGreedy: true }),
    'output-dir': outputDir,
    ...settingFlags(operations.fetch.sections),
  };

  async run(): Promise<void> {
    const { argv, flags } = await this.parse(Fetch);
    await this.withEngine(flags, async (context) => {
      const apis = readFetchApis(argv as string[], flags, context.loaded.environment);
      await this.perform(context, 'fetch', { request: { apis }, ...itemPrinter(context) });
    });
  }
}
