import { describe, expect, it } from 'vitest';
import { KbError } from '../../src/base/errors.ts';
import { assertGuarded, createGuard, isLoopback } from '../../src/server/guard.ts';

const TOKEN = 'correct-horse-battery';
const open = createGuard({ token: undefined, cors_origins: ['https://app.example'] });
const locked = createGuard({ token: TOKEN, cors_origins: [] });
const statusOf = (guard: typeof open, headers: Parameters<typeof open>[0]['headers'], route: string | undefined = '/v1/retrieve') =>
  guard({ headers, route })?.status;

describe('where kb serve may listen without a token', () => {
  it.each(['127.0.0.1', '127.0.0.9', 'localhost', '::1'])('%s, which is this machine alone', (host) => {
    expect(isLoopback(host)).toBe(true);
    expect(() => assertGuarded(host, undefined)).not.toThrow();
  });

  it.each(['0.0.0.0', '::', '192.168.0.7', 'kb.example', 'localhost.example', '1127.0.0.1', ''])('not %s', (host) => {
    expect(() => assertGuarded(host, undefined)).toThrow(/KB_SERVER_TOKEN/);
    expect(() => assertGuarded(host, 'fifteen-letters')).toThrow(/at least 16/);
    expect(() => assertGuarded(host, TOKEN)).not.toThrow();
  });

  it('refuses a token that no header can carry', () => {
    for (const token of ['sixteen letters and', 'sechzehn-Zeichen-ö', 'sixteen-letters\n1'])
      expect(() => assertGuarded('127.0.0.1', token)).toThrow(/header/);
  });

  it('refuses a short token on loopback too: whoever sets one wants to be safe', () => {
    expect(() => assertGuarded('127.0.0.1', 'short')).toThrow(KbError);
  });
});

describe('without a token', () => {
  it.each(['127.0.0.1:8000', 'localhost', 'LOCALHOST:80', '[::1]:8000', '127.8.9.1'])('answers the host %s', (host) => {
    expect(statusOf(open, { host })).toBeUndefined();
  });

  it.each([
    'evil.example',
    '127.0.0.1.evil.example:80',
    'localhost.evil.example',
    'a@127.0.0.1',
    '10.0.0.1',
    '',
    '[::2]',
    'localhost:80:90',
  ])('refuses the host «%s»', (host) => {
    expect(statusOf(open, { host })).toBe(403);
    expect(statusOf(open, { host }, '/v1/health')).toBe(403);
  });

  it('answers its own pages and listed ones, and refuses every other origin', () => {
    const host = '127.0.0.1:8000';
    for (const origin of ['http://127.0.0.1:8000', 'https://app.example']) expect(statusOf(open, { host, origin })).toBeUndefined();
    for (const origin of [
      'null',
      'http://127.0.0.1:8001',
      'http://localhost:8000',
      'https://127.0.0.1:8000',
      'https://app.example.evil',
      '',
    ])
      expect([origin, statusOf(open, { host, origin })]).toEqual([origin, 403]);
  });
});

describe('with a token', () => {
  it('answers whoever shows it, by whatever name the server is called', () => {
    expect(statusOf(locked, { host: 'kb.example', authorization: `Bearer ${TOKEN}` })).toBeUndefined();
    expect(statusOf(locked, { host: 'kb.example', origin: 'https://elsewhere', authorization: `bearer ${TOKEN}` })).toBeUndefined();
  });

  it.each([undefined, '', 'Bearer', `Bearer ${TOKEN}x`, `Bearer ${TOKEN.slice(1)}`, `Bearer  ${TOKEN} x`, `Basic ${TOKEN}`, TOKEN])(
    'refuses «%s»',
    (authorization) => {
      const refused = locked({ headers: { host: '127.0.0.1', authorization }, route: '/v1/retrieve' });
      expect([refused?.status, refused?.body.error.type]).toEqual([401, 'AuthenticationError']);
      expect(JSON.stringify(refused)).not.toContain(TOKEN);
    },
  );

  it('leaves the health check open, and that alone: not what only looks like it', () => {
    expect(statusOf(locked, {}, '/v1/health')).toBeUndefined();
    for (const route of ['/v1/openapi.json', '/docs', undefined]) expect(statusOf(locked, {}, route)).toBe(401);
  });
});
