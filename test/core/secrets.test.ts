import { describe, expect, test } from 'vitest';
import { holdsSecret, identified, redactUrl, withoutSecrets } from '../../src/core/secrets.ts';

describe('a name', () => {
  test.each([
    'api_key',
    'apikey',
    'X-Api-Key',
    'Authorization',
    'access_token',
    'token',
    'client_secret',
    'password',
    'sig',
    'X-Amz-Signature',
    'Ocp-Apim-Subscription-Key',
    'PHPSESSIONID',
    'PHPSESSID',
    'JSESSIONID',
    'passphrase',
    'Passwort',
    'otp',
    'hmac',
    'api_key_v2',
  ])('%s holds a credential', (name) => {
    expect(holdsSecret(name)).toBe(true);
  });

  test.each([
    'q',
    'page',
    'page_token',
    'nextPageToken',
    'continuation_token',
    'keyword',
    'sort_key',
    'author',
    'design',
    'passage',
    'X-Team',
    'tokens',
    'sessions',
    'key_v2',
    'hotpot',
  ])('%s holds none', (name) => {
    expect(holdsSecret(name)).toBe(false);
  });

  test.each(['key', 'user_key', 'appid', 'code', 'session'])('%s holds one where its value is long', (name) => {
    expect(holdsSecret(name, 'A'.repeat(32))).toBe(true);
    expect(holdsSecret(name, 'article-1')).toBe(false);
  });
});

describe('an address that is shown', () => {
  test('has lost user name, password and the parameters that hold credentials', () => {
    expect(redactUrl('https://ann:pa%20ss@x.example/a?q=1&api_key=s3cret&page_token=abc')).toBe('https://x.example/a?q=1&page_token=abc');
  });

  test('is otherwise left as it was', () => {
    expect(redactUrl('http://x.example/a%20b?q=a%20b&r=#part')).toBe('http://x.example/a%20b?q=a%20b&r=#part');
  });

  test('loses what may be a credential also where it cannot be read as an address', () => {
    expect(redactUrl('http://ann:pass@x example/?token=t0k3n')).not.toMatch(/pass|t0k3n/);
  });
});

describe('an address by which pages are told apart', () => {
  const [one, other] = ['a1b2c3d4e5f6a7b8c9d0e1', 'a1b2c3d4e5f6a7b8c9d0e2'];
  const page = (key: string, name = 'page_key') => `https://x.example/p?${name}=${key}&q=1`;

  test('keeps a trace of what may be a credential, and none of what is one', () => {
    expect(identified(page(one))).toMatch(/^https:\/\/x\.example\/p\?page_key=%7E[0-9a-f]{8}&q=1$/);
    expect(identified(page(one))).not.toBe(identified(page(other)));
    expect(identified(page(one))).not.toContain(one);
    expect(identified(page(one, 'api_key'))).toBe('https://x.example/p?q=1');
    expect(identified(page('short'))).toBe(page('short'));
  });

  test('is the same when it is made again, and may be shown', () => {
    expect(identified(identified(page(one)))).toBe(identified(page(one)));
    expect(redactUrl(identified(page(one)))).toBe(identified(page(one)));
  });
});

test('a structure without its secrets keeps its shape', () => {
  expect(withoutSecrets({ q: 'leak', auth: { token: 't', kind: 'a' }, list: [{ password: 'p' }, 5], api_key: null })).toEqual({
    q: 'leak',
    auth: { token: '', kind: 'a' },
    list: [{ password: '' }, 5],
    api_key: '',
  });
});
