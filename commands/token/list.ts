import { KbCommand } from '../../src/cli/command.ts';

export default class TokenList extends KbCommand {
  static override summary = 'List the tokens of kb serve';
  static override description =
    'Names, scopes, collections and filters of the rows of the tokens file. The tokens themselves are kept nowhere.';
  static override examples = ['<%= config.bin %> token list', '<%= config.bin %> token list --json'];
  static override flags = {};

  async run(): Promise<void> {
    const { flags } = await this.parse(TokenList);
    await this.withEngine({ ...flags, collection: undefined }, async ({ loaded: { config, home }, screen }) => {
      const { listTokens } = await import('../../src/cli/token-rows.ts');
      const tokens = listTokens({ settings: config.server, home, cwd: process.cwd() });
      if (screen.json) return screen.printJson({ tokens });
      if (tokens.length === 0) screen.print('There are no tokens yet. Next: kb token create NAME --scope read');
      const width = Math.max(...tokens.map(({ name }) => name.length));
      for (const { name, scopes, collections, filter } of tokens)
        screen.print(
          `${name.padEnd(width)}  ${scopes.join(', ')}; ${collections.includes('*') ? 'all collections' : collections.join(', ')}${filter ? `; ${JSON.stringify(filter)}` : ''}`,
        );
    });
  }
}
