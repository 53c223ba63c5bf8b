import { KbCommand } from '../src/cli/command.ts';
import { notYet } from '../src/cli/not-yet.ts';

export default class Serve extends KbCommand {
  static override summary = 'Serve the knowledge base over HTTP (not part of this version yet)';

  async run(): Promise<void> {
    await this.parse(Serve);
    notYet('serve', 'Until it is, the commands take --json.');
  }
}
