import { expect, it } from 'vitest';
import type { Location, Mark } from '../../../src/schema/items.ts';
import { chunkDocument } from '../../../src/stages/chunk/chunk.ts';
import { documentOf, sentences } from './markdown.ts';

const chunking = { chunk_size: 300, chunk_overlap: 0, min_chunk_length: 20 };
const located = (text: string, marks: Mark[], settings = chunking) =>
  chunkDocument(documentOf(text, { marks }), settings).map((chunk) => {
    const { offset: _offset, overlap: _overlap, ...location } = chunk.metadata.location as Location;
    return { text: chunk.text, location };
  });

it('counts lines from the line of the mark', () => {
  const [first, second] = located('# A\n\nThe first section of them.\n\n# B\n\nThe second section\nof two lines.\n', [{ at: 0, line: 5 }]);
  expect(first!.location).toEqual({ headings: ['A'], line_start: 5, line_end: 7 });
  expect(second!.location).toEqual({ headings: ['B'], line_start: 9, line_end: 12 });
});

it('gives the lines of the whole text including the overlap', () => {
  const lines = Array.from({ length: 40 }, (_, i) => `Line ${i + 1} of the text ends here.`);
  const chunks = located(lines.join('\n'), [{ at: 0, line: 1 }], { ...chunking, chunk_overlap: 80 });
  expect(chunks.length).toBeGreaterThan(4);
  for (const [i, { text, location }] of chunks.entries()) {
    const there = lines.slice(location.line_start! - 1, location.line_end).join('\n');
    expect(there.endsWith(text)).toBe(true);
    expect(there.split('\n')).toHaveLength(text.split('\n').length);
    if (i > 0) expect(location.line_start).toBeLessThanOrEqual(chunks[i - 1]!.location.line_end!);
  }
});

it('treats a page as a section, unless its first sentence began on the page before', () => {
  const pages = [sentences(24, 'pump'), sentences(24, 'heater'), sentences(10, 'filter').toLowerCase(), 'Short.'];
  const marks = pages.map((_, i) => ({ at: pages.slice(0, i).reduce((sum, page) => sum + page.length + 2, 0), page: i + 1 }));
  const chunks = located(pages.join('\n\n'), marks, { ...chunking, chunk_size: 1000 });
  expect(chunks.map(({ location }) => location.page)).toEqual([1, 2]);
  expect(chunks[0]!.text).toBe(pages[0]);
  expect(chunks[1]!.text).toContain('filter0000');
  expect(chunks[1]!.text).toContain('Short.');
});

it('repeats the text of a continued page as overlap', () => {
  const text = `${sentences(24, 'pump')}\n\n${sentences(24, 'heater')}`;
  const marks = [
    { at: 0, page: 1 },
    { at: text.indexOf('The heater'), page: 2 },
  ];
  const [, second] = located(text, marks, { ...chunking, chunk_size: 400, chunk_overlap: 150 });
  expect(second!.text.startsWith('The pump0012')).toBe(true);
  expect(second!.location.page).toBe(2);
});

it('locates a passage that ends on the next page on both pages, and one that begins there on that page', () => {
  const text = `${sentences(8, 'pump')} and the rest.\n\n${sentences(16, 'heater')}`;
  const marks = [
    { at: 0, page: 1 },
    { at: text.indexOf('and the rest'), page: 2 },
  ];
  const chunks = located(text, marks, { ...chunking, chunk_size: 1000 });
  expect(chunks.map(({ location }) => location)).toEqual([{ page: 1, page_end: 2 }, { page: 2 }]);
  expect(
    located(`${sentences(8, 'pump')}\n\nShort.`, [
      { at: 0, page: 1 },
      { at: sentences(8, 'pump').length + 2, page: 2 },
    ])[0]!.location,
  ).toEqual({ page: 1, page_end: 2 });
});

it('counts rows with the header as row 1 of the sheet, without the separator line', () => {
  const rows = Array.from({ length: 40 }, (_, i) => `| A-${i + 2} | Hall ${i % 7} |`);
  const text = `## Stock\n\n| Article | Hall |\n|---|---|\n${rows.join('\n')}\n\n## Visits\n\n| Visit | Hall |\n|---|---|\n| V-2 | Hall 9 |\n`;
  const marks = [
    { at: 0, sheet: 'Stock' },
    { at: text.indexOf('| Article'), sheet: 'Stock', row: 1 },
    { at: text.indexOf('## Visits'), sheet: 'Visits' },
    { at: text.indexOf('| Visit'), sheet: 'Visits', row: 1 },
  ];
  const chunks = located(text, marks);
  expect(chunks.length).toBeGreaterThan(3);
  expect(chunks.at(-1)!.location).toEqual({ headings: ['Visits'], sheet: 'Visits', row_start: 1, row_end: 2 });
  let next = 1;
  for (const { text: passage, location } of chunks.slice(0, -1)) {
    expect(location).toMatchObject({ sheet: 'Stock', row_start: next });
    expect(passage.endsWith(rows[location.row_end! - 2]!)).toBe(true);
    next = location.row_end! + 1;
  }
  expect(next).toBe(42);
});

it('continues counting from the row of a mark inside a table', () => {
  const text = '| A |\n|---|\n| r2 |\n| r9 |\n| r10 |\n';
  const marks = [
    { at: 0, row: 1 },
    { at: text.indexOf('| r9'), row: 9 },
  ];
  expect(located(text, marks)[0]!.location).toEqual({ row_start: 1, row_end: 10 });
});

it('uses the anchor of the section of the text, also below a title without text', () => {
  const text = `# Aqua\n\n## Descaling\n\n${sentences(12)}\n\n## Filter\n\n${sentences(12)}\n`;
  const marks = [{ at: 0 }, { at: text.indexOf('## Desc'), anchor: 'descaling' }, { at: text.indexOf('## Filter'), anchor: 'filter' }];
  expect(located(text, marks).map(({ location }) => [location.headings, location.anchor])).toEqual([
    [['Aqua', 'Descaling'], 'descaling'],
    [['Aqua', 'Filter'], 'filter'],
  ]);
});

it('lists the anchors of a passage with several, each with its first line', () => {
  const text = '# Settings\n\n**delay**\n\nForty seconds.\n\n**lamp**\n\nAmber.\n';
  const marks = [
    { at: 0, anchor: 'settings' },
    { at: text.indexOf('**delay'), anchor: 'set-delay' },
    { at: text.indexOf('**lamp'), anchor: 'set-lamp' },
  ];
  expect(located(text, marks)[0]!.location.anchors).toEqual([
    { line: 1, anchor: 'settings' },
    { line: 3, anchor: 'set-delay' },
    { line: 7, anchor: 'set-lamp' },
  ]);
  expect(located(text, marks.slice(0, 1))[0]!.location).not.toHaveProperty('anchors');
  expect(located(text, marks.slice(2))[0]!.location).toMatchObject({ anchors: [{ line: 7, anchor: 'set-lamp' }] });
});

it('omits unknown fields', () => {
  expect(located('Only text.', [])[0]!.location).toEqual({});
  expect(located('Only text.', [{ at: 5, page: 2 }])[0]!.location).toEqual({});
});
