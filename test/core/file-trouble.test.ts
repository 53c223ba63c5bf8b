import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { describeFileError } from '../../src/core/file-names.ts';

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
