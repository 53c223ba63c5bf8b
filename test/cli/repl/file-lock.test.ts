import { mkdirSync, readdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { withFileLock } from '../../../src/cli/repl/history-file.ts';
import { folder } from '../../support/folder.ts';

function locked() {
  const home = folder();
  const file = join(home, 'kept.json');
  return { home, file, lock: `${file}.lock` };
}

it('holds a lock of its own while it works, and leaves nothing behind, whatever becomes of the work', () => {
  const { home, file, lock } = locked();
  let held = '';
  withFileLock(file, () => {
    held = readFileSync(lock, 'utf8');
  });
  expect(held).toMatch(/^[0-9a-f]{16}$/);
  expect(() =>
    withFileLock(file, () => {
      throw new Error('odd');
    }),
  ).toThrow('odd');
  expect(readdirSync(home)).toEqual([]);
});

it.each([
  ['from the future', (lock: string) => writeFileSync(lock, 'old') ?? utimesSync(lock, new Date(), new Date(Date.now() + 3_600_000))],
  ['that is empty', (lock: string) => writeFileSync(lock, '')],
  ['that is a link to nothing', (lock: string) => symlinkSync('nothing', lock)],
])('takes the place of a lock left behind %s', (_, leave) => {
  const { home, file, lock } = locked();
  leave(lock);
  let isDone = false;
  withFileLock(file, () => {
    isDone = true;
  });
  expect(isDone).toBe(true);
  expect(readdirSync(home)).toEqual([]);
});

it('does not remove a lock that is no longer its own', () => {
  const { file, lock } = locked();
  withFileLock(file, () => writeFileSync(lock, 'of somebody else'));
  expect(readFileSync(lock, 'utf8')).toBe('of somebody else');
});

it('fails, and does not wait for ever, where a folder stands in the place of the lock', () => {
  const { home, file, lock } = locked();
  mkdirSync(lock);
  let isDone = false;
  const work = () => {
    isDone = true;
  };
  expect(() => withFileLock(file, work)).toThrow('is a folder');
  expect([isDone, readdirSync(home)]).toEqual([false, ['kept.json.lock']]);
});
