import { createRequire, enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { packageRoot } from '../../src/core/project.ts';
import { environment, type Ended, type StartOptions } from './program.ts';

enableCompileCache(); // the processes of the program fill it

/** The built program, loaded as the launcher does. With `import`, vitest would load it a second time, with classes of its own. */
const program = (): unknown => createRequire(import.meta.url)(join(packageRoot, 'dist', 'src', 'cli', 'main.js'));

/**
 * Runs a command of the built program in this process, to its end, off a terminal. One at a time: the process has one folder, one environment and one
 * standard output. Signals, terminals, closed pipes, and `serve`, which ends its process, are for `kb` of `program.ts`.
 */
export async function runCommand(words: readonly string[], { cwd, env, input = '' }: StartOptions): Promise<Ended> {
  const { runCommandLine } = program() as typeof import('../../src/cli/main.ts');
  const written = { out: '', error: '' };
  const restore = replaceProcess({ cwd, env: environment(cwd, env), input, written });
  try {
    await runCommandLine(words, packageRoot);
    return { code: Number(process.exitCode ?? 0), signal: null, ...written };
  } finally {
    restore();
  }
}

interface Replacement {
  cwd: string;
  env: Record<string, string>;
  /** What standard input holds. */
  input: string;
  /** Takes what is written to the standard streams. */
  written: { out: string; error: string };
}

/** Gives this process another folder, another environment and other standard streams. Returns what restores them. */
function replaceProcess({ cwd, env, input, written }: Replacement): () => void {
  const before = { cwd: process.cwd(), env: { ...process.env }, exitCode: process.exitCode };
  const stdin = Object.getOwnPropertyDescriptor(process, 'stdin')!;
  const restoreStreams = [
    capture(process.stdout, (text) => (written.out += text)),
    capture(process.stderr, (text) => (written.error += text)),
  ];
  Object.defineProperty(process, 'stdin', { value: Readable.from(input === '' ? [] : [input], { objectMode: false }), configurable: true });
  replaceEnvironment(env);
  process.chdir(cwd);
  process.exitCode = undefined;
  return () => {
    process.exitCode = before.exitCode;
    process.chdir(before.cwd);
    replaceEnvironment(before.env);
    Object.defineProperty(process, 'stdin', stdin);
    for (const restore of restoreStreams) restore();
  };
}

/** Passes on what is written to a stream, which is no terminal meanwhile. Returns what restores it. */
function capture(stream: NodeJS.WriteStream, take: (text: string) => void): () => void {
  const { write, isTTY } = stream;
  const taking = (text: string | Uint8Array, ...rest: unknown[]): boolean => {
    take(typeof text === 'string' ? text : Buffer.from(text).toString());
    const done = rest.find((one) => typeof one === 'function');
    if (done) process.nextTick(done as () => void);
    return true;
  };
  Object.assign(stream, { write: taking, isTTY: false });
  return () => void Object.assign(stream, { write, isTTY });
}

function replaceEnvironment(env: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
}
