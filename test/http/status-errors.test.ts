import { describe, expect, test, it } from 'vitest';
import {
  connectionError,
  resetToRetryAfter,
  parseRetryAfter,
  statusError,
  apiErrorMessage,
  secretsSent,
} from '../../src/http/status-errors.ts';

test.each([408, 409, 425, 429, 500, 502, 503, 599])('status %i is retryable', (status) => {
  expect(statusError('http://x/', status)).toMatchObject({ isRetryable: true, code: 'unavailable' });
});

test.each([
  [400, 'invalid'],
  [401, 'unauthorized'],
  [404, 'not_found'],
  [410, 'not_found'],
  [304, 'invalid'],
])('a status of %i stays: %s', (status, code) => {
  const error = statusError('http://x/', status, { retry_after: '5' });
  expect(error).toMatchObject({ isRetryable: false, code, retryAfter: undefined });
  expect(error.message).toContain(String(status));
});

test('a 403 is a refusal, unless it says that too many requests were sent', () => {
  expect(statusError('http://x/', 403)).toMatchObject({ isRetryable: false, code: 'unauthorized', isThrottled: false });
  for (const said of [{ isExhausted: true }, { retry_after: '5' }])
    expect(statusError('http://x/', 403, said)).toMatchObject({ isRetryable: true, code: 'unavailable', isThrottled: true });
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

test('a status error repeats the message of the response', () => {
  expect(statusError('http://x/', 400, { reason: 'missing param x' }).message).toBe(
    'http://x/ answered with status 400: "missing param x".',
  );
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
  ])('"%s" means %s seconds', (header, seconds) => {
    expect(parseRetryAfter(header, now)).toBe(seconds);
  });
});

test.each([
  ['30', '30'],
  ['1767225610', '10'],
  ['1767225500', '1'],
  ['soon', undefined],
  ['', undefined],
  [undefined, undefined],
])('a limit that is reset at "%s" is waited for %s seconds', (header, seconds) => {
  expect(resetToRetryAfter(header, Date.parse('2026-01-01T00:00:00Z'))).toBe(seconds);
});

describe('a connection that failed', () => {
  test('is explained by the error of the first address', () => {
    const cause = new AggregateError([Object.assign(new Error('a'), { code: 'ECONNREFUSED' }), new Error('b')]);
    expect(connectionError('http://x/', cause)).toMatchObject({
      isRetryable: true,
      message: 'http://x/ was not read: nothing listens there (ECONNREFUSED).',
    });
  });

  test('is not retryable for an unknown host or an invalid certificate', () => {
    for (const code of ['ENOTFOUND', 'CERT_HAS_EXPIRED', 'DEPTH_ZERO_SELF_SIGNED_CERT'])
      expect(connectionError('http://x/', Object.assign(new Error('no'), { code })).isRetryable).toBe(false);
  });
});

describe('the error message of a response', () => {
  it.each([
    [{ detail: 'missing param x' }, 'missing param x'],
    [{ type: 'about:blank', title: 'Not found', detail: 'No such order' }, 'No such order'],
    [{ error: { code: 404, message: 'No such\n  order' } }, 'No such order'],
    [{ errors: [{ title: 'Invalid', source: { pointer: '/x' } }] }, 'Invalid'],
    [{ detail: [{ loc: ['query', 'q'], msg: 'field required' }] }, 'field required'],
    [{ error: 'invalid_grant', error_description: 'The code has expired' }, 'The code has expired'],
    [{ Fault: { faultstring: 'Busy' } }, 'Busy'],
    [['Nope'], 'Nope'],
    [{ id: 4, rows: [] }, undefined],
    [{ message: ' ' }, undefined],
    [null, undefined],
  ])('%j: %s', (answer, said) => {
    expect(apiErrorMessage(answer)).toBe(said);
  });

  it('is bounded and contains no control characters', () => {
    expect(apiErrorMessage({ message: 'word '.repeat(10_000) })).toMatch(/^word .{150,200}…$/);
    expect(apiErrorMessage({ message: 'a\u001b[31mred\u0007\u202eb' })).toBe('aredb');
    let deep: unknown = 'x';
    for (let i = 0; i < 10_000; i++) deep = { error: deep };
    expect(apiErrorMessage(deep)).toBeUndefined();
  });

  it('contains no secret, neither one that was sent nor what looks like one', () => {
    const sent = secretsSent(new URL('https://x.example/?token=t0k3n&q=leak'), {
      headers: { authorization: 'Basic YW5uOnBhc3N3b3J0', cookie: 'sid=c00kie; a=b', 'x-team': 'desk', accept: 'application/json' },
      body: '{"auth":{"password":"hunter2"},"q":"leak"}',
    });
    const message = 't0k3n of ann:passwort, c00kie, desk and hunter2: leak is no application/json';
    expect(apiErrorMessage({ message }, sent)).toBe('… of ann:…, …, … and …: leak is no application/json');
    expect(
      apiErrorMessage(
        { message: 'Bearer is wanted' },
        secretsSent(new URL('https://x.example/'), { headers: { authorization: 'Bearer abcd' } }),
      ),
    ).toBe('Bearer is wanted');
    expect(apiErrorMessage({ message: 'Wrong key sk-9f8e7d6c5b4a3f2e given, password=geheim' })).toBe('Wrong key … given, password=…');
  });
});
