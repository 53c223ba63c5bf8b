import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { assertKnown, askToConfirm } from '../../src/cli/prompts.ts';
import { KbCommand } from '../../src/cli/command.ts';

export default class TokenRevoke extends KbCommand {
  static override summary = 'Revoke a token of kb serve';
  static override description =
    'Removes its row from the tokens file. A running server refuses the token from then on. Asks for confirmation. Without a terminal it needs --yes.';
  static override examples = ['<%= config.bin %> token revoke support-bot', '<%= config.bin %> token revoke ci --yes'];
  static override args = { name: Args.string({ description: 'Name of the token', required: true }) };
  static override flags = { yes: Flags.boolean({ description: 'Do not ask' }) };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(TokenRevoke);
    await this.withEngine({ ...flags, collection: undefined }, async ({ loaded: { config, home }, screen }) => {
      const { listTokens, revokeToken } = await import('../../src/cli/token-rows.ts');
      const place = { settings: config.server, home, cwd: process.cwd() };
      assertKnown(args.name, { kind: 'token', names: listTokens(place).map(({ name }) => name), listCommand: 'kb token list' });
      const question = `Revoke the token "${args.name}"? Who uses it is refused from then on.`;
      if (!flags.yes && !(await askToConfirm(question, 'kb token revoke'))) return screen.note('Nothing was changed.');
      const file = revokeToken(args.name, place);
      if (screen.json) return screen.printJson({ name: args.name, revoked: true });
      screen.report(`Revoked the token "${args.name}" in ${file}.`);
      screen.note('A running server refuses it from now on.');
    });
  }
}
