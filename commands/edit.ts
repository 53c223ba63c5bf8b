import { allowFailures } from '../src/cli/flags.ts';
import { pipedCommand } from '../src/cli/command.ts';
import { EditedChunk } from '../src/schema/items.ts';
import { countOf } from '../src/text/count.ts';

export default pipedCommand('edit', {
  description:
    'Reads chunks (id, text, and metadata if it changes) as JSON Lines from standard input and embeds them again. An edit lasts until its document changes.',
  examples: ['echo \'{"id": "3f2a…", "text": "The gate is locked at eleven."}\' | <%= config.bin %> edit --collection manuals'],
  flags: { 'allow-failures': allowFailures },
  input: { schema: EditedChunk, what: 'chunks', size: 5000 },
  request: (chunks) => ({ chunks }),
  waiting: 'Editing',
  summary: ({ edited, requested, collection }, screen) =>
    screen.report(`Edited ${countOf(edited, requested, 'chunk')} in "${collection}".`),
});
