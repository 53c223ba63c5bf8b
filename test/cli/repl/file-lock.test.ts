import { mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { withFileLock } from '../../../src/cli/repl/history-file.ts';
import { folder } from '../../support/folder.ts';

function locked() {
  const home = folder();
  const file = join(home, 'kept.json');
  return { home, file, lock: `${file}.lock` };
}

it('holds a lock while it works, and leaves nothing behind, whatever becomes of the work', () => {
  const { home, file } = locked();
  let held: string[] = [];
  withFileLock(file, () => {
    held = readdirSync(home);
  });
  expect(held).toEqual(['kept.json.lock']);
  expect(() =>
    withFileLock(file, () => {
      throw new Error('odd');
    }),
  ).toThrow('odd');
  expect(readdirSync(home)).toEqual([]);
});

it('takes the place of a lock that was left behind, also a moment ago', () => {
  const { home, file, lock } = locked();
  mkdirSync(lock);
  let isDone = false;
  withFileLock(file, () => {
    isDone = true;
  });
  expect(isDone).toBe(true);
  expect(readdirSync(home)).toEqual([]);
});

it.each([
  ['is kept by others all the time', (lock: string) => mkdirSync(lock) ?? utimesSync(lock, new Date(), new Date(Date.now() + 3_600_000))],
  ['is a file of somebody else', (lock: string) => writeFileSync(lock, 'mine') ?? utimesSync(lock, 0, 0)],
])('fails, and does not wait for ever, where the lock %s', (_, place) => {
  const { home, file, lock } = locked();
  place(lock);
  let isDone = false;
  const work = () => {
    isDone = true;
  };
  expect(() => withFileLock(file, work)).toThrow(/held by another program|ENOTDIR/);
  expect([isDone, readdirSync(home)]).toEqual([false, ['kept.json.lock']]);
});
