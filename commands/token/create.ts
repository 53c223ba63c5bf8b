import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { KbCommand } from '../../src/cli/command.ts';
import { TokenScope } from '../../src/schema/config.ts';

export default class TokenCreate extends KbCommand {
  static override summary = 'Create a token for kb serve';
  static override description =
    'Adds a row with the hash of the token to server.tokens_file and prints the token, once. kb token revoke removes the row; a running server reads the file when it starts (with --reload, when it changes).';
  static override examples = [
    '<%= config.bin %> token create support-bot --scope read --collection manuals',
    '<%= config.bin %> token create ci --scope read --scope write',
  ];
  static override args = { name: Args.string({ description: 'Name of the token, for the log', required: true }) };
  static override flags = {
    scope: Flags.string({
      description: 'What it allows: read (search, ask), write (read sources, change what is stored), admin (drop collections)',
      options: TokenScope.options,
      multiple: true,
      multipleNonGreedy: true,
      required: true,
    }),
    collection: Flags.string({ description: 'A collection that it may use. Default: all', multiple: true, multipleNonGreedy: true }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(TokenCreate);
    await this.withEngine({ ...flags, collection: undefined }, async ({ loaded: { config, home }, screen }) => {
      const { addToken } = await import('../../src/cli/token-rows.ts');
      const { file, token, row } = addToken(
        { name: args.name, scopes: flags.scope as TokenScope[], collections: flags.collection ?? ['*'] },
        { settings: config.server, home, cwd: process.cwd() },
      );
      const { hash: _hash, ...rest } = row;
      if (screen.json) return screen.printJson({ ...rest, token });
      screen.print(token);
      screen.note(
        `It is shown this once; its hash is in ${file}. Clients send it as «Authorization: Bearer …». A running server takes it from now on.`,
      );
    });
  }
}
