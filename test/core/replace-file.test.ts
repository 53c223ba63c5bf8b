import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { replaceFile, replaceFileSync } from '../../src/core/replace-file.ts';
import { folder } from '../support/folder.ts';

const WAYS = [
  ['replaceFile', replaceFile],
  ['replaceFileSync', replaceFileSync],
] as const;

it.each(WAYS)('%s replaces the text and leaves nothing else behind', async (_, replace) => {
  const home = folder({ 'a.txt': 'old' });
  await replace(join(home, 'a.txt'), 'new');
  await replace(join(home, 'b.txt'), 'first');
  expect(readFileSync(join(home, 'a.txt'), 'utf8')).toBe('new');
  expect(readdirSync(home).toSorted()).toEqual(['a.txt', 'b.txt']);
});

it.each(WAYS)('%s removes its draft if the file cannot be replaced', async (_, replace) => {
  const home = folder();
  mkdirSync(join(home, 'a.txt', 'full'), { recursive: true });
  await expect((async () => replace(join(home, 'a.txt'), 'new'))()).rejects.toThrow(/EISDIR|ENOTEMPTY|EPERM|EEXIST/);
  expect(readdirSync(home)).toEqual(['a.txt']);
});

it('gives a file the mode that was asked for', () => {
  const file = join(folder(), 'secret');
  replaceFileSync(file, 'x', { mode: 0o600 });
  expect(statSync(file).mode & 0o777).toBe(process.platform === 'win32' ? 0o666 : 0o600);
});
