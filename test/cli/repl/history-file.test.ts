import { execFileSync } from 'node:child_process';
import { existsSync, lstatSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { CommandContext } from '../../../src/cli/command-context.ts';
import { isDevice, makeFolder, textIn } from '../../../src/cli/repl/history-file.ts';
import { memoryOf } from '../../../src/cli/repl/memory.ts';
import { DEFAULTS } from '../../../src/schema/config.ts';
import { folder } from '../../support/folder.ts';
import { paper } from '../../support/screen.ts';

describe('the file that keeps a conversation', () => {
  it('is none where a device is named, which stays one', () => {
    const screen = paper();
    const context = (flags: object) =>
      ({ engine: { config: DEFAULTS }, loaded: { home: '/' }, screen, flags }) as unknown as CommandContext;
    const file = join(folder(), 'talk.json');
    expect(memoryOf(context({ 'history-file': file }), { isTerminal: true }).fileOf('manuals')).toBe(file);
    for (const isTerminal of [true, false])
      expect(memoryOf(context({ 'history-file': '/dev/null' }), { isTerminal }).fileOf('manuals')).toBeUndefined();
    expect([isDevice('/dev/null'), isDevice(file), isDevice(folder())]).toEqual([true, false, false]);
    expect(screen.warnings).toEqual([]);
  });

  it('is not read where it is a pipe, at which nobody may ever write', () => {
    const pipe = join(folder(), 'pipe');
    execFileSync('mkfifo', [pipe]);
    expect(() => textIn(pipe)).toThrow('it is a pipe or a device');
    expect(lstatSync(pipe).isFIFO()).toBe(true);
    expect(textIn(join(folder(), 'absent.json'))).toBe('');
  });

  it('gets the folders above it, for this user alone', () => {
    const path = join(folder(), 'a/b/c');
    makeFolder(path);
    makeFolder(path);
    expect(statSync(join(path, '..')).mode & 0o777).toBe(0o700);
  });

  it.runIf(existsSync('/proc/1'))('gives up where no folder can be made, although the one above is there', () => {
    expect(() => makeFolder('/proc/1/nowhere/deeper')).toThrow('ENOENT');
  });
});
