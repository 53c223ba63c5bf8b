import { readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { HEARTBEAT_INTERVAL } from '../../../src/core/process-owner.ts';
import { lockForWriting } from '../../../src/drivers/stores/writer-lock.ts';
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
