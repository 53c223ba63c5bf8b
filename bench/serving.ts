import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { execa, type ResultPromise } from 'execa';
import { random, sentence } from './manual.ts';

const launcher = fileURLToPath(new URL('../bin/run.js', import.meta.url));

export const MODES = ['text', 'vector', 'hybrid'] as const;
export type Mode = (typeof MODES)[number];

/** Puts a question to a search, and tells how many chunks it found. */
export type Ask = (query: string, mode: Mode) => Promise<number>;

/** Resident memory of a process in MB (Linux). */
export const residentMegabytes = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024;

/** Questions in the words of the generated manuals, the same in every run. */
export function questionsOf(count: number): string[] {
  const next = random(77);
  return Array.from({ length: count }, () => sentence(next).split(/[,:;]/)[0]!);
}

/** The program as it runs: what it prints, and its signals. */
export const startNode = (args: readonly string[], cwd?: string): ResultPromise<{ stdin: 'ignore'; stderr: 'inherit'; reject: false }> =>
  execa(process.execPath, args, { ...(cwd === undefined ? {} : { cwd }), stdin: 'ignore', stderr: 'inherit', reject: false });

/** What the process says first that matches, its first group. */
export const saidBy = (child: { stdout: NodeJS.ReadableStream }, pattern: RegExp): Promise<string> =>
  new Promise((done) => {
    let said = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      const found = pattern.exec(said)?.[1];
      if (found) done(found);
    });
  });

/** Does `work` with a `kb serve` over the base in `home`, which is then ended. */
export async function serving<T>(home: string, work: (ask: Ask, server: { pid: number }) => Promise<T>): Promise<T> {
  const server = startNode([launcher, 'serve', '--port', '0', '--quiet'], home);
  try {
    const url = await saidBy(server, /listening on (\S+)/);
    const ask: Ask = async (query, mode) => {
      const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ query, mode }) };
      const answer = await fetch(`${url}/v1/retrieve`, init);
      const { retrieved, failed } = (await answer.json()) as { retrieved: number; failed: number };
      if (answer.status !== 200 || failed > 0) throw new Error(`a retrieval ended with ${answer.status}`);
      return retrieved;
    };
    return await work(ask, { pid: server.pid! });
  } finally {
    server.kill();
    await server;
  }
}
