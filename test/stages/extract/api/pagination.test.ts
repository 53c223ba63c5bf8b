import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkPagination, firstPage, nextLink, nextPage, type PageSummary } from '../../../../src/stages/extract/api/api-settings.ts';

const seen = (over: Partial<PageSummary> = {}): PageSummary => ({
  count: 5,
  value: {},
  link: undefined,
  url: 'http://api.example/v1/tickets?at=0',
  ...over,
});

describe('pagination by page', () => {
  const pagination = { type: 'page', param: 'p', size_param: 'per', size: 50 } as const;

  test('counts pages from 1 or from start, and requests the size', () => {
    expect(firstPage(pagination)).toEqual({ params: { p: 1, per: 50 } });
    expect(firstPage({ ...pagination, start: 0 })).toEqual({ params: { p: 0, per: 50 } });
    expect(nextPage(pagination, { params: { p: 1, per: 50 } }, seen())).toEqual({ params: { p: 2, per: 50 } });
  });

  test('ends at an empty page, but not at one whose records cannot be counted', () => {
    expect(nextPage(pagination, { params: { p: 1 } }, seen({ count: 0 }))).toBeUndefined();
    expect(nextPage(pagination, { params: { p: 1 } }, seen({ count: undefined }))).toEqual({ params: { p: 2 } });
  });
});

describe('pagination by offset', () => {
  const pagination = { type: 'offset', param: 'skip', size_param: 'limit', size: 100 } as const;

  test('increases the offset by the number of records received, even if it is smaller than requested', () => {
    expect(firstPage(pagination)).toEqual({ params: { skip: 0, limit: 100 } });
    expect(nextPage(pagination, { params: { skip: 40, limit: 100 } }, seen({ count: 20 }))).toEqual({ params: { skip: 60, limit: 100 } });
  });

  test('increases the offset by the size if records cannot be counted, and ends without a size', () => {
    expect(nextPage(pagination, { params: { skip: 40 } }, seen({ count: undefined }))).toEqual({ params: { skip: 140 } });
    expect(nextPage({ type: 'offset', param: 'skip' }, { params: { skip: 40 } }, seen({ count: undefined }))).toBeUndefined();
  });
});

describe('pagination by cursor', () => {
  const pagination = { type: 'cursor', param: 'after', cursor_path: 'meta.next', size_param: 'limit', size: 9 } as const;

  test('sends no cursor with the first page, and then the cursor of the page before', () => {
    expect(firstPage(pagination)).toEqual({ params: { limit: 9 } });
    expect(nextPage(pagination, { params: { limit: 9 } }, seen({ value: { meta: { next: 'abc' } } }))).toEqual({
      params: { limit: 9, after: 'abc' },
    });
    expect(nextPage(pagination, { params: {} }, seen({ value: { meta: { next: 0 } } }))).toEqual({ params: { after: 0 } });
  });

  test.each([{}, { meta: null }, { meta: { next: null } }, { meta: { next: '' } }, { meta: { next: false } }, undefined])(
    'finds no next page in %j',
    (value) => {
      expect(nextPage(pagination, { params: {} }, seen({ value }))).toBeUndefined();
    },
  );
});

test.each([
  ['http://api.example/v1/tickets?at=5', 'http://api.example/v1/tickets?at=5'],
  ['/v1/tickets?at=5', 'http://api.example/v1/tickets?at=5'],
  ['?at=5', 'http://api.example/v1/tickets?at=5'],
])('follows a cursor that is the address %s', (next, address) => {
  const pagination = { type: 'cursor', param: 'page', cursor_path: '@odata.nextLink' } as const;
  expect(nextPage(pagination, { params: { page: 1 } }, seen({ value: { '@odata.nextLink': next } }))).toEqual({ params: {}, url: address });
});

test.each(['/9j/4AAQSkZJRg==', 'a?b', 'next=5', 'http'])('does not follow the cursor %s as an address', (next) => {
  const pagination = { type: 'cursor', param: 'page', cursor_path: 'next' } as const;
  expect(nextPage(pagination, { params: {} }, seen({ value: { next } }))).toEqual({ params: { page: next } });
});

describe('pagination by link', () => {
  test.each([
    ['</t?at=5>; rel="next"', 'http://api.example/t?at=5'],
    ['<http://api.example/v1?at=0>; rel="first", </t?a=1,2>; title="a, \\"b\\"; rel=prev"; rel="next"', 'http://api.example/t?a=1,2'],
    ['<?at=5>;rel=next', 'http://api.example/v1/tickets?at=5'],
    ['<?at=5>; REL="prefetch NEXT"', 'http://api.example/v1/tickets?at=5'],
    ['<?at=5>; crossorigin; rel="next"', 'http://api.example/v1/tickets?at=5'],
  ])('follows %s to %s', (header, address) => {
    expect(nextLink(header, seen().url)).toBe(address);
    expect(nextPage({ type: 'link' }, { params: {} }, seen({ link: header }))).toEqual({ params: {}, url: address });
  });

  test.each([undefined, '', 'next', '<x>; rel="prev"', '<x>; title="rel=next"', '<http://[>; rel="next"'])(
    'finds no next page in %s',
    (header) => {
      expect(nextPage({ type: 'link' }, { params: {} }, seen({ link: header }))).toBeUndefined();
    },
  );

  test('reads a header of endless link starts in little time', () => {
    expect(nextLink('<'.repeat(300_000), 'http://x/')).toBeUndefined(); // where each looks for its end, it takes minutes
  });

  test('does not throw for any header', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('<', '>', ';', ',', '"', '\\', '=', ' ', 'rel', 'next', 'a') }), (header) => {
        expect(['string', 'undefined']).toContain(typeof nextLink(header, 'http://x/'));
      }),
    );
  });
});

test('reads one page without pagination', () => {
  expect(firstPage(undefined)).toEqual({ params: {} });
  expect(nextPage(undefined, { params: {} }, seen())).toBeUndefined();
});

test('names a missing setting of a kind of pagination', () => {
  expect(() => checkPagination({ type: 'page' })).toThrow('"page" needs "param"');
  expect(() => checkPagination({ type: 'cursor', param: 'after' })).toThrow('"cursor_path"');
  expect(() => checkPagination({ type: 'link' })).not.toThrow();
});
