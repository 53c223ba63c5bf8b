import { expect, test } from 'vitest';
import { isLink, namedOrigins, sourceOf } from '../../../src/stages/extract/network.ts';

test('the origins named are those of every address in a request, each once', () => {
  const named = namedOrigins({
    docs: ['manual.pdf', { path: 'http://127.0.0.1:81/a.pdf' }, 'http://127.0.0.1:81/b.pdf'],
    urls: { url: 'HTTP://LocalHost:82/x' },
    api: ['http://127.0.0.1:83/', { url: 'https://ann:pass@api.example/x' }, { url: 'http://[' }],
  });
  expect(named).toEqual(['http://127.0.0.1:81', 'http://localhost:82', 'http://127.0.0.1:83', 'https://api.example']);
  expect(namedOrigins({ docs: { folder: 'docs' }, urls: 'http://a/' })).toEqual(['http://a']);
});

test('a link is an address of the web', () => {
  expect([isLink('HTTPS://x/a.pdf'), isLink('docs/http.md'), isLink('file:///a.md')]).toEqual([true, false, false]);
});

test('a source has neither fragment nor credentials', () => {
  expect(sourceOf('http://ann:pass@x.example/a?b=1&token=t#part')).toBe('http://x.example/a?b=1');
});
