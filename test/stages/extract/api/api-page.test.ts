import { expect, test } from 'vitest';
import { findApiFailure, isTemporary, saysNoPage } from '../../../../src/stages/extract/api/api-page.ts';

test.each([
  [{ error: { message: 'rate limit exceeded' } }, 'rate limit exceeded'],
  [{ errors: [{ message: 'No such field' }], data: null }, 'No such field'],
  [{ ok: false, error: 'invalid_auth' }, 'invalid_auth'],
  [{ success: false, message: 'Log in first', data: [] }, 'Log in first'],
  [{ status: 'error', code: 500, message: 'Down' }, 'Down'],
  [{ jsonrpc: '2.0', id: 1, error: { code: -32601, message: 'Method not found' } }, 'Method not found'],
  [{ error: 5 }, 'error'],
])('finds the error in %j: %s', (answer, said) => {
  expect(findApiFailure(answer)).toBe(said);
});

test.each([
  { error: { message: 'x' }, data: { a: 1 } },
  { error: null, data: {} },
  { errors: [], items: [] },
  { id: 'E42', error: 'Pump stuck', message: 'Turn it by hand' },
  { title: 'Manual', error: 'Text about errors' },
  { message: 'Hello' },
  { status: 'ok', message: 'Hello' },
  { ok: false },
  { errors: 0, message: '42 documents' },
  { error_code: '0', message: 'success' },
  [{ error: 'x' }],
  'error',
  null,
  {},
])('finds no error in %j', (answer) => {
  expect(findApiFailure(answer)).toBeUndefined();
});

test('marks temporary errors as worth another attempt', () => {
  for (const said of ['rate limit exceeded', 'rate_limited', '503 Service Unavailable', 'Request timed-out', 'try again'])
    expect(isTemporary(said)).toBe(true);
  for (const said of ['invalid_auth', 'No such field', '404 Not Found']) expect(isTemporary(said)).toBe(false);
});

test('takes only unambiguous JSON as a sign that a page does not exist', () => {
  const says = (text: string, status = 404, content_type = 'application/json') =>
    saysNoPage({ status, bytes: Buffer.from(text), content_type });
  expect(says('{"detail":"Invalid page."}')).toBe(true);
  expect(says('{"code":"rest_post_invalid_page_number"}', 400)).toBe(true);
  expect(says('"Invalid page."', 404, 'text/html')).toBe(false);
  for (const text of ['{}', '{"message":"Page not found"}', '{"error":"Page 5 does not exist"}', '{"message":"token not found"}'])
    expect(says(text)).toBe(false);
  expect(says('{"message":"page is out of range: at most 2 pages may be asked for"}', 400)).toBe(false);
  expect(says('{"detail":"Invalid page."}', 400)).toBe(false);
});
