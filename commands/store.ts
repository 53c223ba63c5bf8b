import { pipedCommand, tuneGarbageCollector } from '../src/cli/command.ts';
import { allowFailures } from '../src/cli/flags.ts';
import { GivenEmbeddedChunk } from '../src/schema/items.ts';
import { countOf } from '../src/text/count.ts';

/** Converts vectors to 4 bytes a number; parsed JSON takes 24. */
const CompactChunk = GivenEmbeddedChunk.transform((chunk) => ({
  ...chunk,
  ...(chunk.embedding && { embedding: new Float32Array(chunk.embedding) }),
}));

export default pipedCommand('store', {
  description: 'Reads chunks with vectors as JSON Lines from standard input, as kb embed writes them. Stores them by id.',
  examples: ['<%= config.bin %> embed < chunks.jsonl | <%= config.bin %> store --collection tickets'],
  flags: { 'allow-failures': allowFailures },
  input: { schema: CompactChunk, what: 'embedded chunks', size: 2500 },
  request: (embedded_chunks) => ({ embedded_chunks }),
  prepare: tuneGarbageCollector,
  waiting: 'Storing',
  summary: ({ stored, inputs, collection }, screen) => screen.report(`Stored ${countOf(stored, inputs, 'chunk')} in "${collection}".`),
});
