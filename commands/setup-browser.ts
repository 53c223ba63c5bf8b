import { KbCommand } from '../src/cli/command.ts';
import { notYet } from '../src/cli/not-yet.ts';

export default class SetupBrowser extends KbCommand {
  static override summary = 'Find or install the browser that renders web pages (not part of this version yet)';

  async run(): Promise<void> {
    await this.parse(SetupBrowser);
    notYet('setup-browser', 'Pages that need no browser are read without one.');
  }
}
