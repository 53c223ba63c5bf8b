import { pipedCommand } from '../src/cli/command.ts';
import { GivenDocument } from '../src/schema/items.ts';

export default pipedCommand('chunk', {
  description: 'Reads documents as JSON Lines from standard input, as kb parse writes them. Writes one chunk per line.',
  examples: [
    '<%= config.bin %> parse ./docs | <%= config.bin %> chunk --chunk-size 800',
    'echo \'{"text": "# Door\\n\\nIt is locked at ten."}\' | <%= config.bin %> chunk --json',
  ],
  omit: ['title', 'source', 'markdown'],
  input: { schema: GivenDocument, what: 'documents', size: 64 },
  request: (markdown) => ({ markdown }),
  show: ({ items }, screen) => items.forEach((item) => screen.printJson(item)),
});
