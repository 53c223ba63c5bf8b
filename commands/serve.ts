import { join } from 'node:path';
import * as Flags from '@oclif/core/flags';
import { CONFIG_NAME } from '../src/config/find-files.ts';
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
    const serving = async ({ loaded, engine, screen, tracer, signal }: Parameters<Parameters<typeof this.withEngine>[1]>[0]) => {
      const [{ followReloader: obeyReloader, serveAndReload }, { tokenPath }] = await Promise.all([
        import('../src/server/reload.ts'),
        import('../src/server/token-file.ts'),
      ]);
      const { config, home } = loaded;
      const { port } = config.server;
      const file = loaded.file ?? join(home, CONFIG_NAME);
      const argv = ['serve', ...this.argv.filter((word) => word !== '--reload')];
      const tell = obeyReloader(signal);
      const tokens = tokenPath({ settings: config.server, home, cwd: process.cwd() });
      if (flags.reload) return await serveAndReload({ argv, file, tokens, keepsPort: port === 0, signal, report: screen.note });
      const [{ serve }, { createEngine }] = await Promise.all([import('../src/server/serve.ts'), import('../src/engine/engine.ts')]);
      const watching = flags.watch ? createEngine({ ...loaded, tracer }) : undefined;
      const onListening = (url: string) => void (screen.print(`listening on ${url}`), tell(url));
      const token = loaded.environment.KB_SERVER_TOKEN || undefined;
      const isTerminal = process.stderr.isTTY && !screen.json; // also on a terminal with TERM=dumb
      await serve({ engine, home, token, signal, quiet: screen.quiet, isTerminal, watching, onListening });
    };
    await this.withEngine(flags, serving, { surface: 'server' });
    setTimeout(() => process.exit(), LAST_BREATH).unref(); // work that does not stop must not keep the process alive
  }
}
