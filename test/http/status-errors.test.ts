import { describe, expect, test } from 'vitest';
import { connectionError, retryAfterReset, secondsIn, statusError } from '../../src/http/status-errors.ts';

test.each([408, 409, 425, 429, 500, 502, 503, 599])('a status of %i may pass', (status) => {
  expect(statusError('http://x/', status)).toMatchObject({ isRetryable: true, code: 'unavailable' });
});

test.each([
  [400, 'invalid'],
  [401, 'unauthorized'],
  [403, 'unauthorized'],
  [404, 'not_found'],
  [410, 'not_found'],
  [304, 'invalid'],
])('a status of %i stays: %s', (status, code) => {
  const error = statusError('http://x/', status, { retry_after: '5' });
  expect(error).toMatchObject({ isRetryable: false, code, retryAfter: undefined });
  expect(error.message).toContain(String(status));
});

test.each([
  ['none', /no credentials.*network\.sites/],
  ['request', /given credentials, and refuses them/],
  ['sites', /what network\.sites says.*refuses/],
  [undefined, /network\.sites/],
] as const)('a 401 says whose credentials were refused: %s', (credentials, hint) => {
  expect(statusError('http://x/', 401, { credentials }).hint).toMatch(hint);
  expect(statusError('http://x/', 403, { credentials }).hint).toMatch(credentials === 'none' ? /may be read without/ : hint);
});

test('a status tells what the answer says about it', () => {
  expect(statusError('http://x/', 400, { said: 'missing param x' }).message).toBe('http://x/ answered with status 400: «missing param x».');
});

describe('Retry-After', () => {
  const now = Date.parse('2026-01-01T00:00:00Z');

  test.each([
    ['3', 3],
    ['0', 0],
    ['-4', 0],
    ['Thu, 01 Jan 2026 00:00:30 GMT', 30],
    ['Thu, 01 Jan 2020 00:00:30 GMT', 0],
    ['soon', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('«%s» means %s seconds', (header, seconds) => {
    expect(secondsIn(header, now)).toBe(seconds);
  });
});

test.each([
  ['30', '30'],
  ['1767225610', '10'],
  ['1767225500', '1'],
  ['soon', undefined],
  ['', undefined],
  [undefined, undefined],
])('a limit that is reset at «%s» is waited for %s seconds', (header, seconds) => {
  expect(retryAfterReset(header, Date.parse('2026-01-01T00:00:00Z'))).toBe(seconds);
});

describe('a connection that failed', () => {
  test('is told by the first of several addresses', () => {
    const cause = new AggregateError([Object.assign(new Error('a'), { code: 'ECONNREFUSED' }), new Error('b')]);
    expect(connectionError('http://x/', cause)).toMatchObject({
      isRetryable: true,
      message: 'http://x/ was not read: nothing listens there (ECONNREFUSED).',
    });
  });

  test('because of a name that nobody has, or a certificate, stays', () => {
    for (const code of ['ENOTFOUND', 'CERT_HAS_EXPIRED', 'DEPTH_ZERO_SELF_SIGNED_CERT'])
      expect(connectionError('http://x/', Object.assign(new Error('no'), { code })).isRetryable).toBe(false);
  });
});
