import { mkdtempSync, rmSync, writeFileSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { pathFrom, pathRead, pathsSpelled, readablePath, systemPath, describeFileError } from '../../src/core/file-names.ts';

const bytes = (...parts: (string | number)[]): Buffer =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from([part]))));

describe('the name of a file', () => {
  const names: [string, Buffer, string][] = [
    ['UTF-8', bytes('Größe 中文 👍.md'), 'Größe 中文 👍.md'],
    ['latin-1', bytes('caf', 0xe9, '.md'), 'caf\\xE9.md'],
    ['a character that was cut', bytes('a', 0xe2, 0x80, 'b', 0xf0, 0x9f), 'a\\xE2\\x80b\\xF0\\x9F'],
    ['a surrogate in UTF-8, which is none', bytes(0xed, 0xb3, 0xa9), '\\xED\\xB3\\xA9'],
    ['the mark of what was lost', bytes('a\ufffdb', 0xff), 'a\ufffdb\\xFF'],
    ['control characters', bytes('b\u009b31m\u202e\u0007.md'), 'b\\u009B31m\\u202E\\u0007.md'],
    ['what looks like an escape', bytes('caf\\xE9 \\u202E \\x5C \\n.md'), 'caf\\x5CxE9 \\x5Cu202E \\x5Cx5C \\n.md'],
    ['backslashes before bytes', bytes('\\', 0xe9, '\\x', 0xe9), '\\\\xE9\\x\\xE9'],
  ];
  it.each(names)('of %s is read, shown, and found again', (_what, name, shown) => {
    const path = pathFrom(name);
    expect(Buffer.from(systemPath(path))).toEqual(name);
    expect(readablePath(path)).toBe(shown);
    expect(pathRead(shown)).toBe(path);
  });

  it('has a form of its own', () => {
    expect(new Set(names.map(([, , shown]) => shown)).size).toBe(names.length);
    expect(readablePath(pathFrom(bytes('\\xE9')))).not.toBe(readablePath(pathFrom(bytes(0xe9))));
  });
});

it('a path that a shell handed on with what it could not read stands for all that it may be', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kb-names-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const names = [bytes('caf', 0xe9, '.md'), bytes('caf', 0xe8, '.md'), bytes('cafe.md')];
  try {
    for (const name of names) writeFileSync(Buffer.concat([Buffer.from(`${folder}/`), name]), '');
  } catch {
    return; // a file system that knows no such names
  }
  const found = pathsSpelled(join(folder, 'caf\ufffd.md')).map((path) => readablePath(path.slice(folder.length + 1)));
  expect(found.toSorted()).toEqual(['caf\\xE8.md', 'caf\\xE9.md']);
  expect(pathsSpelled(join(folder, 'none\ufffd.md'))).toEqual([]);
  expect(pathsSpelled(join(folder, 'cafe.md'))).toEqual([join(folder, 'cafe.md')]);
});

const troubleOf = (path: string): string => {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    return describeFileError(cause, 'read');
  }
};

it('known troubles are said in words', () => {
  expect(troubleOf(import.meta.dirname)).toBe('it is a folder');
  expect(troubleOf(`${import.meta.filename}/x`)).toBe('a file stands where its folder would be');
  expect(describeFileError({ code: 'ENOENT' }, 'read')).toBe('there is none of that name');
  expect(describeFileError({ code: 'ENOENT' }, 'write')).toBe('there is no such folder');
});

it('any other trouble is said as the system says it, and as its code only where it says nothing', () => {
  expect(troubleOf('a\0b')).toMatch(/null bytes/);
  expect(describeFileError(Object.assign(new Error('EIO: i/o error, read'), { code: 'EIO' }), 'read')).toBe('EIO: i/o error, read');
  expect(describeFileError(new Error('It is broken.'), 'read')).toBe('It is broken');
  expect(describeFileError({ code: 'EIO', message: '' }, 'read')).toBe('EIO');
});
