import { describe, expect, it, test } from 'vitest';
import { pathPattern, scopeOf } from '../../../../../src/stages/extract/pages/crawl/scope.ts';

const site = 'http://a.example';
const covered = (start: string, final: string, paths: string[], patterns = {}) => {
  const scope = scopeOf({ start, final }, { include: [], exclude: [], ...patterns });
  return paths.filter((path) => scope.covers(new URL(path, site).href));
};

test('a pattern that is an address is refused', () => {
  expect(() => pathPattern('https://a.example/docs/**')).toThrow(/is an address: include and exclude take paths/);
});

test('what is stored under http is found at https where the start page has moved there, and nowhere else', () => {
  const found = (final: string, source: string) => scopeOf({ start: `${site}/docs/`, final }, { include: [], exclude: [] }).asFound(source);
  const secure = 'https://a.example/docs/';
  expect(found(secure, `${site}/docs/a`)).toBe('https://a.example/docs/a');
  for (const other of ['http://a.example.org/docs/a', 'http://a.example:81/docs/a', `${secure}a`, 'no address'])
    expect(found(secure, other)).toBe(other);
  for (const final of [`${site}/docs/`, 'https://b.example/docs/']) expect(found(final, `${site}/docs/a`)).toBe(`${site}/docs/a`);
});

describe('the scope of a crawl', () => {
  const paths = [
    '/',
    '/docs',
    '/docs/',
    '/docs/a',
    '/docs-old/a',
    '/blog/',
    'http://b.example/docs/',
    'https://a.example/docs/',
    'http://a.example:81/docs/',
  ];
  const docs = ['/docs', '/docs/', '/docs/a'];

  it.each([
    ['/docs/', '/docs/', docs],
    ['/docs/intro', '/docs/intro', docs],
    ['/docs', '/docs/', docs],
    ['/', '/', paths.slice(0, 6)],
    ['/docs', '/docs', paths.slice(0, 6)],
  ])('from %s, found at %s', (start, final, expected) => expect(covered(site + start, site + final, paths)).toEqual(expected));

  it('is where the start page is found, but not narrower than it was asked for', () => {
    expect(covered('http://old.example/', `${site}/en/`, ['/en/a', '/de/a'])).toEqual(['/en/a', '/de/a']);
    expect(covered('http://old.example/manual/start', `${site}/docs/start`, ['/docs/a', '/manual/a'])).toEqual(['/docs/a']);
  });
});

describe('what a crawl says of stored pages', () => {
  it.each([
    [`${site}/docs/`, `${site}/docs/`, true],
    [`${site}/docs`, `${site}/docs/`, true],
    [`${site}/docs/intro`, `${site}/docs/start`, true],
    [`${site}/`, `${site}/en/`, true],
    [`${site}/`, 'https://a.example/', true],
    [`${site}/docs/`, `${site}/login`, false],
    [`${site}/docs/`, 'http://b.example/docs/', false],
    ['https://a.example/', `${site}/`, false],
    [`${site}/`, 'http://a.example:81/', false],
  ])('from %s, found at %s: %s', (start, final, isAsked) =>
    expect(scopeOf({ start, final }, { include: [], exclude: [] }).isAsked).toBe(isAsked),
  );
});

describe('a pattern of paths', () => {
  it.each([
    ['/docs/**', ['/docs/', '/docs/a', '/docs/a/b', '/docs/a/b/'], ['/', '/docs-old/a', '/x/docs/a']],
    ['/docs/*', ['/docs/a', '/docs/a/'], ['/docs/a/b']],
    ['/docs/old', ['/docs/old', '/docs/old/', '/docs/old/a'], ['/docs/older', '/docs']],
    ['docs', ['/docs', '/docs/a'], ['/a/docs']],
    ['/**/*.html', ['/a.html', '/a/b.html'], ['/a', '/a.htm']],
    ['/a/**/**/**/b', ['/a/b', '/a/x/y/b'], ['/b']],
    ['/v?/a', ['/v1/a', '/v2/a/'], ['/v10/a']],
    ['/über/*', ['/über/a'], ['/uber/a']],
  ])('%s', (pattern, yes, no) => {
    const matches = pathPattern(pattern);
    expect(yes.filter((path) => !matches(path))).toEqual([]);
    expect(no.filter(matches)).toEqual([]);
  });

  it('is held against the path as people read it, not against the query', () => {
    expect(covered(`${site}/`, `${site}/`, ['/%C3%BCber/a?x=/b/', '/b/a'], { include: ['/über/**'] })).toEqual(['/%C3%BCber/a?x=/b/']);
  });

  it('must not climb', () => {
    expect(() => pathPattern('/a/../b')).toThrow(expect.objectContaining({ code: 'usage' }));
  });

  it('that is made to take long takes little', () => {
    const folders = 'abcdefghijklmnopqrstuvwxyz'.split('').join('/');
    for (const pattern of ['/**'.repeat(120), '/**/*a*'.repeat(60), `/${'*a'.repeat(240)}*c`, '/**/a'.repeat(100)])
      for (const path of [`/${folders}`, `/${'a'.repeat(1_900)}`]) expect([true, false]).toContain(pathPattern(pattern)(path));
  });
});
