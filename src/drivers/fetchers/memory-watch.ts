import { readFile } from 'node:fs/promises';
import type { Browser, CDPSession } from 'playwright';

/** Bytes that the process behind a page may take: several times what large pages take. */
const MOST = 2 ** 30;
/** Milliseconds between two looks: a page takes 1 GiB in no less than that. */
const EVERY = 500;

/**
 * Ends the processes of pages that take too much memory, so that the page is a failure and not the machine. Only Linux tells how much a process takes without
 * starting another one; elsewhere a page is bounded by its time and by the heap of its scripts.
 */
export function watchMemory(browser: Browser, session: CDPSession): void {
  if (process.platform !== 'linux') return;
  const look = async () => {
    const { processInfo } = await session.send('SystemInfo.getProcessInfo');
    const pages = processInfo.filter(({ type }) => type === 'renderer');
    for (const { id } of pages) await endIfLarge(id).catch(() => {}); // it may be gone by the time it is looked at
  };
  const timer = setInterval(() => void look().catch(() => {}), EVERY).unref();
  browser.once('disconnected', () => clearInterval(timer));
}

async function endIfLarge(pid: number): Promise<void> {
  if ((await residentBytes(pid)) > MOST) process.kill(pid, 'SIGKILL');
}

/** What a process holds in memory. */
async function residentBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024;
}
