import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';

const launcher = fileURLToPath(new URL('../bin/run.js', import.meta.url));
/** Milliseconds between two looks at a process's memory. */
const LOOK = 25;

/** One run of a process. */
export interface Timed {
  milliseconds: number;
  /** The most memory that it held (VmHWM, bytes); undefined where there is no /proc. */
  peak: number | undefined;
  stdout: string;
}

/** Does `work` with a new folder, which holds nothing but an empty configuration, and removes it. */
export async function inWorkplace<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'kb-bench-'));
  try {
    writeFileSync(join(folder, 'kb.config.yaml'), 'collection: bench\n');
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs `kb` to its end, on this Node; `look` is called with its process again and again. Throws where it does not end well. */
export const kb = (args: readonly string[], cwd: string, look?: (pid: number) => void): Promise<Timed> =>
  node([launcher, ...args], cwd, look);

/** Runs Node to its end, without the settings and keys of whoever runs the bench. Throws where it does not end well. */
export async function node(args: readonly string[], cwd: string, look?: (pid: number) => void): Promise<Timed> {
  const env = { PATH: process.env['PATH'], HOME: cwd, TMPDIR: tmpdir(), LANG: 'C.UTF-8', NO_COLOR: '1' };
  const began = performance.now();
  const child = execa(process.execPath, args, { cwd, env, extendEnv: false, stdin: 'ignore', stripFinalNewline: false });
  let peak: number | undefined;
  const looking = setInterval(() => {
    peak = peakOf(child.pid) ?? peak;
    if (child.pid !== undefined) look?.(child.pid);
  }, LOOK);
  try {
    const { stdout } = await child;
    return { milliseconds: performance.now() - began, peak, stdout };
  } finally {
    clearInterval(looking);
  }
}

function peakOf(pid: number | undefined): number | undefined {
  try {
    const [, kilobytes] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
  } catch {
    return undefined; // it has ended, or this is no Linux
  }
}
