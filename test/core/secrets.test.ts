import { describe, expect, test, it } from 'vitest';
import {
  holdsSecret,
  identifyUrl,
  redactUrl,
  withoutSecrets,
  basicAuthForms,
  credentialsIn,
  createRedactor,
} from '../../src/core/secrets.ts';

describe('the name of a field', () => {
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

  test.each(['key', 'user_key', 'appid', 'code', 'session'])('%s holds a secret if its value is long', (name) => {
    expect(holdsSecret(name, 'A'.repeat(32))).toBe(true);
    expect(holdsSecret(name, 'article-1')).toBe(false);
  });
});

describe('redactUrl', () => {
  test('removes user name, password and credential parameters', () => {
    expect(redactUrl('https://ann:pa%20ss@x.example/a?q=1&api_key=s3cret&page_token=abc')).toBe('https://x.example/a?q=1&page_token=abc');
  });

  test('leaves the rest of the address unchanged', () => {
    expect(redactUrl('http://x.example/a%20b?q=a%20b&r=#part')).toBe('http://x.example/a%20b?q=a%20b&r=#part');
  });

  test('removes what may be a credential from text that is no address', () => {
    expect(redactUrl('http://ann:pass@x example/?token=t0k3n')).not.toMatch(/pass|t0k3n/);
  });
});

describe('identifyUrl', () => {
  const [one, other] = ['a1b2c3d4e5f6a7b8c9d0e1', 'a1b2c3d4e5f6a7b8c9d0e2'];
  const page = (key: string, name = 'page_key') => `https://x.example/p?${name}=${key}&q=1`;

  test('replaces what may be a credential by a hash, and removes certain credentials', () => {
    expect(identifyUrl(page(one))).toMatch(/^https:\/\/x\.example\/p\?page_key=%7E[0-9a-f]{8}&q=1$/);
    expect(identifyUrl(page(one))).not.toBe(identifyUrl(page(other)));
    expect(identifyUrl(page(one))).not.toContain(one);
    expect(identifyUrl(page(one, 'api_key'))).toBe('https://x.example/p?q=1');
    expect(identifyUrl(page('short'))).toBe(page('short'));
  });

  test('returns the same address again when applied twice, without credentials', () => {
    expect(identifyUrl(identifyUrl(page(one)))).toBe(identifyUrl(page(one)));
    expect(redactUrl(identifyUrl(page(one)))).toBe(identifyUrl(page(one)));
  });
});

test('withoutSecrets empties secrets and keeps the structure', () => {
  expect(withoutSecrets({ q: 'leak', auth: { token: 't', kind: 'a' }, list: [{ password: 'p' }, 5], api_key: null })).toEqual({
    q: 'leak',
    auth: { token: '', kind: 'a' },
    list: [{ password: '' }, 5],
    api_key: '',
  });
});

describe('credentialsIn', () => {
  const cases: [string, string, string, string[], boolean?][] = [
    ['a token behind its scheme', 'Authorization', 'Bearer sk-12345', ['sk-12345']],
    [
      'a user and a password',
      'authorization',
      `Basic ${btoa('ann:s3cret')}`,
      ['ann:s3cret', btoa('ann:s3cret').replace(/=+$/, ''), 's3cret'],
    ],
    ['a key', 'x-api-key', 'tk-4b1d', ['tk-4b1d']],
    ['a key whose name does not say so, given to one site', 'X-Team', 'tk-4b1d77aa09', ['tk-4b1d77aa09'], true],
    ['cookies', 'cookie', 'lang=de; session=c00kie-77', ['c00kie-77']],
    ['a word as password', 'password', 'harbour', []],
    ['what chooses a language', 'lang', 'de-DE', []],
    ['a field to sort by', 'sort_key', 'published', []],
    ['a version', 'X-Api-Version', '2022-11-28', [], true],
  ];
  it.each(cases)('finds credentials: %s', (_what, name, value, found, isSiteCredential = false) => {
    expect(credentialsIn(name, value, { isSiteCredential })).toEqual(found);
  });
});

describe('createRedactor', () => {
  it('returns undefined without credentials', () => {
    expect(createRedactor([])).toBeUndefined();
  });

  it('replaces each credential, in every form', () => {
    const redact = createRedactor([...basicAuthForms('pilot:Skjær-7f3e91'), 'tk_4b*1d77'])!;
    const said = [
      `Basic ${Buffer.from('pilot:Skjær-7f3e91').toString('base64')}, nothing else`,
      'pilot:Skjær-7f3e91',
      'the password Skjær-7f3e91.',
      'https://a.example/?p=Skj%C3%A6r-7f3e91&q=1',
      'Skjær\\-7f3e91 and tk\\_4b\\*1d77 in Markdown',
      'xtk_4b*1d77x',
    ];
    expect(said.map(redact)).toEqual([
      'Basic [redacted], nothing else',
      '[redacted]',
      'the password [redacted].',
      'https://a.example/?p=[redacted]&q=1',
      '[redacted] and [redacted] in Markdown',
      'x[redacted]x',
    ]);
  });

  it('keeps words that contain a short credential, and all other text', () => {
    expect(createRedactor(['ab-12'])!('ab-12, cab-123, the pilot')).toBe('[redacted], cab-123, the pilot');
  });

  it('takes time proportional to the text', () => {
    const text = 'tk-4b1d77aa0\\'.repeat(50_000);
    expect(createRedactor(['tk-4b1d77aa09'])!(text)).toBe(text);
  });
});
