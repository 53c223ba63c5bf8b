import { hostname } from 'node:os';
import { spawnSync } from 'node:child_process';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { DEAD_AFTER, hasEnded, HeartbeatWatch, THIS_PROCESS } from '../../src/core/process-owner.ts';

const endedProcess = spawnSync(process.execPath, ['-e', '']);
const elsewhere = { pid: process.pid, host: 'elsewhere.example', process: 'a' };

describe('an owner', () => {
  it('has not ended if it is this process', () => {
    expect(THIS_PROCESS).toMatchObject({ pid: process.pid, host: hostname() });
    expect(hasEnded(THIS_PROCESS)).toBe(false);
  });

  it('has ended if it was an earlier process with the same id', () => {
    expect(hasEnded({ ...THIS_PROCESS, process: 'an earlier one' })).toBe(true);
  });

  it('has ended if its process does not run on this host', () => {
    expect(hasEnded({ pid: process.ppid, host: hostname(), process: 'a' })).toBe(false);
    expect(hasEnded({ pid: endedProcess.pid, host: hostname(), process: 'a' })).toBe(true);
    expect(hasEnded({ pid: endedProcess.pid, host: 'elsewhere.example', process: 'a' })).toBe(false);
  });
});

describe('a watch over heartbeats', () => {
  /** The monotonic clock of this process, which `pass` moves on. */
  function stubClock() {
    let now = 5_000;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now);
    onTestFinished(() => clock.mockRestore());
    return { pass: (milliseconds: number) => void (now += milliseconds) };
  }

  it.each([
    ['on another host', elsewhere],
    ['on this host, which hangs', { pid: process.ppid, host: hostname(), process: 'a' }],
  ])('takes an owner for dead only if it saw no heartbeat for long enough: %s', (_, owner) => {
    const { pass } = stubClock();
    const watch = new HeartbeatWatch();
    for (let i = 0; i < 10; i++) {
      expect(watch.isDead(owner, `${i}`)).toBe(false);
      pass(DEAD_AFTER);
      expect(watch.isDead(owner, `${i}`)).toBe(false);
      pass(1);
    }
    expect(watch.isDead(owner, '9')).toBe(true);
    expect(watch.isDead(owner, '10')).toBe(false);
  });

  it('does not wait for an owner that has ended', () => {
    expect(new HeartbeatWatch().isDead({ pid: endedProcess.pid, host: hostname(), process: 'a' }, '')).toBe(true);
  });

  it('does not depend on the clock that a machine may set', () => {
    const watch = new HeartbeatWatch();
    for (const hours of [0, 5, -24, 48]) {
      const clock = vi.spyOn(Date, 'now').mockReturnValue(hours * 3_600_000);
      expect(watch.isDead(elsewhere, '')).toBe(false);
      clock.mockRestore();
    }
  });
});
