import { mkdtempSync, rmSync, writeFileSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { decodePath, unescapePath, findMangledPaths, escapePath, encodePath, describeFileError } from '../../src/core/file-names.ts';

const bytes = (...parts: (string | number)[]): Buffer =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from([part]))));

describe('a file name that is not UTF-8', () => {
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
  it.each(names)('of %s is read, shown and found again', (_what, name, shown) => {
    const path = decodePath(name);
    expect(Buffer.from(encodePath(path))).toEqual(name);
    expect(escapePath(path)).toBe(shown);
    expect(unescapePath(shown)).toBe(path);
  });

  it('has an escaped form', () => {
    expect(new Set(names.map(([, , shown]) => shown)).size).toBe(names.length);
    expect(escapePath(decodePath(bytes('\\xE9')))).not.toBe(escapePath(decodePath(bytes(0xe9))));
  });
});

it('findMangledPaths lists the files that a path with lost bytes may mean', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kb-names-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const names = [bytes('caf', 0xe9, '.md'), bytes('caf', 0xe8, '.md'), bytes('cafe.md')];
  try {
    for (const name of names) writeFileSync(Buffer.concat([Buffer.from(`${folder}/`), name]), '');
  } catch {
    return; // a file system that knows no such names
  }
  const found = findMangledPaths(join(folder, 'caf\ufffd.md')).map((path) => escapePath(path.slice(folder.length + 1)));
  expect(found.toSorted()).toEqual(['caf\\xE8.md', 'caf\\xE9.md']);
  expect(findMangledPaths(join(folder, 'none\ufffd.md'))).toEqual([]);
  expect(findMangledPaths(join(folder, 'cafe.md'))).toEqual([join(folder, 'cafe.md')]);
});

const reasonOf = (path: string): string => {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    return describeFileError(cause, 'read');
  }
};

it('describes common file errors in plain words', () => {
  expect(reasonOf(import.meta.dirname)).toBe('it is a folder');
  expect(reasonOf(`${import.meta.filename}/x`)).toBe('a part of its path is a file');
  expect(describeFileError({ code: 'ENOENT' }, 'read')).toBe('no such file');
  expect(describeFileError({ code: 'ENOENT' }, 'write')).toBe('no such folder');
});

it('falls back to the message of another error, then to its code', () => {
  expect(reasonOf('a\0b')).toMatch(/null bytes/);
  expect(describeFileError(Object.assign(new Error('EIO: i/o error, read'), { code: 'EIO' }), 'read')).toBe('EIO: i/o error, read');
  expect(describeFileError(new Error('It is broken.'), 'read')).toBe('It is broken');
  expect(describeFileError({ code: 'EIO', message: '' }, 'read')).toBe('EIO');
  expect(describeFileError({ code: 'EIO', errno: -5, message: 'EIO: i/o error, open /home/of/another' }, 'read')).toBe('i/o error');
});
