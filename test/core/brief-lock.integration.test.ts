import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { withBriefLock } from '../../src/core/brief-lock.ts';
import { THIS_PROCESS } from '../../src/core/process-owner.ts';
import { folder, write } from '../support/folder.ts';

const SCRIPT = fileURLToPath(new URL('../support/brief-lock-process.mjs', import.meta.url));

/** Starts a process that counts in the file, and whose clock goes so many hours ahead. */
function startCounting(file: string, { count = 40, hours = 0 } = {}) {
  const child = spawn(process.execPath, [SCRIPT, file, String(count), String(hours)], { stdio: ['ignore', 'ignore', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

const elsewhere = JSON.stringify({ pid: 1, host: 'elsewhere.example', process: 'a' });

describe('a brief lock', () => {
  it('is held by one of several processes at a time, whatever their clocks say', { timeout: 60_000 }, async () => {
    const file = join(folder(), 'count');
    writeFileSync(file, '0');
    const children = [0, 5, -5, 0.01].map((hours) => startCounting(file, { hours }));
    const codes = await Promise.all(children.map(async (child) => (await once(child, 'exit'))[0] as number));
    expect(codes).toEqual([0, 0, 0, 0]);
    expect(readFileSync(file, 'utf8')).toBe('160');
    expect(existsSync(`${file}.lock`)).toBe(false);
  });

  it('is taken over from killed processes, and nothing is lost', { timeout: 60_000 }, async () => {
    const file = join(folder(), 'count');
    writeFileSync(file, '0');
    for (let round = 0; round < 8; round++) {
      const child = startCounting(file, { count: 100_000 });
      const start = Number(readFileSync(file, 'utf8'));
      await vi.waitFor(() => expect(Number(readFileSync(file, 'utf8'))).toBeGreaterThan(start), { timeout: 20_000 });
      await wait(round);
      child.kill('SIGKILL');
      await once(child, 'exit');
      const reached = Number(readFileSync(file, 'utf8'));
      await withBriefLock(file, async () => writeFileSync(file, String(reached + 1)));
      expect(readdirSync(join(file, '..'))).toEqual(['count']);
    }
  });

  it('is waited for as long as another host holds it, and taken over when it is silent', async () => {
    const file = join(folder(), 'count');
    write(`${file}.lock`, { 'of-another-host': elsewhere });
    const old = new Date(Date.now() - 86_400_000);
    utimesSync(join(`${file}.lock`, 'of-another-host'), old, old);
    let skipped = 0;
    const now = performance.now.bind(performance);
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + skipped);
    onTestFinished(() => clock.mockRestore());
    const order: string[] = [];
    const waiting = withBriefLock(file, async () => void order.push('taken'));
    await wait(200);
    order.push('a day later by the clock of the other host');
    skipped = 4_100;
    await waiting;
    expect(order).toEqual(['a day later by the clock of the other host', 'taken']);
    expect(existsSync(`${file}.lock`)).toBe(false);
  });

  it('is taken over from a process that died before it wrote who it is', async () => {
    const file = join(folder(), 'count');
    write(`${file}.lock`, { half: '{"pid":' });
    let looks = 0;
    const now = performance.now.bind(performance);
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + 1_000 * looks++);
    onTestFinished(() => clock.mockRestore());
    expect(await withBriefLock(file, async () => 'done')).toBe('done');
  });

  it('leaves the file of a process that has taken it meanwhile', async () => {
    const file = join(folder(), 'count');
    const lock = `${file}.lock`;
    mkdirSync(lock);
    await withBriefLock(file, async () => {
      writeFileSync(join(lock, 'later'), JSON.stringify({ ...THIS_PROCESS, pid: process.ppid }));
    });
    expect(readdirSync(lock)).toEqual(['later']);
  });
});
