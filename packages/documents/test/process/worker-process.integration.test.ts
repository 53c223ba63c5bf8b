import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { ParseAnswer, ParseTask } from '../../src/parser.ts';
import { WorkerProcess } from '../../src/process/worker-process.ts';
import { folder } from '../support/folder.ts';
import { slowHtml } from '../support/slow-html.ts';

const task = (source: string, file_type: string, content: string) => ({ bytes: new Uint8Array(Buffer.from(content)), source, file_type });
type ParseProcess = WorkerProcess<readonly ParseTask[], ParseAnswer>;
const worker = fileURLToPath(new URL('../../src/process/parse-worker.ts', import.meta.url));
const started: ParseProcess[] = [];
const start = (limits: { heap: number; resident: number }): ParseProcess => {
  const process = new WorkerProcess<readonly ParseTask[], ParseAnswer>(worker, limits);
  started.push(process);
  return process;
};

const script = fileURLToPath(new URL('../support/parse-process.ts', import.meta.url));
const parents: ChildProcess[] = [];
/** Starts a process that reads documents, in a group of its own, and waits until it has read the first. */
async function startParent(
  mode: string,
  [shell, ...before]: string[] = [],
): Promise<{ parent: ChildProcess; said: () => string; pid: number }> {
  const env = { ...process.env, KB_TEST_SECRET: 'never-to-be-told' };
  const parent = spawn(shell ?? process.execPath, [...before, ...(shell ? [process.execPath] : []), script, mode], {
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  parents.push(parent);
  let said = '';
  parent.stdout!.setEncoding('utf8').on('data', (text: string) => (said += text));
  await once(parent.stdout!, 'data');
  return { parent, said: () => said, pid: parent.pid! };
}
const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
const isRunning = (pid: number): boolean => existsSync(`/proc/${pid}`) && !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));

afterEach(async () => {
  await Promise.all(started.splice(0).map((process) => process.kill()));
  for (const parent of parents.splice(0)) if (parent.exitCode === null) parent.kill('SIGKILL');
});

describe('a worker process', () => {
  it('parses several documents in one message', async () => {
    const answer = await start({ heap: 256, resident: 768 }).ask([task('a.md', 'markdown', '# A'), task('b.html', 'html', '<p>b</p>')]);
    expect(answer).toMatchObject({ outcomes: [{ parsed: { text: '# A' } }, { parsed: { text: 'b' } }] });
  });

  it('answers with many marks in slices', async () => {
    const records = JSON.stringify(Array.from({ length: 6_000 }, (_, a) => ({ a, b: 'x' })));
    const answer = (await start({ heap: 256, resident: 768 }).ask([task('a.json', 'json', records)])) as ParseAnswer;
    const [outcome] = answer.outcomes;
    if (!outcome || 'failed' in outcome) throw new Error('The file was not read.');
    expect(outcome.parsed.marks).toEqual([]);
    expect(outcome.marks[0]!.length).toBeGreaterThan(1);
  });

  it('saves compiled code for the next process, even if it is killed', async () => {
    const cache = folder();
    vi.stubEnv('NODE_COMPILE_CACHE', cache);
    onTestFinished(() => void vi.unstubAllEnvs());
    await start({ heap: 256, resident: 768 }).ask([task('a.html', 'html', '<p>a</p>')]);
    const kept = readdirSync(cache, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    expect(kept.length).toBeGreaterThan(10);
  });

  it('receives and returns a document of many megabytes', async () => {
    const text = 'Ein Satz über Möwen. '.repeat(1_000_000);
    const answer = await start({ heap: 1024, resident: 1536 }).ask([task('long.txt', 'text', text)]);
    expect('outcomes' in answer && 'parsed' in answer.outcomes[0]! && answer.outcomes[0].parsed.text.length).toBeGreaterThan(20_000_000);
  });

  it('is killed if a document exceeds the limit of resident memory, whatever its heap size', async () => {
    const process = start({ heap: 1024, resident: 1 });
    expect(await process.ask([task('slow.html', 'html', slowHtml)])).toMatchObject({ death: { signal: 'SIGKILL' } });
    expect(process.isAlive).toBe(false);
  });

  it('does not keep its parent from ending', async () => {
    const { parent, said } = await startParent('once');
    const [code] = await once(parent, 'close');
    expect({ code, said: said() }).toEqual({ code: 0, said: 'first\n' });
  });

  it.skipIf(process.platform === 'win32')('fails only its document if it cannot be started for lack of descriptors', async () => {
    const { parent, said } = await startParent('starved', ['sh', '-c', 'ulimit -n 64; exec "$0" "$@"']);
    const [code] = await once(parent, 'close');
    expect({ code, said: said() }).toEqual({
      code: 0,
      said: expect.stringMatching(/^first\n.*second\.html cannot be read: no process could be started/),
    });
  });

  it('survives the interrupt of a terminal, which its parent handles', async () => {
    const { parent, said, pid } = await startParent('signalled');
    process.kill(-pid, 'SIGINT');
    const [code] = await once(parent, 'close');
    expect({ code, said: said() }).toEqual({ code: 0, said: 'first\nsecond\n' });
  });

  it.skipIf(process.platform !== 'linux')('ends within a document if its parent is killed, and gets none of its secrets', async () => {
    const { parent, pid } = await startParent('forever');
    const [child] = childrenOf(pid);
    expect(readFileSync(`/proc/${child}/environ`, 'utf8')).not.toContain('never-to-be-told');
    await new Promise((resolve) => setTimeout(resolve, 1000)); // it is in the middle of its document
    expect(isRunning(child!)).toBe(true);
    parent.kill('SIGKILL');
    await once(parent, 'exit');
    await expect.poll(() => isRunning(child!), { timeout: 30_000 }).toBe(false);
  });
});
