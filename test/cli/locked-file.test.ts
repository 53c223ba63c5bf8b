import { execFileSync } from 'node:child_process';
import { existsSync, lstatSync, statSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { CommandContext } from '../../src/cli/command-context.ts';
import { isDevice, makeFolder, readTextIfPresent, withFileLock } from '../../src/cli/locked-file.ts';
import { openConversationMemory } from '../../src/cli/repl/conversation-memory.ts';
import { DEFAULTS } from '../../src/schema/config.ts';
import { folder } from '../support/folder.ts';
import { paper } from '../support/screen.ts';

describe('the file of a conversation', () => {
  it('is not used if a device is named, which stays a device', () => {
    const screen = paper();
    const context = (flags: object) =>
      ({ engine: { config: DEFAULTS }, loaded: { home: '/' }, screen, flags }) as unknown as CommandContext;
    const file = join(folder(), 'talk.json');
    expect(openConversationMemory(context({ 'history-file': file }), { isTerminal: true }).fileOf('manuals')).toBe(file);
    for (const isTerminal of [true, false])
      expect(openConversationMemory(context({ 'history-file': '/dev/null' }), { isTerminal }).fileOf('manuals')).toBeUndefined();
    expect([isDevice('/dev/null'), isDevice(file), isDevice(folder())]).toEqual([true, false, false]);
    expect(screen.warnings).toEqual([]);
  });

  it('is not read if it is a pipe', () => {
    const pipe = join(folder(), 'pipe');
    execFileSync('mkfifo', [pipe]);
    expect(() => readTextIfPresent(pipe)).toThrow('it is a pipe or a device');
    expect(lstatSync(pipe).isFIFO()).toBe(true);
    expect(readTextIfPresent(join(folder(), 'absent.json'))).toBe('');
  });

  it('gets its parent folders, for this user only', () => {
    const path = join(folder(), 'a/b/c');
    makeFolder(path);
    makeFolder(path);
    expect(statSync(join(path, '..')).mode & 0o777).toBe(0o700);
  });

  it.runIf(existsSync('/proc/1'))('gives up where no folder can be made, although the one above is there', () => {
    expect(() => makeFolder('/proc/1/nowhere/deeper')).toThrow('ENOENT');
  });
});

function locked() {
  const home = folder();
  const file = join(home, 'kept.json');
  return { home, file, lock: `${file}.lock` };
}

it('is locked during the work, and the lock is removed whatever happens', () => {
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

it('takes over an abandoned lock, even a recent one', () => {
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
