import { expect, test } from 'vitest';
import { chunkDocument } from '../../../src/stages/chunk/chunk.ts';
import { type LineRange, locateQuote, toSources } from '../../../src/stages/chat/cited-sources.ts';
import type { Location } from '../../../src/schema/items.ts';

const CHUNKING = { chunk_size: 1000, chunk_overlap: 0, min_chunk_length: 200 };

/** The only chunk of a Markdown file, with the line of its text that holds `words`. */
function chunkOf(text: string, words: string) {
  const document = { id: 'd', source: 'd.md', title: 'Guide', text, metadata: {}, marks: [{ at: 0, line: 1 }] };
  const chunks = chunkDocument(document, CHUNKING);
  const chunk = chunks.find((one) => one.text.includes(words))!;
  const line = chunk.text.split('\n').findIndex((one) => one.includes(words));
  return { chunks, chunk, location: chunk.metadata.location as Location, lines: [line, line] as const };
}

/** Where the words stand that are quoted. */
function placed(text: string, words: string): Location {
  const { chunk, location, lines } = chunkOf(text, words);
  return locateQuote(chunk.text, location, [lines]);
}

const merged = '# Guide\n\n## Care\n\n### Filter\n\nRinse it weekly.\n\n### Pump\n\nOil it yearly.\n\n## Returns\n\nWithin 30 days.';

test('cites a quoted sentence with its own headings and lines, not those of the whole chunk', () => {
  expect(chunkOf(merged, 'Rinse').chunks).toHaveLength(1);
  expect(placed(merged, 'Rinse it')).toEqual({ headings: ['Guide', 'Care', 'Filter'], line_start: 7, line_end: 7 });
  expect(placed(merged, 'Oil it')).toEqual({ headings: ['Guide', 'Care', 'Pump'], line_start: 11, line_end: 11 });
  expect(placed(merged, 'Within 30')).toEqual({ headings: ['Guide', 'Returns'], line_start: 15, line_end: 15 });
});

test('gives a location that applies to the whole chunk, or to all quotations', () => {
  const { chunk, location } = chunkOf(merged, 'Rinse');
  expect(locateQuote(chunk.text, location).headings).toEqual(['Guide']);
  expect(locateQuote(chunk.text, location)).toMatchObject({ line_start: location.line_start, line_end: location.line_end });
  expect(
    locateQuote(chunk.text, location, [
      [6, 6],
      [10, 10],
    ]),
  ).toEqual({ headings: ['Guide', 'Care'], line_start: 7, line_end: 11 });
});

test('keeps the location of a chunk with one section', () => {
  const text = `# Guide\n\n## Care\n\n${'Rinse the filter every week. '.repeat(12)}`;
  const { chunk, location } = chunkOf(text, 'Rinse');
  const { offset: _offset, ...place } = location;
  expect(locateQuote(chunk.text, location)).toEqual(place);
  expect(placed(text, 'Rinse').headings).toEqual(['Guide', 'Care']);
});

test('does not cite a short section under the heading of the long one after it', () => {
  const long = 'Everything else is told here at length. '.repeat(8);
  const text = `## Notes\n\nMind the step.\n\n# Part two\n\n## Rules\n\n${long}`;
  expect(placed(text, 'Mind the step').headings).toEqual(['Notes']);
  expect(placed(text, 'Everything').headings).toEqual(['Part two', 'Rules']);
});

test('cites a short section at the end of a continued long one under its own heading only, because the headings above are unknown', () => {
  const location = { headings: ['Guide', 'Care'], line_start: 40, line_end: 44, anchor: 'care' };
  const text = 'It goes on.\n\n## Returns\n\nWithin 30 days.';
  expect(locateQuote(text, location, [[4, 4]])).toEqual({ headings: ['Returns'], line_start: 44, line_end: 44 });
  expect(locateQuote(text, location, [[0, 0]])).toEqual({ headings: ['Guide', 'Care'], line_start: 40, line_end: 40, anchor: 'care' });
});

test('counts lines from the end in a chunk with overlap, and uses those of the chunk if that is impossible', () => {
  const repeated = 'Before it.\nRinse it.\n\nOil it.';
  expect(locateQuote(repeated, { line_start: 10, line_end: 12 }, [[3, 3]])).toEqual({ line_start: 12, line_end: 12 });
  expect(locateQuote(repeated, { line_start: 10, line_end: 12 }, [[0, 0]])).toEqual({ line_start: 10, line_end: 12 });
  expect(locateQuote('```\nkb x\n```', { line_start: 10, line_end: 11 }, [[1, 1]])).toEqual({ line_start: 10, line_end: 11 });
});

test('cites a quoted row by its number if every row of the chunk is one line', () => {
  const table = '| Code | Meaning |\n| --- | --- |\n| E1 | hot |\n| E2 | cold |\n| E3 | wet |';
  const location = { sheet: 'Codes', row_start: 5, row_end: 7 };
  expect(locateQuote(table, location, [[3, 3]])).toEqual({ sheet: 'Codes', row_start: 6, row_end: 6 });
  expect(locateQuote(table, location)).toEqual(location);
  expect(locateQuote(table, { ...location, row_end: 9 }, [[3, 3]])).toEqual({ ...location, row_end: 9 });
});

