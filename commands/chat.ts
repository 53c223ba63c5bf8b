import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { KbCommand } from '../src/cli/command.ts';
import { EXIT } from '../src/cli/failure.ts';
import { operationFlags, readRequestFlags, searchedCollectionFlag, splitCollections } from '../src/cli/flags.ts';
import { answerPrinter } from '../src/cli/printers/show-answer.ts';
import { operations } from '../src/schema/operations.ts';

export default class Chat extends KbCommand {
  static override summary = operations.chat.summary;
  static override description = 'With a question, prints one answer. Without one, starts a conversation; /help lists its commands.';
  static override examples = [
    '<%= config.bin %> chat "What does ERR-4042 mean?"',
    '<%= config.bin %> chat --collection manuals',
    '<%= config.bin %> chat "Opening hours?" --llm-provider openai --json',
    '<%= config.bin %> chat "And on Sundays?" --history-file talk.json --json',
  ];
  static override args = { query: Args.string({ description: 'The question', ignoreStdin: true }) };
  static override flags = {
    'history-file': Flags.string({
      description:
        'File to continue the conversation from and save it to, also for a single question. On a terminal the default is one file per collection in ~/.local/state/kb/chat',
      helpValue: 'FILE',
    }),
    'no-history': Flags.boolean({ description: 'Do not load or save a conversation', exclusive: ['history-file'] }),
    ...operationFlags(operations.chat, { omit: ['query'] }),
    collection: searchedCollectionFlag,
  };

  async run(): Promise<void> {
    const { args, flags: given } = await this.parse(Chat);
    const { flags, collections } = splitCollections(given);
    await this.withEngine(flags, async (context) => {
      const request = { ...readRequestFlags(operations.chat.input, flags), ...collections };
      if (args.query === undefined) return (await import('../src/cli/repl/repl.ts')).converse(context, request);
      if (flags['history-file'] !== undefined)
        return (await import('../src/cli/repl/session.ts')).askWithHistoryFile(context, request, args.query);
      const { end, ...printer } = answerPrinter(context.screen);
      const result = await this.perform(context, 'chat', { request: { ...request, query: args.query }, lists: true, ...printer }).finally(
        end,
      );
      if (result.errors.some(({ stage }) => stage === 'validate')) process.exitCode = EXIT.usage;
    });
  }
}
