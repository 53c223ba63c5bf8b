import { describe, expect, it } from 'vitest';
import { markWords, showHits, wrapped } from '../../../src/cli/printers/show-hits.ts';
import { failure } from '../../support/failures.ts';
import { paper } from '../../support/screen.ts';

describe('a long line', () => {
  it('is broken between words where the terminal ends, and a row of a table is not', () => {
    expect(wrapped('The filter is replaced every 90 days.', 16)).toEqual(['The filter is', 'replaced every', '90 days.']);
    expect(wrapped('| a row | of a table | is whole |', 16)).toEqual(['| a row | of a table | is whole |']);
    expect(wrapped('  indented', 80)).toEqual(['  indented']);
    expect(wrapped('averyverylongword', 5)).toEqual(['averyverylongword']);
  });

  it('is left alone where nobody looks at a terminal', () => {
    const text = 'word '.repeat(60).trim();
    const item = { id: 'a', chunk_id: 'a', text, metadata: { source: 'a.md' }, score: 0.5 };
    const result = { query: 'q', search_query: 'q', retrieved: 1, items: [item], failed: 0, errors: [] };
    const [plain, narrow] = [paper(), paper({ columns: 40 })];
    showHits(result, plain);
    showHits(result, narrow);
    expect(plain.out.filter((line) => line.includes('word'))).toHaveLength(1);
    expect(narrow.out.filter((line) => line.includes('word')).every((line) => line.length <= 40)).toBe(true);
  });
});

describe('hits of several collections', () => {
  const hit = (collection: string, score: number) => ({
    id: `${collection}${score}`,
    chunk_id: 'a',
    text: 'x',
    metadata: { source: 'a.md' },
    score,
    collection,
  });
  const shown = (...items: ReturnType<typeof hit>[]) => {
    const screen = paper();
    showHits({ query: 'q', search_query: 'q', retrieved: items.length, items, failed: 0, errors: [] }, screen);
    return screen.notes;
  };

  it('are said to stand in the order of their ranks where their scores do not fall', () => {
    expect(shown(hit('a', 0.8), hit('b', 0.3), hit('a', 0.7))).toEqual([
      expect.stringMatching(/^Several collections: the first hits of each/),
    ]);
    expect(shown(hit('a', 0.8), hit('b', 0.7), hit('a', 0.3))).toEqual([]);
  });
});

describe('words that match', () => {
  const mark = (word: string) => `<${word}>`;
  it('are marked in every form, and no others', () => {
    expect(markWords('Filters are replaced; the filter, the filtering. A film.', 'replace the filter', mark)).toBe(
      '<Filters> are <replaced>; the <filter>, the <filtering>. A film.',
    );
    expect(markWords('ERR-4042 and foo_bar (v2.3.1).', 'err-4042 foo_bar', mark)).toBe('<ERR-4042> and <foo_bar> (v2.3.1).');
    expect(markWords('L-200, L-210 and L-2100', 'L-210', mark)).toBe('L-200, <L-210> and L-2100');
    expect(markWords('nothing', '', mark)).toBe('nothing');
  });

  it('can not bring a sequence of the terminal along', () => {
    expect(markWords('the \u001b[2Jfilter', 'filter', mark)).toBe('the <filter>');
  });
});

describe('hits', () => {
  const item = {
    id: 'i',
    chunk_id: 'i',
    text: 'The filter.\n\nIt is replaced.\n',
    score: 0.8123,
    metadata: { source: 'a.md', title: 'Manual', location: { page: 2 } },
  };
  const result = { query: 'filter', search_query: 'filter', retrieved: 1, items: [item], failed: 0, errors: [] };
  it('are shown with title, score, place and passage', () => {
    const screen = paper();
    showHits(
      {
        ...result,
        items: [
          { ...item, metadata: { ...item.metadata, source: 'a  b.md' } },
          { ...item, rerank_score: 1.5, explain: { 'text\u0007': { weight: 0.5, rank: 2 }, fused: 0.12345 } },
        ],
      },
      screen,
    );
    expect(screen.out).toEqual([
      '1. Manual  0.81',
      '   a  b.md · page 2',
      '   The filter.',
      '',
      '   It is replaced.',
      '',
      '2. Manual  0.81, reranked 1.50',
      '   a.md · page 2',
      '   The filter.',
      '',
      '   It is replaced.',
      '   text weight 0.500 rank 2',
      '   fused 0.123',
    ]);
  });

  it('are broken between words where the terminal ends; tables and code are not', () => {
    const screen = paper({ columns: 30 });
    const text = [
      'The filter is replaced every ninety days.',
      '| a table | that is | far too long |',
      '    code that is far too long for it',
    ];
    const metadata = {
      source: 'a-folder/of-manuals.md',
      title: 'A manual of many words indeed',
      location: { page: 2, headings: ['Care'] },
    };
    showHits(
      { ...result, items: [{ ...item, text: text.join('\n'), metadata, explain: { text: { weight: 0.5, rank: 2, score: 7.21 } } }] },
      screen,
      { full: true },
    );
    expect(screen.out.join('\n').split('\n')).toEqual([
      '1. A manual of many words',
      '   indeed 0.81',
      '   a-folder/of-manuals.md ·',
      '   Care, page 2',
      '   The filter is replaced',
      '   every ninety days.',
      '   | a table | that is | far too long |',
      '       code that is far too long for it',
      '   text weight 0.500 rank 2',
      '   score 7.210',
    ]);
  });

  it('that are none are said to be none, but not where the search failed', () => {
    const nothing = paper();
    showHits({ ...result, retrieved: 0, items: [] }, nothing);
    expect([nothing.out, nothing.warnings]).toEqual([['Nothing was found.'], []]);
    const slip = paper();
    showHits({ ...result, retrieved: 0, items: [], notice: 'No chunk has it.' }, slip);
    expect(slip.out).toEqual(['Nothing was found. No chunk has it.']);
    const broken = paper();
    showHits(
      {
        ...result,
        retrieved: 0,
        items: [],
        failed: 1,
        errors: [{ ...failure('filter', 'There is no collection «x».'), source_kind: 'query' }],
      },
      broken,
    );
    expect([broken.out, broken.warnings]).toEqual([[], ['Error: There is no collection «x».']]);
  });
});
