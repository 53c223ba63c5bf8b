import { countOf } from '../src/text/count.ts';
import { KbCommand, tuneGarbageCollector } from '../src/cli/command.ts';
import { allowFailures, operationFlags } from '../src/cli/flags.ts';
import { readInputItems, runPipe } from '../src/cli/json-lines.ts';
import { operations } from '../src/schema/operations.ts';
import { GivenEmbeddedChunk } from '../src/schema/items.ts';

/** The numbers of a vector take 24 bytes each as JSON gives them, and 4 as they are stored. */
const CompactChunk = GivenEmbeddedChunk.transform((chunk) => ({
  ...chunk,
  ...(chunk.embedding && { embedding: new Float32Array(chunk.embedding) }),
}));

export default class Store extends KbCommand {
  static override summary = operations.store.summary;
  static override description = 'Reads chunks with vectors as JSON Lines from standard input, as kb embed writes them. Stores them by id.';
  static override examples = ['<%= config.bin %> embed < chunks.jsonl | <%= config.bin %> store --collection tickets'];
  static override flags = {
    'allow-failures': allowFailures,
    ...operationFlags(operations.store),
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(Store);
    tuneGarbageCollector();
    await this.withEngine(flags, async (context) => {
      await runPipe(context, 'store', {
        waiting: 'Storing',
        batches: readInputItems(CompactChunk, { what: 'embedded chunks', size: 2500 }),
        request: (embedded_chunks) => ({ embedded_chunks }),
        summary: ({ stored, inputs, collection }) =>
          context.screen.report(`Stored ${countOf(stored, inputs, 'chunk')} in «${collection}».`),
      });
    });
  }
}
