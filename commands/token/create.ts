import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { KbCommand } from '../../src/cli/command.ts';
import { parseWhere } from '../../src/cli/parse-where.ts';
import { TokenScope } from '../../src/schema/config.ts';

export default class TokenCreate extends KbCommand {
  static override summary = 'Create a token for kb serve';
  static override description =
    'Adds a row with the hash of the token to server.tokens_file and prints the token, once. Without that setting, the file is in the configuration folder of the user, one for each folder with a configuration. kb token revoke removes the row. A running server with tokens notices both at once.';
  static override examples = [
    '<%= config.bin %> token create support-bot --scope read --collection manuals',
    `<%= config.bin %> token create helpdesk --scope read --where 'team = support'`,
  ];
  static override args = { name: Args.string({ description: 'Name of the token, for the log', required: true }) };
  static override flags = {
    scope: Flags.string({
      description: 'What it allows: read (search, ask), write (also read sources and change what is stored), admin (drop collections)',
      options: TokenScope.options,
      multiple: true,
      multipleNonGreedy: true,
      required: true,
    }),
    collection: Flags.string({ description: 'A collection that it may use. Default: all', multiple: true, multipleNonGreedy: true }),
    where: Flags.string({
      description: `Only chunks that match this condition, such as 'team = support': the token reads, writes and removes no others`,
    }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(TokenCreate);
    await this.withEngine({ ...flags, collection: undefined }, async ({ loaded: { config, home }, screen }) => {
      const { addToken } = await import('../../src/cli/token-rows.ts');
      const filter = flags.where === undefined ? undefined : parseWhere(flags.where);
      const rights = { scopes: flags.scope as TokenScope[], collections: flags.collection ?? ['*'], ...(filter ? { filter } : {}) };
      const place = { settings: config.server, home, cwd: process.cwd() };
      const { file, token, row } = addToken({ name: args.name, ...rights }, place);
      if (screen.json) return screen.printJson({ ...row, hash: undefined, token });
      screen.print(token);
      screen.note(
        `kb shows it only once; its hash is in ${file}. Clients send it as "Authorization: Bearer …". A running server with tokens accepts it now; one that was started without tokens must be started again.`,
      );
    });
  }
}
