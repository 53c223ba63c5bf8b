import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect } from 'vitest';
import { packageRoot } from '../../src/core/project.ts';

/** The program as it is installed. */
export const PROGRAM = join(packageRoot, 'bin', 'run.js');

/** What moves the cursor and colours text. */
export const SEQUENCES = /\u001b\[[0-9;?]*[A-Za-z]/g;

export interface Started {
  child: ChildProcess;
  /** What it has said so far. */
  said: { out: string; error: string };
  done: Promise<Ended>;
  /** Waits until what it has said matches, on both streams together, without colours and movements. */
  until(pattern: RegExp): Promise<void>;
}

export interface Ended {
  code: number | null;
  signal: NodeJS.Signals | null;
  out: string;
  error: string;
}

export interface StartOptions {
  cwd: string;
  env?: Record<string, string>;
  /** What is written to standard input, which is then closed; without it, standard input stays open. */
  input?: string;
}

/** Nothing of this machine but what a program needs: no configuration, no keys, a home of its own; search by words alone. */
export const environment = (cwd: string, env: Record<string, string> = {}) => ({
  PATH: process.env.PATH ?? '',
  HOME: cwd,
  XDG_STATE_HOME: join(cwd, '.state'),
  LANG: 'C.UTF-8',
  KB_EMBEDDING_PROVIDER: 'none',
  OLLAMA_BASE_URL: 'http://127.0.0.1:9', // nothing listens there, whatever runs on this machine
  ...env,
});

/** Starts a command; it is killed with the process of the tests. */
export function start(command: readonly [string, ...string[]], { cwd, env, input }: StartOptions): Started {
  const options = {
    cwd,
    env: environment(cwd, env),
    extendEnv: false,
    stdin: 'pipe',
    reject: false,
    buffer: false,
    cleanup: false,
  } as const;
  const { nodeChildProcess: child } = execa(command[0], command.slice(1), options);
  const kill = () => void child.kill('SIGKILL');
  process.once('exit', kill);
  const said = { out: '', error: '' };
  const waiting = new Set<() => void>();
  const hear = (stream: 'out' | 'error') => (text: string) => {
    said[stream] += text;
    for (const look of waiting) look();
  };
  child.stdout!.setEncoding('utf8').on('data', hear('out'));
  child.stderr!.setEncoding('utf8').on('data', hear('error'));
  child.stdin!.on('error', () => {}); // it may end before it has read everything
  if (input !== undefined) child.stdin!.end(input);
  const done = new Promise<Ended>((end) => child.on('close', (code, signal) => end({ code, signal, ...said })));
  void done.then(() => process.off('exit', kill));
  const until = (pattern: RegExp) =>
    new Promise<void>((resolve, reject) => {
      const look = () => {
        if (!pattern.test((said.out + said.error).replace(SEQUENCES, ''))) return;
        waiting.delete(look);
        resolve();
      };
      waiting.add(look);
      look();
      void done.then(() => reject(new Error(`It ended before it said ${pattern}: ${said.out}${said.error}`)));
    });
  return { child, said, done, until };
}

/** Starts kb. */
export const startKb = (words: readonly string[], options: StartOptions): Started => start([process.execPath, PROGRAM, ...words], options);

/** Runs kb to its end. */
export const kb = (words: readonly string[], options: StartOptions): Promise<Ended> => startKb(words, { input: '', ...options }).done;

/** What a command with --json wrote: one document, and nothing else. */
export function documentIn({ out }: Ended): unknown {
  expect(out).toMatch(/^[^\n]+\n$/);
  return JSON.parse(out);
}

/** Starts a line of shell on a terminal of 60 columns (util-linux `script`): what is written to its standard input is typed there. */
export const onTerminal = (line: string, options: Omit<StartOptions, 'input'>): Started =>
  start(['script', '-qefc', `stty cols 60 rows 24; ${line}`, '/dev/null'], {
    ...options,
    env: { TERM: 'xterm', SHELL: '/bin/sh', ...options.env },
  });

/** How kb is written in a line of shell. */
export const KB = `'${process.execPath}' '${PROGRAM}'`;

/** A short document, and one of many chunks. */
export const GATE = '# Gate\n\nThe gate is locked at ten in the evening. The key hangs in the office.\n';
export const LONG = Array.from(
  { length: 400 },
  (_, i) => `## Thing ${i}\n\n${`The thing with the number ${i} stands in the long corridor. `.repeat(8)}`,
).join('\n\n');
