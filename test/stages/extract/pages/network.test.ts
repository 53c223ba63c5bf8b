import { expect, test } from 'vitest';
import { isUrl, namedOrigins, urlSource } from '../../../../src/stages/extract/pages/network.ts';

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
  expect([isUrl('HTTPS://x/a.pdf'), isUrl('docs/http.md'), isUrl('file:///a.md')]).toEqual([true, false, false]);
});

test('a source has neither fragment nor credentials', () => {
  expect(urlSource('http://ann:pass@x.example/a?b=1&token=t#part')).toBe('http://x.example/a?b=1');
});