test('does not take a line of code for a heading', () => {
  const text = '## Care\n\n```sh\n# rinse\n```\n\nOil it.';
  expect(locateQuote(text, { headings: ['Care'] }, [[6, 6]])).toEqual({ headings: ['Care'] });
});

test('cites a row by its own number in the first chunk of a table, and in a later one with a repeated header', () => {
  const row = (i: number) => `| P-${i} | Part ${i} of the machine, as it is sold |`;
  const text = `| Part | Name |\n|---|---|\n${Array.from({ length: 40 }, (_, i) => row(i + 2)).join('\n')}`;
  const document = { id: 'd', source: 'd.csv', title: 'Parts', text, metadata: {}, marks: [{ at: 0, row: 1 }] };
  const chunks = chunkDocument(document, { ...CHUNKING, chunk_size: 600 });
  expect(chunks.length).toBeGreaterThan(2);
  for (const { text: whole, metadata } of chunks) {
    for (const [i, line] of whole.split('\n').entries()) {
      const number = /P-(\d+)/.exec(line)?.[1];
      if (number)
        expect(locateQuote(whole, metadata.location as Location, [[i, i]])).toEqual({ row_start: Number(number), row_end: Number(number) });
    }
  }
});

test('reads a line that is built to be slow in little time, and not as a heading', () => {
  const long = 200_000; // A time that grows with the square of it would be minutes.
  for (const line of [`# a${' '.repeat(long)}b`, `${'['.repeat(long)}\n===`])
    expect(locateQuote(line, { headings: ['Manual'] }, [[0, 0]])).toEqual({ headings: ['Manual'] });
});

test('cites a quoted block with its own rectangles, and a whole chunk with all of them', () => {
  const box = (top: number) => ({ page: 3, left: 0.1, top, width: 0.8, height: 0.05 });
  const location = { page: 3, page_ratio: 0.7, boxes: [box(0.1), { ...box(0.2), line: 3 }, { ...box(0.3), line: 5 }] };
  const item = { id: 'c', chunk_id: 'c', text: 'One.\n\nTwo.\n\nThree.', score: 1, metadata: { source: 'd.pdf', location } };
  const boxesOf = (lines?: readonly LineRange[]) =>
    toSources([item], { cited: new Set([1]), ...(lines ? { quoted: new Map([['c', lines]]) } : {}) })[0]!.location.boxes;
  expect(boxesOf()).toEqual(location.boxes);
  expect(boxesOf([[2, 2]])).toEqual([box(0.2)]);
  expect(boxesOf([[0, 0], [4, 4]])).toEqual([box(0.1), box(0.3)]); // prettier-ignore
});

test('cites a quoted block with its own page, and one on several pages with all of them', () => {
  const box = (page: number) => ({ page, left: 0.1, top: 0.1, width: 0.8, height: 0.05 });
  const location = { page: 3, page_end: 4, boxes: [box(3), box(4), { ...box(4), line: 3 }] };
  const item = { id: 'c', chunk_id: 'c', text: 'One, in two parts.\n\nTwo.', score: 1, metadata: { source: 'd.pdf', location } };
  const pagesOf = (lines: readonly LineRange[]) => {
    const { page, page_end } = toSources([item], { cited: new Set([1]), quoted: new Map([['c', lines]]) })[0]!.location;
    return [page, page_end];
  };
  expect(pagesOf([[2, 2]])).toEqual([4, undefined]);
  expect(pagesOf([[0, 0]])).toEqual([3, 4]);
});

test('cites the anchor nearest above the quoted lines', () => {
  const text = '# Settings\n\n**delay**\n\nForty seconds.\n\n**lamp**\n\nAmber.';
  const anchors = [
    { line: 1, anchor: 'settings' },
    { line: 3, anchor: 'set-delay' },
    { line: 7, anchor: 'set-lamp' },
  ];
  const location = { headings: ['Settings'], anchor: 'settings', anchors };
  const lineOf = (words: string) => text.split('\n').indexOf(words);
  expect(locateQuote(text, location, [[lineOf('Forty seconds.'), lineOf('Forty seconds.')]])).toEqual({
    headings: ['Settings'],
    anchor: 'set-delay',
  });
  expect(locateQuote(text, location, [[lineOf('**lamp**'), lineOf('Amber.')]])).toEqual({ headings: ['Settings'], anchor: 'set-lamp' });
  expect(locateQuote(text, location)).toEqual({ headings: ['Settings'], anchor: 'settings' });
});

test('cites the anchor of a later section, whose headings above are uncertain', () => {
  const text = 'Rinse it.\n\n# Returns\n\nWithin 30 days.';
  const location = {
    headings: ['Guide', 'Care'],
    anchor: 'care',
    anchors: [
      { line: 1, anchor: 'care' },
      { line: 3, anchor: 'returns' },
    ],
  };
  expect(locateQuote(text, location, [[4, 4]]).anchor).toBe('returns');
  expect(locateQuote(text, location, [[0, 0]]).anchor).toBe('care');
});
