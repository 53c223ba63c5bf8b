import { join } from 'node:path';
import { CONFIG_NAME } from '../config/find-files.ts';
import type { CommandContext } from './command-context.ts';

interface ServerOptions {
  /** Arguments of `kb serve`, to start it again with. */
  argv: readonly string[];
  /** Whether to restart when the configuration changes. */
  reload: boolean;
  /** Whether to ingest the configured sources whenever they change. */
  watch: boolean;
}

/** Runs `kb serve` until it is stopped. Throws what `serve` throws. */
export async function runServer(context: CommandContext, { argv: given, reload, watch }: ServerOptions): Promise<void> {
  const { loaded, engine, screen, tracer, signal } = context;
  const [{ followReloader, serveAndReload }, { tokenPath }] = await Promise.all([
    import('../server/reload.ts'),
    import('../server/token-file.ts'),
  ]);
  const { config, home } = loaded;
  const { port } = config.server;
  const file = loaded.file ?? join(home, CONFIG_NAME);
  const argv = ['serve', ...given.filter((word) => word !== '--reload')];
  const tellReloader = followReloader(signal);
  const tokens = tokenPath({ settings: config.server, home, cwd: process.cwd() });
  if (reload) return await serveAndReload({ argv, file, tokens, keepsPort: port === 0, signal, report: screen.note });
  const [{ serve }, { createEngine }] = await Promise.all([import('../server/serve.ts'), import('../engine/engine.ts')]);
  await serve({
    engine,
    home,
    token: loaded.environment.KB_SERVER_TOKEN || undefined,
    signal,
    quiet: screen.quiet,
    isTerminal: process.stderr.isTTY && !screen.json, // also on a terminal with TERM=dumb
    watching: watch ? createEngine({ ...loaded, tracer }) : undefined,
    onListening: (url) => {
      screen.print(`listening on ${url}`);
      tellReloader(url);
    },
  });
}
