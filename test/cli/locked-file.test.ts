import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, lstatSync, statSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { CommandContext } from '../../src/cli/command-context.ts';
import { isDevice, makeFolder, readTextIfPresent, withFileLock } from '../../src/cli/locked-file.ts';
import { openConversationMemory } from '../../src/cli/repl/conversation-memory.ts';
import { THIS_PROCESS } from '../../src/core/process-owner.ts';
import { DEFAULTS } from '../../src/schema/config.ts';
import { folder, write } from '../support/folder.ts';
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

it('takes over the lock of a process that has died, and an empty one', () => {
  const { home, file, lock } = locked();
  const dead: Record<string, string> = { 'of-a-dead-process': JSON.stringify({ ...THIS_PROCESS, process: 'an earlier one' }) };
  for (const contents of [{}, dead]) {
    write(lock, contents);
    mkdirSync(lock, { recursive: true });
    let isDone = false;
    withFileLock(file, () => {
      isDone = true;
    });
    expect(isDone).toBe(true);
    expect(readdirSync(home)).toEqual([]);
  }
});

it('fails, and does not wait for ever, where the lock is kept by others all the time', async () => {
  const { home, file, lock } = locked();
  mkdirSync(lock);
  const others = new Worker(
    `const { renameSync, writeFileSync } = require('node:fs');
    const { lock, owner } = require('node:worker_threads').workerData;
    writeFileSync(lock + '/0', owner);
    let count = 0;
    setInterval(() => renameSync(lock + '/' + count, lock + '/' + ++count), 20);
    require('node:worker_threads').parentPort.postMessage('ready');`,
    { eval: true, workerData: { lock, owner: JSON.stringify({ ...THIS_PROCESS, pid: process.ppid }) } },
  );
  onTestFinished(async () => void (await others.terminate()));
  await once(others, 'message');
  expect(() => withFileLock(file, () => expect.fail('another process holds the lock'))).toThrow('held by another program');
  expect(readdirSync(home)).toEqual(['kept.json.lock']);
});

it('fails where the lock is a file of another program', () => {
  const { home, file, lock } = locked();
  writeFileSync(lock, 'mine');
  expect(() => withFileLock(file, () => expect.fail('it could not be locked'))).toThrow('ENOTDIR');
  expect(readdirSync(home)).toEqual(['kept.json.lock']);
});
