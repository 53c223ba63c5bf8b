import fc from 'fast-check';
import picomatch from 'picomatch';
import { describe, expect, it } from 'vitest';
import { KbError } from '../../src/core/errors.ts';
import { hasWildcards, parseWildcards, type Wildcards } from '../../src/core/wildcards.ts';
import { folder } from '../support/folder.ts';

const read = (pattern: string): Wildcards => {
  const made = parseWildcards(pattern);
  if (made instanceof KbError) throw made;
  return made;
};

describe('a pattern of wildcards', () => {
  it('has the folder before its first wildcard as base', () => {
    const bases = ['*.md', 'docs/*.md', './docs//x/**', '/**', '/docs/*', 'a?/b'].map((pattern) => read(pattern).base);
    expect(bases).toEqual(['.', 'docs/', './docs//x/', '/', '/docs/', '.']);
  });

  it('takes every other character literally', () => {
    expect(read('a/*{b,c}[d].md').matches('x{b,c}[d].md')).toBe(true);
    expect(read('a/*{b,c}[d].md').matches('xbd.md')).toBe(false);
    expect(['a.md', '{a,b}', '[a]', '!(a)'].map(hasWildcards)).toEqual([false, false, false, false]);
  });

  it('matches hidden names only if it begins with a dot', () => {
    expect(['*', '.*', '**', '.h*/x', '**/x', '**/.h/x'].map((pattern) => read(pattern).matches('.h/x'))).toEqual([
      false,
      false,
      false,
      true,
      false,
      true,
    ]);
  });

  it('matches what picomatch matches', () => {
    const name = fc.string({ unit: fc.constantFrom('a', 'b', '*', '?'), minLength: 1, maxLength: 6 });
    const pattern = fc.array(fc.oneof(name, fc.constant('**')), { minLength: 1, maxLength: 5 });
    const path = fc.array(fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(pattern, path, (names, parts) => {
        const given = ['*', ...names, '?*'].join('/'); // it begins at the folder itself; how it ends in ** is a matter of taste
        const inside = parts.join('/');
        expect([given, inside, read(given).matches(inside)]).toEqual([given, inside, picomatch.isMatch(inside, given)]);
      }),
      { numRuns: 2000 },
    );
  });

  it('is matched in bounded time', () => {
    const stars = `${'*?'.repeat(100)}!`;
    expect(read(stars).matches('a'.repeat(4000))).toBe(false);
    expect(read(`${'**/'.repeat(150)}x`).matches('aa/'.repeat(1000))).toBe(false);
    expect(read(`${'**/*a/'.repeat(60)}!/*`).matches('aa/'.repeat(1000))).toBe(false);
  });

  it('is rejected if it contains ".." or is very long', () => {
    for (const pattern of ['../*', 'docs/../*', '*/..', 'docs/*/../x']) expect(() => read(pattern)).toThrow('must not hold ".."');
    expect(() => read('*'.repeat(501))).toThrow('longer than 500 characters');
    expect(read('..a/*..b').base).toBe('..a/');
  });

  it('matches everything below if it ends in **', () => {
    expect(['x/**', 'x/*/**'].map((pattern) => ['a', 'a/b', 'a/b/c'].map((path) => read(pattern).matches(path)))).toEqual([
      [true, true, true],
      [false, true, true],
    ]);
  });

  it('stops listing folders when it is aborted', async () => {
    const root = folder({ 'a/a.md': '', 'b/b.md': '' });
    await expect(read('**').files(root, { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'aborted' });
    const stop = new AbortController();
    const found = read('**/*.md').files(root, { signal: stop.signal });
    stop.abort(); // by now it reads the first folder
    await expect(found).rejects.toMatchObject({ code: 'aborted' });
  });

  it('finds files, and nothing in a missing folder', async () => {
    const root = folder({ 'a.md': '', 'b/c.md': '', 'b/.d.md': '', 'b/node_modules/e.md': '' });
    expect((await read('**/*.md').files(root)).map((path) => path.slice(root.length + 1)).toSorted()).toEqual(['a.md', 'b/c.md']);
    expect(await read('**').files(`${root}/none`)).toEqual([]);
  });
});
