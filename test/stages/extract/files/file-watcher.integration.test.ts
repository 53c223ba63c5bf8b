import { mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { FileWatcher } from '../../../../src/stages/extract/files/file-watcher.ts';
import { folder } from '../../../support/folder.ts';
import { PATIENCE } from '../../../support/watching.ts';

/** A watcher of a folder, closed after the test, and what it is told. */
function watcherOf(path: string, signal?: AbortSignal) {
  const changed: string[] = [];
  const watcher = new FileWatcher({
    places: [{ folder: path }],
    except: join(path, 'store'),
    follow_links: false,
    signal,
    onChange: (at) => changed.push(at),
    onProblem: (error) => {
      throw error;
    },
  });
  onTestFinished(() => watcher.close());
  return { watcher, changed };
}

/** A folder with so many others in it. */
function folders(many: number): string {
  const path = folder();
  for (let i = 0; i < many; i++) mkdirSync(join(path, 'tree', `part-${i % 20}`, `${i}`), { recursive: true });
  return path;
}

describe.runIf(process.platform === 'linux')('a watcher of many folders', () => {
  it('makes no further watchers when it is closed while it walks a new one', async () => {
    const [path, elsewhere] = [folder(), folders(500)];
    const { watcher } = watcherOf(path);
    await watcher.sync();
    renameSync(join(elsewhere, 'tree'), join(path, 'tree'));
    await vi.waitFor(() => expect(watcher.folders).toBeGreaterThan(10), { ...PATIENCE, interval: 1 });
    expect(watcher.folders).toBeLessThan(500);
    watcher.close();
    await wait(500);
    expect(watcher.folders).toBe(0);
  });

  it('stops its first walk when that is aborted, or when it is closed', async () => {
    const path = folders(500);
    const controller = new AbortController();
    const aborted = watcherOf(path, controller.signal).watcher;
    const closed = watcherOf(path).watcher;
    const ends = [aborted, closed].map((watcher) => expect(watcher.sync()).rejects.toMatchObject({ code: 'aborted' }));
    await vi.waitFor(() => expect(Math.min(aborted.folders, closed.folders)).toBeGreaterThan(1), { ...PATIENCE, interval: 1 });
    controller.abort();
    closed.close();
    await Promise.all(ends);
    expect([aborted.folders < 500, closed.folders]).toEqual([true, 0]);
  });
});
