import { fork, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, watch } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { childEnvironment } from '../core/child-environment.ts';
import { packageRoot } from '../core/project.ts';

/** Milliseconds to collect changes, because editors write a file in several steps. */
const DEBOUNCE = 150;
/** Milliseconds after which a server that does not stop is killed; longer than the time for its last requests. */
const STOP_TIMEOUT = 15_000;

/** Message between `serveAndReload` and its server. */
type ReloadMessage = { listening: string } | 'stop';

interface ReloadOptions {
  /** The command line of the server, without `--reload`. */
  argv: readonly string[];
  /** The path of the configuration file, which need not exist yet. */
  file: string;
  /** The tokens file, which may not exist. */
  tokens: string;
  /** Whether the port is chosen freely; restarts then reuse it. */
  keepsPort: boolean;
  signal: AbortSignal;
  report(text: string): void;
}

/**
 * Runs the server in a child process, and restarts it when the configuration, `.env`, the tokens file or, in a checkout, the source code changes.
 * After an invalid change the server stays as it is, or down, until it is fixed. Ends when the signal is aborted.
 */
export async function serveAndReload({ argv, file, tokens, keepsPort, signal, report }: ReloadOptions): Promise<void> {
  const changes = watchFiles([file, join(dirname(file), '.env'), tokens]);
  const stopped = signal.aborted ? Promise.resolve(undefined) : once(signal, 'abort').then(() => undefined);
  let args = argv;
  try {
    while (!signal.aborted) {
      const child = fork(process.argv[1]!, args, { env: process.env, stdio: 'inherit' }); // kb itself, with everything that this process was started with
      child.once('exit', () => signal.aborted || report('The server has ended. It starts again when the configuration changes.'));
      child.on('message', (word: ReloadMessage) => {
        if (keepsPort && typeof word === 'object') args = [...withoutPort(argv), '--port', new URL(word.listening).port];
      });
      const change = await Promise.race([changes.next(report), stopped]);
      child.removeAllListeners('exit');
      if (change) report(`${change} changed; starting again.`);
      await stopServer(child);
    }
  } finally {
    changes.close();
  }
}

const withoutPort = (argv: readonly string[]): string[] =>
  argv.filter((word, i) => word !== '--port' && argv[i - 1] !== '--port' && !word.startsWith('--port='));

async function stopServer(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  if (child.connected) child.send('stop' satisfies ReloadMessage, () => {}); // the child may have ended meanwhile
  const late = wait(STOP_TIMEOUT, 'late', { ref: false });
  if ((await Promise.race([ended, late])) === 'late') child.kill('SIGKILL');
  await ended;
}

/** Stops the server when its parent `serveAndReload` says so or exits; returns a function that reports the address. Does nothing without a parent. */
export function followReloader(signal: AbortSignal): (url: string) => void {
  if (!process.send) return () => {};
  const stop = () => {
    if (!signal.aborted) process.emit('SIGTERM');
  };
  process.on('disconnect', stop);
  process.on('message', (word: ReloadMessage) => {
    if (word === 'stop') stop();
  });
  process.channel?.unref(); // the channel alone must not keep the process alive
  return (listening) => void process.send!({ listening } satisfies ReloadMessage);
}

interface Changes {
  /** Waits for a change that can be applied; returns the name of a file, or "The sources". */
  next(report: ReloadOptions['report']): Promise<string>;
  close(): void;
}

function watchFiles(files: readonly string[]): Changes {
  const changed = new Set<string>(); // includes changes during start and compilation
  let wake = (): void => {};
  const note = (what: string) => {
    changed.add(what);
    wake();
  };
  const folders = [...Map.groupBy(files, (file) => dirname(file))].filter(([folder]) => existsSync(folder));
  const watchers = folders.map(([folder, inside]) => {
    const names = new Set(inside.map((file) => basename(file)));
    return watch(folder, (_, name) => void (name && names.has(name) && note(name)));
  });
  const isCheckout = existsSync(join(packageRoot, 'tsconfig.build.json'));
  for (const sources of isCheckout ? ['src', 'commands'] : [])
    watchers.push(watch(join(packageRoot, sources), { recursive: true }, () => note(SOURCES)));
  for (const watcher of watchers) watcher.on('error', () => {}); // a removed folder is ignored
  return {
    async next(report) {
      for (;;) {
        if (changed.size === 0) await new Promise<void>((go) => (wake = go));
        await wait(DEBOUNCE);
        const [what] = changed;
        const hasSourceChange = changed.has(SOURCES);
        changed.clear();
        if (!hasSourceChange || (await compileSources(report))) return what!;
      }
    },
    close: () => watchers.forEach((watcher) => watcher.close()),
  };
}

const SOURCES = 'The sources';

async function compileSources(report: ReloadOptions['report']): Promise<boolean> {
  report('The sources changed; compiling.');
  const child = spawn(process.execPath, [join(packageRoot, 'scripts', 'build.mjs')], {
    cwd: packageRoot,
    env: childEnvironment('build'),
    stdio: ['ignore', 2, 2],
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) report('They cannot be compiled; the server goes on as it was.');
  return code === 0;
}
