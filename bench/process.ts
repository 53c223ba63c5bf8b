import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

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

/** Runs `kb` to its end, on this Node. Throws where it does not end well. */
export const kb = (args: readonly string[], cwd: string): Promise<Timed> => node([launcher, ...args], cwd);

/** Runs Node to its end, without the settings and keys of whoever runs the bench. Throws where it does not end well. */
export function node(args: readonly string[], cwd: string): Promise<Timed> {
  const env = { PATH: process.env['PATH'], HOME: cwd, TMPDIR: tmpdir(), LANG: 'C.UTF-8', NO_COLOR: '1' };
  return new Promise((done, refuse) => {
    const began = performance.now();
    const child = spawn(process.execPath, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let peak: number | undefined;
    const looking = setInterval(() => (peak = peakOf(child.pid) ?? peak), LOOK);
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    child.on('error', refuse).on('close', (code) => {
      const milliseconds = performance.now() - began;
      clearInterval(looking);
      if (code === 0) done({ milliseconds, peak, stdout });
      else refuse(new Error(`node ${args.join(' ')} ended with ${code}: ${stderr.slice(-1000)}`));
    });
  });
}

function peakOf(pid: number | undefined): number | undefined {
  try {
    const [, kilobytes] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
  } catch {
    return undefined; // it has ended, or this is no Linux
  }
}
