import { expect, test } from 'vitest';
import { unsetReference } from '../../src/core/settings.ts';

const value = { headers: { 'X-Team': 'docs', Authorization: 'Bearer ${TICK}' } };

test('a variable that is not set is to be set where variables are filled in', () => {
  const error = unsetReference(value, 'network.sites')!;
  expect(error.code).toBe('setup');
  expect(error.message).toBe('network.sites.headers.Authorization refers to the variable TICK, which is not set.');
  expect(error.hint).not.toMatch(/HTTP/);
});

test('a reference in a request over HTTP is told to be none', () => {
  const error = unsetReference(value, '', { isRequested: true })!;
  expect(error.code).toBe('usage');
  expect(error.message).toMatch(/^headers\.Authorization holds \$\{TICK\}/);
  expect(error.message + error.hint).not.toMatch(/environment|not set/);
});

test('what refers to nothing has no error', () => {
  expect(unsetReference({ a: ['x', { b: 1 }] }, '')).toBeUndefined();
});
