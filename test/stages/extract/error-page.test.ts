import { expect, test } from 'vitest';
import { saysError } from '../../../src/stages/extract/error-page.ts';

const said = (html: string, content_type = 'text/html') => saysError({ bytes: Buffer.from(html), content_type });

test.each([
  ['<!doctype html><title>502 Bad Gateway</title>', '502 Bad Gateway'],
  ['<html><head><title>\n Just a moment...\n</title></head>', 'Just a moment...'],
  ['<html><body><h1>Access Denied</h1>', 'Access Denied'],
  ['<html><title>Sign in · Example</title><form></form>', 'Sign in · Example'],
  ['<html><title>Error 404 (Not Found)</title>', 'Error 404 (Not Found)'],
  ['<html><title>Error</title>', 'Error'],
  ['<html><title>503</title>', '503'],
  ['<html><title>404 Not Found | Example</title>', '404 Not Found | Example'],
  ['<html><title>Service Unavailable</title>', 'Service Unavailable'],
  ['<html><title>HTTP 500 Internal Server Error</title>', 'HTTP 500 Internal Server Error'],
  ['<html><title>Under maintenance</title>', 'Under maintenance'],
])('%j is a page about an error', (html, text) => {
  expect(said(html)).toBe(text);
});

test.each([
  '<!doctype html><title>Products</title><h1>404 valves</h1>',
  '<html><title>Errors of the pump and what to do about them</title>',
  '<html><title>Forbidden City</title>',
  '<html><title>Error codes</title>',
  '<html><title>500 recipes</title>',
  '<html><title>Maintenance manual</title>',
  '<html><title>Timeouts and retries</title>',
  '404 Not Found',
  `<html><title>404 Not Found</title>${'x'.repeat(30_000)}`,
])('%j is none', (html) => {
  expect(said(html)).toBeUndefined();
});

test('what is no web page is none', () => {
  expect(said('<html><title>404</title>', 'text/csv')).toBeUndefined();
});
