import { hostname } from 'node:os';
import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { DEAD_AFTER, isAlive, THIS_PROCESS } from '../../src/core/process-owner.ts';

describe('an owner', () => {
  it('is alive if it is this process', () => {
    expect(THIS_PROCESS).toMatchObject({ pid: process.pid, host: hostname() });
    expect(isAlive(THIS_PROCESS, Date.now())).toBe(true);
  });

  it('is dead if it was an earlier process with the same id', () => {
    expect(isAlive({ ...THIS_PROCESS, process: 'an earlier one' }, Date.now())).toBe(false);
  });

  it('is alive on this host as long as its process runs', () => {
    const ended = spawnSync(process.execPath, ['-e', '']);
    expect(isAlive({ pid: process.ppid, host: hostname(), process: 'a' }, Date.now())).toBe(true);
    expect(isAlive({ pid: ended.pid, host: hostname(), process: 'a' }, Date.now())).toBe(false);
  });

  it('is alive on another host as long as it sends heartbeats', () => {
    const owner = { pid: process.pid, host: 'elsewhere.example', process: 'a' };
    expect(isAlive(owner, Date.now() - DEAD_AFTER / 2)).toBe(true);
    expect(isAlive(owner, Date.now() - DEAD_AFTER - 1)).toBe(false);
  });

  it('is dead after a long time without a heartbeat, even if its process runs', () => {
    expect(isAlive(THIS_PROCESS, Date.now() - DEAD_AFTER - 1)).toBe(false);
  });
});
