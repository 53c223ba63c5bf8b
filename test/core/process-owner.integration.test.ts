import { hostname } from 'node:os';
import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { DEAD_AFTER, isAlive, THIS_PROCESS } from '../../src/core/process-owner.ts';

describe('an owner', () => {
  it('lives as this process', () => {
    expect(THIS_PROCESS).toMatchObject({ pid: process.pid, host: hostname() });
    expect(isAlive(THIS_PROCESS, Date.now())).toBe(true);
  });

  it('is dead where an earlier process had the number of this one', () => {
    expect(isAlive({ ...THIS_PROCESS, process: 'an earlier one' }, Date.now())).toBe(false);
  });

  it('lives as another process of this host as long as that runs', () => {
    const ended = spawnSync(process.execPath, ['-e', '']);
    expect(isAlive({ pid: process.ppid, host: hostname(), process: 'a' }, Date.now())).toBe(true);
    expect(isAlive({ pid: ended.pid, host: hostname(), process: 'a' }, Date.now())).toBe(false);
  });

  it('lives on another host as long as it gives signs of life', () => {
    const owner = { pid: process.pid, host: 'elsewhere.example', process: 'a' };
    expect(isAlive(owner, Date.now() - DEAD_AFTER / 2)).toBe(true);
    expect(isAlive(owner, Date.now() - DEAD_AFTER - 1)).toBe(false);
  });

  it('is dead where it runs but has given no sign of life for long', () => {
    expect(isAlive(THIS_PROCESS, Date.now() - DEAD_AFTER - 1)).toBe(false);
  });
});
