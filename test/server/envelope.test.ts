import { expect, it } from 'vitest';
import { KbError, type ErrorCode } from '../../src/core/errors.ts';
import { toFailure } from '../../src/server/envelope.ts';

const failure = (code: ErrorCode) => toFailure(new KbError(code, 'It went wrong.', { hint: 'Mend it.' }), 'r1');

it.each([
  ['usage', 400, 'ValueError'],
  ['configuration', 400, 'ValueError'],
  ['conflict', 400, 'ValueError'],
  ['forbidden', 403, 'PermissionError'],
  ['not_found', 404, 'NotFoundError'],
  ['too_large', 413, 'PayloadTooLargeError'],
  ['setup', 424, 'SetupError'],
  ['unauthorized', 424, 'SetupError'],
  ['invalid', 500, 'RuntimeError'],
  ['unavailable', 503, 'RuntimeError'],
] as [ErrorCode, number, string][])('%s is a %i %s with its message and hint', (code, status, type) => {
  expect(failure(code)).toEqual({ status, body: { error: { type, message: 'It went wrong. Mend it.' } }, isServerFault: false });
});

it('the response to an unforeseen error contains only the id of the request', () => {
  for (const error of [new TypeError('secret of /home/kb/x.ts'), new KbError('internal', 'secret')]) {
    const { status, body, isServerFault } = toFailure(error, 'request-7');
    expect([status, isServerFault]).toEqual([500, true]);
    expect(body.error.message).toContain('request-7');
    expect(JSON.stringify(body)).not.toContain('secret');
  }
});

it('errors of Fastify are worded by kb', () => {
  const error = Object.assign(new Error('reach parts limit'), { statusCode: 413, code: 'FST_PARTS_LIMIT' });
  expect(toFailure(error, '').body.error).toEqual({ type: 'PayloadTooLargeError', message: 'The form has too many parts.' });
});
