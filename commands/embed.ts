import { pipedCommand } from '../src/cli/command.ts';
import { GivenChunk } from '../src/schema/items.ts';

export default pipedCommand('embed', {
  description: 'Reads chunks as JSON Lines from standard input, as kb chunk writes them. Writes each with its vector.',
  examples: ['<%= config.bin %> parse ./docs | <%= config.bin %> chunk | <%= config.bin %> embed'],
  input: { schema: GivenChunk, what: 'chunks', size: 512 },
  request: (chunks) => ({ chunks }),
  waiting: 'Embedding',
  show: ({ items }, screen) => items.forEach((item) => screen.printJson(item)),
});
