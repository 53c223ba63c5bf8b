import { Flags } from '@oclif/core';
import { KbCommand } from '../src/cli/command.ts';
import { allowFailures, operationFlags, requestOfFlags } from '../src/cli/flags.ts';
import { showIngest } from '../src/cli/printers/show-ingest.ts';
import { ingestSources } from '../src/cli/source-flags.ts';
import { tuneGarbageCollector } from '../src/cli/tune-gc.ts';
import { operations } from '../src/schema/operations.ts';

// Each takes all that follows it up to the next flag: the shell makes several words of `--docs manuals/*.pdf`.
const many = (description: string, helpValue: string) => Flags.string({ description, helpValue, multiple: true, helpGroup: 'SOURCES' });

export default class Ingest extends KbCommand {
  static override summary = operations.ingest.summary;
  static override description = 'Unchanged documents cost nothing, changed ones are replaced. --prune removes those that are gone.';
  static override examples = [
    '<%= config.bin %> ingest --docs ./manuals',
    "<%= config.bin %> ingest --docs ./manuals --docs 'notes/**/*.md' --markdown @news.md --prune --collection support",
    '<%= config.bin %> ingest --sources sources.yaml --concurrency parallel --json',
  ];
  static override flags = {
    docs: many('Files, folders, globs or links to documents', 'PATH'),
    urls: many('Web pages', 'URL'),
    api: many('HTTP API: its URL, or @file with its configuration', 'URL|@FILE'),
    markdown: many('Markdown text, @file, or - for standard input', 'TEXT|@FILE|-'),
    sources: Flags.string({ description: 'A request of /v1/pipelines/ingest as YAML or JSON', helpValue: 'FILE', helpGroup: 'SOURCES' }),
    'allow-failures': allowFailures,
    ...operationFlags(operations.ingest),
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(Ingest);
    tuneGarbageCollector();
    await this.withEngine(flags, async (desk) => {
      const began = Date.now();
      const request = { ...(await ingestSources(flags, desk.loaded)), ...requestOfFlags(operations.ingest.input, flags) };
      const view = { screen: desk.screen, dry_run: request.dry_run ?? false, flags };
      await this.perform(desk, 'ingest', {
        request,
        title: view.dry_run ? 'Rehearsing' : 'Ingesting',
        prints: request.ingestion?.urls?.verbose ?? desk.loaded.config.ingestion.urls.verbose,
        result: (result) => showIngest(result, { ...view, milliseconds: Date.now() - began }),
      });
    });
  }
}
