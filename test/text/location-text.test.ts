import { describe, expect, it } from 'vitest';
import { isOnPage, locationText } from '../../src/text/location-text.ts';

describe('the location of a passage', () => {
  it.each([
    [{ page: 4 }, 'page 4'],
    [{ page: 4, page_end: 5 }, 'pages 4–5'],
    [{ sheet: 'Prices', row_start: 12, row_end: 18 }, 'sheet Prices, rows 12–18'],
    [{ row_start: 2, row_end: 2, line_start: 2, line_end: 2 }, 'row 2'],
    [{ headings: ['Maintenance', 'Filter'], line_start: 20, line_end: 24 }, 'Maintenance › Filter, lines 20–24'],
    [{ line_start: 7, line_end: 7 }, 'line 7'],
    [{ anchor: 'care' }, '#care'],
    [{ headings: [] }, ''],
  ])('%j is «%s»', (location, said) => {
    expect(locationText(location)).toBe(said);
  });

  it('is on all pages from its first to its last', () => {
    const on = (location: object) => [1, 2, 3, 4, 5].filter((page) => isOnPage(location, page));
    expect([on({ page: 2, page_end: 4 }), on({ page: 3 }), on({ sheet: 'Prices' })]).toEqual([[2, 3, 4], [3], []]);
  });

  it('is a slide in a presentation', () => {
    expect(locationText({ page: 3 }, 'pptx')).toBe('slide 3');
    expect(locationText({ page: 3 }, 'pdf')).toBe('page 3');
  });
});

it('names a sheet once whose heading is its name', () => {
  expect(locationText({ headings: ['Prices'], sheet: 'Prices', row_start: 8 })).toBe('sheet Prices, row 8');
});
