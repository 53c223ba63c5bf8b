import { describe, expect, it } from 'vitest';
import { apiErrorMessage, secretsSent } from '../../src/http/status-errors.ts';

describe('what an answer says went wrong', () => {
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

  it('is bounded and holds nothing that a terminal takes for an order', () => {
    expect(apiErrorMessage({ message: 'word '.repeat(10_000) })).toMatch(/^word .{150,200}…$/);
    expect(apiErrorMessage({ message: 'a\u001b[31mred\u0007\u202eb' })).toBe('aredb');
    let deep: unknown = 'x';
    for (let i = 0; i < 10_000; i++) deep = { error: deep };
    expect(apiErrorMessage(deep)).toBeUndefined();
  });

  it('holds no secret: neither one that was sent nor what looks like one', () => {
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
