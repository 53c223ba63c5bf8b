import { KbCommand, tuneGarbageCollector } from '../src/cli/command.ts';
import { readConfig } from '../src/config/load.ts';
import { allowFailures, operationFlags, readRequestFlags } from '../src/cli/flags.ts';
import { showIngest } from '../src/cli/printers/show-ingest.ts';
import { ingestSources, sourceFlags } from '../src/cli/source-flags.ts';
import { operations } from '../src/schema/operations.ts';

/** Keys of the embedder that a collection remembers, where nothing but flags says them: what a file or a variable says would contradict it. */
function rememberedKeys(file: string | undefined): string[] {
  const { provider, model } = readConfig({ cwd: process.cwd(), file, environment: process.env }).config.embedding;
  return provider === undefined && model === undefined ? ['embedding.provider', 'embedding.model'] : [];
}

export default class Ingest extends KbCommand {
  static override summary = operations.ingest.summary;
  static override description = 'Unchanged documents cost nothing, changed ones are replaced. --prune removes those that are gone.';
  static override examples = [
    '<%= config.bin %> ingest --docs ./manuals',
    "<%= config.bin %> ingest --docs ./manuals --docs 'notes/**/*.md' --markdown @news.md --prune --collection support",
    "<%= config.bin %> ingest --docs ./manuals --metadata team=support --metadata 'tags=[care, water]'",
    '<%= config.bin %> ingest --sources sources.yaml --concurrency parallel --json',
  ];
  static override flags = {
    ...sourceFlags,
    'allow-failures': allowFailures,
    ...operationFlags(operations.ingest, { omit: ['metadata'] }),
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(Ingest);
    tuneGarbageCollector();
    await this.withEngine(flags, async (context) => {
      const began = Date.now();
      const request = { ...(await ingestSources(flags, context.loaded)), ...readRequestFlags(operations.ingest.input, flags) };
      const view = { screen: context.screen, dry_run: request.dry_run ?? false, flags, remembered: rememberedKeys(flags.config) };
      await this.perform(context, 'ingest', {
        request,
        title: view.dry_run ? 'Rehearsing' : 'Ingesting',
        prints: request.ingestion?.urls?.verbose ?? context.loaded.config.ingestion.urls.verbose,
        result: (result) => showIngest(result, { ...view, milliseconds: Date.now() - began }),
      });
    });
  }
}
