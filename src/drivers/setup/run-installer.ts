import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { childEnvironment } from '../../core/child-environment.ts';
import { throwIfAborted } from '../../core/run.ts';

/** Lines of an installer that are shown as the reason of its failure. */
const REASON_LINES = 3;

interface InstallerOptions {
  /** Its working directory: npm reads settings there, and Windows searches it for programs, so it must not be a folder of somebody else. */
  cwd: string;
  signal?: AbortSignal | undefined;
  /** Makes the error to throw if the installer fails for this reason. */
  failure(reason: string): Error;
}

/** Runs an installer, a program with its arguments, and yields the lines of its output. */
export async function* runInstaller(
  [program, ...args]: readonly string[],
  { cwd, signal, failure }: InstallerOptions,
): AsyncGenerator<string, void, void> {
  throwIfAborted(signal);
  const child = spawn(program!, args, {
    cwd,
    env: childEnvironment('installer'),
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: process.platform !== 'win32',
  });
  const stop = () => killGroup(child);
  signal?.addEventListener('abort', stop);
  const ended = new Promise<number | Error | null>((done) => child.once('close', done).once('error', done));
  const output = new PassThrough();
  for (const stream of [child.stdout, child.stderr]) stream.pipe(output, { end: false });
  void ended.then(() => output.end());
  const lines: string[] = [];
  try {
    for await (const line of createInterface({ input: output })) {
      if (line.trim() === '') continue;
      lines.push(line.trim());
      yield line;
    }
  } finally {
    signal?.removeEventListener('abort', stop);
    stop();
  }
  const outcome = await ended;
  throwIfAborted(signal);
  if (outcome !== 0) throw failure(outcome instanceof Error ? outcome.message : findReason(lines) || `the installer ended with ${outcome}`);
}

/** Ends a process and the processes that it has started; Windows has no such groups. */
function killGroup(child: ChildProcess): void {
  if (child.pid === undefined || process.platform === 'win32') return void child.kill();
  try {
    process.kill(-child.pid);
  } catch {} // they are gone
}

/** Returns the distinct errors that the installer (Playwright, apt) printed, else its last lines. */
function findReason(lines: readonly string[]): string {
  const errors = [...new Set(lines.filter((line) => /^(Error|E): /.test(line)))].map((line) => line.replace(/^\w+: /, ''));
  return (errors.length > 0 ? errors : lines).slice(-REASON_LINES).join('; ');
}
