import { describe, expect, it } from 'vitest';
import { isOnPage, locationText, pagesIn } from '../../src/text/passage-location.ts';
import type { Location, Mark } from '../../src/schema/items.ts';
import { chunkDocument } from '../../src/stages/chunk/chunk.ts';

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
  ])('of %j is written «%s»', (location, said) => {
    expect(locationText(location)).toBe(said);
  });

  it('covers all pages from its first to its last', () => {
    const on = (location: object) => [1, 2, 3, 4, 5].filter((page) => isOnPage(location, page));
    expect([on({ page: 2, page_end: 4 }), on({ page: 3 }), on({ sheet: 'Prices' })]).toEqual([[2, 3, 4], [3], []]);
  });

  it('names a slide in a presentation', () => {
    expect(locationText({ page: 3 }, 'pptx')).toBe('slide 3');
    expect(locationText({ page: 3 }, 'pdf')).toBe('page 3');
  });
});

it('names a sheet once if its heading has the same name', () => {
  expect(locationText({ headings: ['Prices'], sheet: 'Prices', row_start: 8 })).toBe('sheet Prices, row 8');
});

it('counts the pages of ranges', () => {
  expect([pagesIn('2-5, 9'), pagesIn('7')]).toEqual([5, 1]);
});

const box = (top: number, left = 0.1) => ({ left, top, width: 0.4, height: 0.02 });

/** Where the chunks of blocks stand, each of which has a rectangle of its own. */
function placesOf(blocks: readonly string[], boxOf: (i: number) => Mark['boxes'], size = 2000): Location[] {
  const text = blocks.join('\n\n');
  const marks = blocks.map((block, i) => ({ at: text.indexOf(block), page: 1, page_ratio: 0.75, boxes: boxOf(i)! }));
  const document = { id: 'd', source: 'd.pdf', title: 'Guide', text, metadata: {}, marks };
  const chunks = chunkDocument(document, { chunk_size: size, chunk_overlap: 0, min_chunk_length: 20 });
  return chunks.map(({ metadata }) => metadata.location as Location);
}

describe('the rectangles of a chunk', () => {
  it('are those of its blocks, each with the line that it begins in', () => {
    const [place] = placesOf(['Fill the tank.', 'Descale it.'], (i) => [box(0.1 + i / 10)]);
    expect(place).toMatchObject({ page: 1, page_ratio: 0.75 });
    expect(place!.boxes).toEqual([
      { page: 1, ...box(0.1) },
      { page: 1, ...box(0.2), line: 3 },
    ]);
  });

  it('are only those of its own content', () => {
    const sentences = (word: string) => `The ${word} is looked after at every visit. `.repeat(4).trim();
    const places = placesOf([sentences('pump'), sentences('heater')], (i) => [box(0.1 + i / 10)], 200);
    expect(places.map(({ boxes }) => boxes?.map(({ top }) => top))).toEqual([[0.1], [0.2]]);
  });

  it('are joined within a block and column, up to eight', () => {
    const rows = '| A | B |\n| --- | --- |\n| 1 | 2 |\n| 3 | 4 |';
    const marks = ['| A', '| 1', '| 3'].map((row, i) => ({ at: rows.indexOf(row), page: 2, boxes: [box(0.1 + i * 0.02)] }));
    const chunking = { chunk_size: 1000, chunk_overlap: 0, min_chunk_length: 20 };
    const [table] = chunkDocument({ id: 'd', source: 'd.pdf', title: 'Guide', text: rows, metadata: {}, marks }, chunking);
    expect((table!.metadata.location as Location).boxes).toEqual([{ page: 2, left: 0.1, top: 0.1, width: 0.4, height: 0.06 }]);
    expect(placesOf(['Fill the tank.'], () => [box(0.8), box(0.1, 0.5)])[0]!.boxes).toHaveLength(2);
    const many = Array.from({ length: 20 }, (_, i) => `This is step number ${i}.`);
    const [place] = placesOf(many, (i) => [box(i / 25)]);
    expect(place!.boxes).toHaveLength(8);
    expect(Math.max(...place!.boxes!.map(({ top, height }) => top + height))).toBeCloseTo(0.78);
  });
});
