import { fork, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, watch } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { packageRoot } from '../core/project.ts';

/** Milliseconds to collect changes: editors write a file in several steps. */
const SETTLED = 150;
/** Milliseconds after which a server that does not stop is killed; longer than the time for its last requests. */
const PATIENCE = 15_000;

/** Message between `serveAndReload` and its server. */
type Word = { listening: string } | 'stop';

interface ReloadOptions {
  /** The command line of the server, without `--reload`. */
  argv: readonly string[];
  /** The configuration file, also where there is none yet. */
  file: string;
  /** The file of tokens, where one is configured. */
  tokens: string | undefined;
  /** Whether the port is any free one: it is then kept from one start to the next. */
  keepsPort: boolean;
  signal: AbortSignal;
  say(text: string): void;
}

/**
 * Runs the server in a child process, and restarts it when the configuration, `.env`, the tokens file or, in a checkout, the source code changes.
 * After an invalid change the server stays as it is, or down, until it is fixed. Ends when the signal is aborted.
 */
export async function serveAndReload({ argv, file, tokens, keepsPort, signal, say }: ReloadOptions): Promise<void> {
  const changes = watchAll([file, join(dirname(file), '.env'), ...(tokens === undefined ? [] : [tokens])]);
  const stopped = signal.aborted ? Promise.resolve(undefined) : once(signal, 'abort').then(() => undefined);
  let words = argv;
  try {
    while (!signal.aborted) {
      const child = fork(process.argv[1]!, words, { stdio: 'inherit' });
      child.once('exit', () => signal.aborted || say('The server has ended. It starts again when the configuration changes.'));
      child.on('message', (word: Word) => {
        if (keepsPort && typeof word === 'object') words = [...withoutPort(argv), '--port', new URL(word.listening).port];
      });
      const change = await Promise.race([changes.next(say), stopped]);
      child.removeAllListeners('exit');
      if (change) say(`${change} changed; starting again.`);
      await end(child);
    }
  } finally {
    changes.close();
  }
}

const withoutPort = (argv: readonly string[]): string[] =>
  argv.filter((word, i) => word !== '--port' && argv[i - 1] !== '--port' && !word.startsWith('--port='));

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  if (child.connected) child.send('stop' satisfies Word, () => {}); // it may have ended meanwhile
  const late = wait(PATIENCE, 'late', { ref: false });
  if ((await Promise.race([ended, late])) === 'late') child.kill('SIGKILL');
  await ended;
}

/** Stops the server when its parent `serveAndReload` says so or exits; returns a function that reports the address. Does nothing without a parent. */
export function obeyReloader(signal: AbortSignal): (url: string) => void {
  if (!process.send) return () => {};
  const stop = () => {
    if (!signal.aborted) process.emit('SIGTERM');
  };
  process.on('disconnect', stop);
  process.on('message', (word: Word) => {
    if (word === 'stop') stop();
  });
  process.channel?.unref(); // the channel alone must not keep the process alive
  return (listening) => void process.send!({ listening } satisfies Word);
}

interface Changes {
  /** Waits for a change that can be applied; returns the name of a file, or «The sources». */
  next(say: ReloadOptions['say']): Promise<string>;
  close(): void;
}

function watchAll(files: readonly string[]): Changes {
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
    async next(say) {
      for (;;) {
        if (changed.size === 0) await new Promise<void>((go) => (wake = go));
        await wait(SETTLED);
        const [what] = changed;
        const isOfSources = changed.has(SOURCES);
        changed.clear();
        if (!isOfSources || (await compiled(say))) return what!;
      }
    },
    close: () => watchers.forEach((watcher) => watcher.close()),
  };
}

const SOURCES = 'The sources';

async function compiled(say: ReloadOptions['say']): Promise<boolean> {
  say('The sources changed; compiling.');
  const child = spawn(process.execPath, [join(packageRoot, 'scripts', 'build.mjs')], { cwd: packageRoot, stdio: ['ignore', 2, 2] });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) say('They cannot be compiled; the server goes on as it was.');
  return code === 0;
}
