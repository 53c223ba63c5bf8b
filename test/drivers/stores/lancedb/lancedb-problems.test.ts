import { join } from 'node:path';
import { expect, it } from 'vitest';
import { describeFolder } from '../../../../src/drivers/stores/lancedb/lancedb-problems.ts';
import { folder } from '../../../support/folder.ts';

it('finds no problem if the folder can be created', async () => {
  expect(await describeFolder(join(folder(), 'new/.kb/lancedb'))).toEqual({ message: '', warnings: [] });
});

it('warns of a folder that cannot be written', async () => {
  const home = folder({ file: 'x' });
  const { warnings } = await describeFolder(join(home, 'file/lancedb'));
  expect(warnings).toEqual([expect.stringMatching(/^Nothing can be written to .*file.lancedb: a part of its path is a file$/)]);
});

it('warns of a full disk', async () => {
  const withoutBlocks = process.platform === 'darwin' ? '/dev' : '/proc';
  const { warnings } = await describeFolder(withoutBlocks);
  expect(warnings).toEqual([expect.stringMatching(/^The disk of .* has 0 MB left: free some space/)]);
});
