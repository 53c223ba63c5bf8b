import { expect, it } from 'vitest';
import { folder, write } from '../support/folder.ts';
import { runCommand } from '../support/run-command.ts';

const words = (text: string): string[] => text.split(' ');

it('kb snapshot, collections copy and optimize report what they did, and ask before a restore', async () => {
  const cwd = folder({ 'docs/gate.md': '# Gate\n\nThe gate is locked at ten.\n', 'docs/bell.md': '# Bell\n\nThe bell rings at noon.\n' });
  const run = async (line: string) => await runCommand(words(line), { cwd });
  expect((await run('snapshot list')).out).toBe('There are no snapshots yet. Next: kb snapshot create\n');
  await run('ingest --docs docs');
  expect(await run('snapshot create first')).toMatchObject({ code: 0, out: 'Made the snapshot "first" of "default": 2 chunks.\n' });
  expect(await run('collections copy default spare')).toMatchObject({ code: 0, out: 'Copied 2 chunks of "default" to "spare".\n' });
  expect(await run('collections copy default default --to-url moved')).toMatchObject({
    code: 0,
    out: 'Copied 2 chunks of "default" to "default".\n',
  });
  expect((await run('retrieve bell --mode text --storage-url moved')).out).toContain('rings at noon');
  expect(await run('collections copy default default --to-url moved')).toMatchObject({
    code: 1,
    error: expect.stringContaining('--replace'),
  });
  expect((await run('optimize --collection spare')).out).toMatch(/^Optimized "spare": .+ on disk, .+ before\.\n$/);
  write(cwd, { 'docs/bell.md': '# Bell\n\nThe bell is silent.\n' });
  await run('ingest --docs docs');
  expect(await run('snapshot restore first')).toMatchObject({ code: 2, error: expect.stringContaining('--yes') });
  expect((await run('snapshot verify first')).out).toBe('The snapshot "first" of "default" is as it was made: 2 chunks.\n');
  expect(await run('snapshot restore first --yes')).toMatchObject({ code: 0, out: 'Restored "default" from "first": 2 chunks.\n' });
  expect((await run('retrieve bell --mode text')).out).toContain('rings at noon');
  expect((await run('snapshot create --keep 1')).out).toContain('Removed 1 older snapshot: first.');
  expect(await run('snapshot restore nowhere --yes')).toMatchObject({ code: 1, error: expect.stringContaining('"nowhere"') });
  const { snapshots } = JSON.parse((await run('snapshot list --json')).out);
  expect(snapshots).toMatchObject([{ collection: 'default', chunks: 2, sources: 2 }]);
  expect((await run('snapshot list')).out).toMatch(/^\d{8}-\d{6} {2}"default", \d{4}-\d\d-\d\d \d\d:\d\d UTC: 2 documents, 2 chunks, /);
  expect(await run(`snapshot delete ${snapshots[0].name}`)).toMatchObject({ code: 2, error: expect.stringContaining('--yes') });
  expect((await run(`snapshot delete ${snapshots[0].name} --yes`)).code).toBe(0);
  expect((await run('snapshot list --json')).out).toBe('{"snapshots":[]}\n');
});
