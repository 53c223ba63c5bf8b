import fc from 'fast-check';
import { expect, test, describe, it } from 'vitest';
import {
  isUrl,
  namedOrigins,
  urlSource,
  needsPageType,
  hasTextlessExtension,
  isHarmful,
  isTrap,
  addressKey,
  normalizeAddress,
} from '../../../../src/stages/extract/pages/web-addresses.ts';
import { fileTypes } from '../../../../packages/documents/src/file-types.ts';

test('lists the origins of all addresses of a request, each once', () => {
  const named = namedOrigins({
    docs: ['manual.pdf', { path: 'http://127.0.0.1:81/a.pdf' }, 'http://127.0.0.1:81/b.pdf'],
    urls: { url: 'HTTP://LocalHost:82/x' },
    api: ['http://127.0.0.1:83/', { url: 'https://ann:pass@api.example/x' }, { url: 'http://[' }],
  });
  expect(named).toEqual(['http://127.0.0.1:81', 'http://localhost:82', 'http://127.0.0.1:83', 'https://api.example']);
  expect(namedOrigins({ docs: { folder: 'docs' }, urls: 'http://a/' })).toEqual(['http://a']);
});

test('recognises web addresses as links', () => {
  expect([isUrl('HTTPS://x/a.pdf'), isUrl('docs/http.md'), isUrl('file:///a.md')]).toEqual([true, false, false]);
});

test('removes fragment and credentials from a source', () => {
  expect(urlSource('http://ann:pass@x.example/a?b=1&token=t#part')).toBe('http://x.example/a?b=1');
});

describe('a normalized address', () => {
  it.each([
    ['HTTP://Example.COM:80/a#part', 'http://example.com/a'],
    ['https://ann:secret@example.com:443/', 'https://example.com/'],
    ['http://a.example/x?utm_source=m&id=2&gclid=1&UTM_Medium=x', 'http://a.example/x?id=2'],
    ['http://a.example/x?fbclid=1', 'http://a.example/x'],
    ['http://a.example/x?', 'http://a.example/x'],
    ['http://a.example/a/../b/./c', 'http://a.example/b/c'],
    ['http://a.example/x?q=a%20b', 'http://a.example/x?q=a%20b'],
  ])('of %s is %s', (given, expected) => expect(normalizeAddress(given)).toBe(expected));

  it('is resolved against its page, and undefined for another scheme', () => {
    expect(normalizeAddress('../b?x=1', 'http://a.example/docs/a/')).toBe('http://a.example/docs/b?x=1');
    for (const address of ['mailto:a@b.example', 'javascript:void(0)', 'no address', 'http://'])
      expect(normalizeAddress(address)).toBeUndefined();
  });

  it('stays the same when it is normalized again', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (path, query) => {
        const once = normalizeAddress(`http://a.example/${path}?${query}`)!;
        expect(normalizeAddress(once)).toBe(once);
        expect(addressKey(addressKey(once))).toBe(addressKey(once));
        // behind a route, a fragment belongs to the route
        if (!once.includes('#')) expect(addressKey(normalizeAddress(`${once}#part`)!)).toBe(addressKey(once));
      }),
    );
  });
});

test('addresses have the same key regardless of trailing slash, order of parameters and session', () => {
  const key = addressKey('http://a.example/x?a=1&b=2');
  for (const path of ['x/?a=1&b=2', 'x?b=2&a=1', 'x?a=1&b=2&sid=1', 'x?a=1&token=t0k3n&b=2'])
    expect(addressKey(`http://a.example/${path}`)).toBe(key);
  for (const path of ['x?a=1', 'X?a=1&b=2', 'x?a=2&b=1', 'y?a=1&b=2']) expect(addressKey(`http://a.example/${path}`)).not.toBe(key);
  expect(addressKey('http://a.example/')).toBe(addressKey('http://a.example'));
});

test('the id of a session in a path selects no other page, and a route after # does', () => {
  expect(normalizeAddress('http://a.example/view.do;jsessionid=1F.node1?x=1#top')).toBe('http://a.example/view.do?x=1');
  expect(urlSource('http://a.example/list;v=2;JSESSIONID=9/a')).toBe('http://a.example/list;v=2/a');
  for (const route of ['http://a.example/#/oil', 'http://a.example/app#!/oil']) {
    expect(normalizeAddress(route)).toBe(route);
    expect(urlSource(route)).toBe(route);
  }
  expect(normalizeAddress('http://a.example/#/')).toBe('http://a.example/');
});

test('recognises addresses that log out, delete or fill a cart, and no pages about that', () => {
  const harmful =
    '/logout /user/sign-out /abmelden /index.php?action=logout /pages/3/delete /delete/3 /cart?add=5 /wp-login.php?action=logout /?do=logout /logoff.aspx /shop?add-to-cart=9 /a?_method=delete';
  for (const path of harmful.split(' ')) expect([path, isHarmful(`http://a.example${path}`)]).toEqual([path, true]);
  const harmless =
    '/docs/logout-of-the-panel /docs/delete-a-rota /docs/remove-ice /api/users/delete /cart /cart?page=2 /search?q=logout /a?action=view /removals';
  for (const path of harmless.split(' ')) expect([path, isHarmful(`http://a.example${path}`)]).toEqual([path, false]);
});

test('recognises crawler traps by their length and by repeated parts', () => {
  expect(isTrap('http://a.example/a/b/a/b/a/b/')).toBe(false);
  expect(isTrap('http://a.example/a/b/a/b/a/b/a/b')).toBe(true);
  expect(isTrap(`http://a.example/?${'a'.repeat(2_000)}`)).toBe(true);
  expect(isTrap('http://a.example//////')).toBe(false);
  expect(isTrap(`http://a.example/${Array.from({ length: 60 }, (_, i) => i).join('/')}`)).toBe(true);
});

const types = fileTypes();

test('recognises files without text by their extensions', () => {
  for (const path of ['a.PNG', 'b/c.tar.gz', 'e.mp4#t', 'f.woff2?v=2'])
    expect(hasTextlessExtension(`http://a.example/${path}`, types)).toBe(true);
  for (const path of ['a.html', 'a.php?f=x.png', 'a.pdf', 'v1.2', '', 'a.png/b', 'Node.js', 'Array.map'])
    expect(hasTextlessExtension(`http://a.example/${path}`, types)).toBe(false);
  expect(['Node.js', 'a.CSS?x=1', 'a.html', 'a.js/b'].map((path) => needsPageType(`http://a.example/${path}`, types))).toEqual([
    true,
    true,
    false,
    false,
  ]);
});

test('does not skip files with a parser by their extensions', () => {
  const parse = async () => ({ text: '', metadata: {} });
  const own = fileTypes([{ file_type: 'feed', extensions: ['.rss', '.svg'], parse }]);
  expect(hasTextlessExtension('http://a.example/a.svg', own)).toBe(false);
  expect(needsPageType('http://a.example/a.rss', own)).toBe(false);
});

it('takes no text of any length for an address', () => {
  expect(normalizeAddress(`https://a.example/${'a'.repeat(9000)}`)).toBeUndefined();
});
