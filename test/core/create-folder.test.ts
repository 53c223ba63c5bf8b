import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createFolder } from '../../src/core/create-folder.ts';
import { folder } from '../support/folder.ts';

it('makes a folder with those above it, also at the same time as others', async () => {
  const path = join(folder(), 'a', 'b', 'c');
  await Promise.all([createFolder(path), createFolder(path), createFolder(join(path, 'd'))]);
  expect(existsSync(join(path, 'd'))).toBe(true);
});

it.runIf(process.platform === 'linux')('fails at once where no folder can be made, and names it', async () => {
  await expect(createFolder('/proc/kb/deep')).rejects.toMatchObject({
    code: 'configuration',
    message: 'No folder can be made at /proc/kb.',
  });
});

it('makes many folders in one that is missing at the same time', async () => {
  const home = join(folder(), 'a');
  await Promise.all(Array.from({ length: 50 }, (_, i) => createFolder(join(home, `${i % 5}`, `${i}`))));
  expect(existsSync(join(home, '4', '49'))).toBe(true);
});

it('refuses a folder below a file, or in the place of one', async () => {
  const home = folder({ 'a.txt': '' });
  await expect(createFolder(join(home, 'a.txt'))).rejects.toMatchObject({ code: 'EEXIST' });
  await expect(createFolder(join(home, 'a.txt', 'b'))).rejects.toMatchObject({ code: 'ENOTDIR' });
});
