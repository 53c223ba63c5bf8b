import { mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { FileWatcher, watchedPlaces } from '../../../../src/stages/extract/files/file-watcher.ts';
import { isWithin } from '../../../../src/stages/extract/files/local-path.ts';
import { folder, write } from '../../../support/folder.ts';
import { PATIENCE } from '../../../support/watching.ts';

/** Whether each folder has a watcher of its own. */
const SEES_FOLDERS = process.platform === 'linux';

/** A watcher of a folder, closed after the test, and what it is told. */
function watcherOf(path: string, options: Partial<ConstructorParameters<typeof FileWatcher>[0]> = {}) {
  const changed: string[] = [];
  const watcher = new FileWatcher({
    places: [{ folder: path }],
    steps: [],
    isState: (at) => isWithin(join(path, 'store'), at),
    follow_links: false,
    gitignore: true,
    onChange: (at) => changed.push(at),
    onReplaced: () => {},
    onProblem: (error) => {
      throw error;
    },
    ...options,
  });
  onTestFinished(() => watcher.close());
  return { watcher, changed };
}

/** A folder with so many others in it. */
function wideTree(many: number): string {
  const path = folder();
  for (let i = 0; i < many; i++) mkdirSync(join(path, 'tree', `part-${i % 20}`, `${i}`), { recursive: true });
  return path;
}

describe.runIf(SEES_FOLDERS)('a watcher of many folders', () => {
  it('creates no further watchers when it is closed while it walks a new folder', async () => {
    const [path, elsewhere] = [folder(), wideTree(500)];
    const { watcher } = watcherOf(path);
    await watcher.sync();
    renameSync(join(elsewhere, 'tree'), join(path, 'tree'));
    await vi.waitFor(() => expect(watcher.folders).toBeGreaterThan(10), { ...PATIENCE, interval: 1 });
    expect(watcher.folders).toBeLessThan(500);
    watcher.close();
    await wait(500);
    expect(watcher.folders).toBe(0);
  });

  it('stops its first walk when it is aborted or closed', async () => {
    const path = wideTree(500);
    const controller = new AbortController();
    const aborted = watcherOf(path, { signal: controller.signal }).watcher;
    const closed = watcherOf(path).watcher;
    const ends = [aborted, closed].map((watcher) => expect(watcher.sync()).rejects.toMatchObject({ code: 'aborted' }));
    await vi.waitFor(() => expect(Math.min(aborted.folders, closed.folders)).toBeGreaterThan(1), { ...PATIENCE, interval: 1 });
    controller.abort();
    closed.close();
    await Promise.all(ends);
    expect([aborted.folders < 500, closed.folders]).toEqual([true, 0]);
  });
});

describe('a watcher of a folder with ignore files', () => {
  it('reports no changes of excluded files, and does not watch excluded folders', async () => {
    const path = folder({ '.gitignore': '*.log\nbuild/\n', 'parts/.kbignore': '!kept.log\n', 'parts/a.md': 'a' });
    const { watcher, changed } = watcherOf(path);
    await watcher.sync();
    for (let i = 0; i < 3; i++) write(path, { 'app.log': `${i}`, 'parts/app.log': `${i}`, 'build/deep/page.md': `${i}` });
    write(path, { 'parts/kept.log': 'x', 'parts/new/app.log': 'x', 'parts/new/build/page.md': 'x' });
    if (SEES_FOLDERS) await vi.waitFor(() => expect(watcher.folders).toBe(3), PATIENCE);
    write(path, { 'parts/new/app.log': 'y', 'parts/new/b.md': 'x' });
    rmSync(join(path, 'app.log'));
    rmSync(join(path, 'parts/a.md'));
    await vi.waitFor(() => expect(changed).toEqual(expect.arrayContaining([join(path, 'parts/new/b.md'), join(path, 'parts/a.md')])), PATIENCE); // prettier-ignore
    const expected = ['parts/kept.log', 'parts/new', 'parts/new/b.md', 'parts/a.md'];
    expect(new Set(changed)).toEqual(new Set(expected.map((name) => join(path, name))));
    if (SEES_FOLDERS) expect(watcher.folders).toBe(3);
  });

  it('follows changes of the ignore files', async () => {
    const path = folder({ '.kbignore': 'drafts/\n', 'drafts/deep/a.md': 'a', 'notes/b.md': 'b', 'c.md': 'c' });
    const { watcher, changed } = watcherOf(path);
    await watcher.sync();
    const becomes = (folders: number) => vi.waitFor(() => expect(watcher.folders).toBe(folders), PATIENCE);
    write(path, { '.kbignore': 'notes/\n' });
    if (SEES_FOLDERS) await becomes(3);
    await vi.waitFor(() => expect(changed).toContain(path), PATIENCE);
    await wait(300);
    changed.length = 0;
    write(path, { 'notes/b.md': 'bb', 'drafts/deep/a.md': 'aa' });
    await vi.waitFor(() => expect(changed).toContain(join(path, 'drafts/deep/a.md')), PATIENCE);
    expect(changed.filter((at) => at.includes('notes'))).toEqual([]);
  });

  it('reports excluded files that a pattern matches or the input names', async () => {
    const path = folder({ '.gitignore': '*.log\n', 'app.log': 'a' });
    const heard = [{ folder: path, isPattern: true }, { folder: path, file: join(path, 'app.log') }].map((place) => watcherOf(path, { places: [place] })); // prettier-ignore
    for (const { watcher } of heard) await watcher.sync();
    write(path, { 'app.log': 'b' });
    for (const { changed } of heard) await vi.waitFor(() => expect(changed).toContain(join(path, 'app.log')), PATIENCE);
    expect(watchedPlaces(['*.log'], { cwd: path, home: path })).toEqual([{ folder: path, isPattern: true }]);
  });
});

it('a watcher survives a link that leads to itself', async () => {
  const path = folder({ 'a.md': 'a' });
  const { watcher, changed } = watcherOf(path);
  await watcher.sync();
  symlinkSync('loop', join(path, 'loop'));
  write(path, { 'a.md': 'b' });
  await vi.waitFor(() => expect(changed).toContain(join(path, 'a.md')), PATIENCE);
});

it('a watcher reports a folder and a file in it that were both named, in either order', async () => {
  const path = folder({ '.gitignore': '*.log\n', 'app.log': 'a', 'b.md': 'b' });
  const [whole, file] = [{ folder: path }, { folder: path, file: join(path, 'app.log') }];
  for (const places of [
    [whole, file],
    [file, whole],
  ]) {
    const { watcher, changed } = watcherOf(path, { places });
    await watcher.sync();
    write(path, { 'app.log': 'x', 'b.md': 'x' });
    await vi.waitFor(() => expect(new Set(changed)).toEqual(new Set([join(path, 'app.log'), join(path, 'b.md')])), PATIENCE);
    watcher.close();
  }
});

it('a watcher reports changes of a named folder although the one above excludes it', async () => {
  const path = folder({ 'out/deep/a.md': 'a', 'b.md': 'b' });
  const { watcher, changed } = watcherOf(path, { places: [{ folder: path }, { folder: join(path, 'out') }] });
  await watcher.sync();
  write(path, { '.gitignore': 'out/\n' });
  await vi.waitFor(() => expect(changed).toContain(path), PATIENCE);
  await wait(300);
  changed.length = 0;
  write(path, { 'out/deep/a.md': 'x' });
  await vi.waitFor(() => expect(changed).toContain(join(path, 'out/deep/a.md')), PATIENCE);
});

it('a watcher finds folders that were replaced unnoticed at the next sync', async () => {
  const home = folder({ 'above/docs/deep/a.md': 'a', 'next/docs/deep/a.md': 'b' });
  const { watcher, changed } = watcherOf(join(home, 'above/docs'));
  await watcher.sync();
  renameSync(join(home, 'above'), join(home, 'before'));
  renameSync(join(home, 'next'), join(home, 'above'));
  await watcher.sync();
  write(home, { 'above/docs/deep/a.md': 'x' });
  await vi.waitFor(() => expect(changed).toContain(join(home, 'above/docs/deep/a.md')), PATIENCE);
});
