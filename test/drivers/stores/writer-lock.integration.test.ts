import { readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { DEAD_AFTER, HEARTBEAT_INTERVAL, THIS_PROCESS } from '../../../src/core/process-owner.ts';
import { listAbandonedLocks, lockForWriting } from '../../../src/drivers/stores/writer-lock.ts';
import { folder } from '../../support/folder.ts';

it('sends heartbeats for its own lock only, not for that of a process that took it over', async () => {
  const home = folder();
  const file = join(home, 'manuals');
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const { release } = await lockForWriting(home, 'manuals');
  const long = new Date(Date.now() - 3_600_000);
  const isFresh = () => statSync(file).mtimeMs > long.getTime() + 1000;
  utimesSync(file, long, long);
  vi.advanceTimersByTime(HEARTBEAT_INTERVAL);
  await vi.waitFor(() => expect(isFresh()).toBe(true));
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), lock: 'of another' }));
  utimesSync(file, long, long);
  vi.advanceTimersByTime(HEARTBEAT_INTERVAL);
  await release(); // reads the file as well, after what the sign does
  expect(isFresh()).toBe(false);
});

/** The lock of a process on another host, which sends a heartbeat by its own clock when `sendHeartbeat` is called. */
function lockOfAnotherHost({ hours }: { hours: number }) {
  const home = folder({ manuals: JSON.stringify({ ...THIS_PROCESS, host: 'elsewhere.example', lock: 'a' }) });
  let beats = 0;
  const sendHeartbeat = () => {
    const time = new Date(Date.now() + hours * 3_600_000 + HEARTBEAT_INTERVAL * beats++);
    utimesSync(join(home, 'manuals'), time, time);
  };
  sendHeartbeat();
  let passed = 0;
  const now = performance.now.bind(performance);
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + passed);
  onTestFinished(() => clock.mockRestore());
  return { home, sendHeartbeat, pass: (milliseconds: number) => void (passed += milliseconds) };
}

describe.each([0, -5, 5, -0.1, -24 * 365])('the lock of a host whose clock is %d hours ahead', (hours) => {
  it('is not taken as long as heartbeats come, and is taken when they stay away', async () => {
    const { home, sendHeartbeat, pass } = lockOfAnotherHost({ hours });
    let isTaken = false;
    const taking = lockForWriting(home, 'manuals').then((lock) => {
      isTaken = true;
      return lock;
    });
    for (let i = 0; i < 4; i++) {
      await wait(250); // the lock is looked at every 100 ms
      expect(isTaken).toBe(false);
      pass(DEAD_AFTER - 5_000);
      sendHeartbeat();
    }
    await wait(250);
    expect(await listAbandonedLocks(home)).toEqual([]);
    pass(DEAD_AFTER);
    const lock = await taking;
    expect(lock.needsFencing).toBe(true);
    await lock.release();
  });
});

it('is taken at once from a process of this host that was killed, whatever the time of its file', async () => {
  for (const hours of [0, 5, -5]) {
    const home = folder({ manuals: JSON.stringify({ ...THIS_PROCESS, process: 'an earlier one', lock: 'a' }) });
    const time = new Date(Date.now() + hours * 3_600_000);
    utimesSync(join(home, 'manuals'), time, time);
    expect(await listAbandonedLocks(home)).toEqual(['manuals']);
    const lock = await lockForWriting(home, 'manuals', { onWait: () => expect.fail('nobody holds it') });
    await lock.release();
  }
});
