import { KbCommand } from '../src/cli/command.ts';
import { notYet } from '../src/cli/not-yet.ts';

export default class Mcp extends KbCommand {
  static override summary = 'Offer the knowledge base as an MCP server (not part of this version yet)';

  async run(): Promise<void> {
    await this.parse(Mcp);
    notYet('mcp', 'Until it is, kb retrieve --json gives the same.');
  }
}
