import * as Flags from '@oclif/core/flags';
import { KbCommand } from '../src/cli/command.ts';
import { settingFlags } from '../src/cli/flags.ts';

const LAST_BREATH = 2_000; // milliseconds for the process to end by itself after the server has stopped

export default class Serve extends KbCommand {
  static override summary = 'Serve the knowledge base over HTTP';
  static override description =
    'Anyone who can reach the address can read and write the collections. It accepts only this machine unless KB_SERVER_TOKEN is set or there are tokens (kb token create). /docs describes the interface.';
  static override examples = [
    '<%= config.bin %> serve',
    '<%= config.bin %> serve --port 0 --collection manuals',
    'KB_SERVER_TOKEN=$(openssl rand -hex 32) <%= config.bin %> serve --host 0.0.0.0',
  ];
  static override flags = {
    reload: Flags.boolean({ description: 'Restart when the configuration (in a checkout, also the source code) changes' }),
    watch: Flags.boolean({ description: 'Ingest the configured sources meanwhile, and again whatever changes (see kb watch)' }),
    ...settingFlags(['server', 'watch', 'collection', 'storage', 'embedding.provider', 'embedding.model', 'retrieval', 'chat.llm']),
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(Serve);
    const { runServer } = await import('../src/cli/run-server.ts');
    const { reload, watch } = flags;
    await this.withEngine(flags, (context) => runServer(context, { argv: this.argv, reload, watch }), { surface: 'server' });
    setTimeout(() => process.exit(), LAST_BREATH).unref(); // work that does not stop must not keep the process alive
  }
}
