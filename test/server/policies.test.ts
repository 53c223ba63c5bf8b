import { describe, expect, it } from 'vitest';
import { KbError } from '../../src/core/errors.ts';
import { assertProtected, createGuard, isLoopback } from '../../src/server/policies.ts';
import { createAuthenticator } from '../../src/server/token-file.ts';

const TOKEN = 'correct-horse-battery';
const open = createGuard({ authenticate: undefined, allowed_hosts: [], cors_origins: ['https://app.example'] });
const locked = createGuard({ authenticate: createAuthenticator({ token: TOKEN, rows: undefined }), allowed_hosts: [], cors_origins: [] });
const behind = createGuard({ authenticate: undefined, allowed_hosts: ['kb.example', '*.Ferry.example'], cors_origins: [] });
const at = (host: string) => ({ host, auth: 'token' as const });
const statusOf = (
  guard: typeof open,
  headers: Parameters<typeof open>[0]['headers'],
  needs: Parameters<typeof open>[0]['needs'] = 'read',
) => guard({ headers, needs }).refused?.status;

describe('listening without a token', () => {
  it.each(['127.0.0.1', '127.0.0.9', 'localhost', '::1'])('is allowed on %s, which is this machine only', (host) => {
    expect(isLoopback(host)).toBe(true);
    expect(() => assertProtected(at(host), undefined)).not.toThrow();
  });

  it.each(['0.0.0.0', '::', '192.168.0.7', 'kb.example', 'localhost.example', '1127.0.0.1', ''])('is refused on %s', (host) => {
    expect(() => assertProtected(at(host), undefined)).toThrow(/KB_SERVER_TOKEN/);
    expect(() => assertProtected(at(host), 'fifteen-letters')).toThrow(/at least 16/);
    expect(() => assertProtected(at(host), TOKEN)).not.toThrow();
  });

  it('is allowed anywhere behind a gateway, but never with a short token', () => {
    expect(() => assertProtected({ host: '0.0.0.0', auth: 'gateway' }, undefined)).not.toThrow();
    expect(() => assertProtected(at('0.0.0.0'), undefined)).toThrow(expect.objectContaining({ hint: expect.stringContaining('gateway') }));
    expect(() => assertProtected({ host: '0.0.0.0', auth: 'gateway' }, 'short')).toThrow(/at least 16/);
  });

  it('is no option for a token that no header can carry', () => {
    for (const token of ['sixteen letters and', 'sechzehn-Zeichen-ö', 'sixteen-letters\n1'])
      expect(() => assertProtected(at('127.0.0.1'), token)).toThrow(/header/);
  });

  it('is no option for a short token, even on loopback', () => {
    expect(() => assertProtected(at('127.0.0.1'), 'short')).toThrow(KbError);
  });
});

describe('a server without a token', () => {
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
  ])('refuses the host "%s"', (host) => {
    expect(statusOf(open, { host })).toBe(403);
    expect(statusOf(open, { host }, 'open')).toBe(403);
  });

  it('answers its own pages and listed origins, and refuses every other origin', () => {
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

describe('a server behind a gateway with other host names', () => {
  it.each(['kb.example', 'KB.example:443', 'docs.ferry.example', 'a.b.ferry.example:8443', 'localhost:8000'])(
    'answers the host %s',
    (host) => {
      expect(statusOf(behind, { host })).toBeUndefined();
    },
  );

  it.each([
    'evil.example',
    'x.kb.example',
    'kb.example.evil.example',
    'ferry.example',
    'notferry.example',
    '.ferry.example',
    'a@b.ferry.example',
  ])('refuses the host %s', (host) => {
    expect(statusOf(behind, { host })).toBe(403);
  });

  it('answers pages that the gateway serves, with or without TLS, and no others', () => {
    for (const origin of ['https://kb.example', 'http://kb.example'])
      expect(statusOf(behind, { host: 'kb.example', origin })).toBeUndefined();
    for (const origin of ['https://evil.example', 'https://kb.example:444', 'https://docs.ferry.example', 'null'])
      expect(statusOf(behind, { host: 'kb.example', origin })).toBe(403);
    expect(statusOf(behind, { host: 'localhost:8000', origin: 'https://localhost:8000' })).toBe(403);
  });
});

describe('a server with a token', () => {
  it('answers callers with the token, by any host name', () => {
    expect(statusOf(locked, { host: 'kb.example', authorization: `Bearer ${TOKEN}` })).toBeUndefined();
    expect(statusOf(locked, { host: 'kb.example', origin: 'https://elsewhere', authorization: `bearer ${TOKEN}` })).toBeUndefined();
  });

  it.each([undefined, '', 'Bearer', `Bearer ${TOKEN}x`, `Bearer ${TOKEN.slice(1)}`, `Bearer  ${TOKEN} x`, `Basic ${TOKEN}`, TOKEN])(
    'refuses "%s"',
    (authorization) => {
      const { refused } = locked({ headers: { host: '127.0.0.1', authorization }, needs: 'read' });
      expect([refused?.status, refused?.body.error.type]).toEqual([401, 'AuthenticationError']);
      expect(JSON.stringify(refused)).not.toContain(TOKEN);
    },
  );

  it('leaves only open paths open', () => {
    expect(statusOf(locked, {}, 'open')).toBeUndefined();
    for (const needs of ['token', 'read', 'admin'] as const) expect(statusOf(locked, {}, needs)).toBe(401);
  });
});
