import { describe, expect, it, test } from 'vitest';
import { markWords, showHits, wrapLine, cutSnippet, explainLines } from '../../../src/cli/printers/show-hits.ts';
import { failure } from '../../support/failures.ts';
import { paper } from '../../support/screen.ts';
import type { ChatExplain } from '../../../src/schema/answers.ts';

describe('a long line', () => {
  it('is broken between words at the end of the terminal, except rows of tables', () => {
    expect(wrapLine('The filter is replaced every 90 days.', 16)).toEqual(['The filter is', 'replaced every', '90 days.']);
    expect(wrapLine('| a row | of a table | is whole |', 16)).toEqual(['| a row | of a table | is whole |']);
    expect(wrapLine('  indented', 80)).toEqual(['  indented']);
    expect(wrapLine('averyverylongword', 5)).toEqual(['averyverylongword']);
  });

  it('is unchanged without a terminal', () => {
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

  it('are explained to be ordered by rank if their scores do not fall', () => {
    expect(shown(hit('a', 0.8), hit('b', 0.3), hit('a', 0.7))).toEqual([
      expect.stringMatching(/^Several collections: the first hits of each/),
    ]);
    expect(shown(hit('a', 0.8), hit('b', 0.7), hit('a', 0.3))).toEqual([]);
  });
});

describe('words that match the query', () => {
  const mark = (word: string) => `<${word}>`;
  it('are marked in every form, and no others', () => {
    expect(markWords('Filters are replaced; the filter, the filtering. A film.', 'replace the filter', mark)).toBe(
      '<Filters> are <replaced>; the <filter>, the <filtering>. A film.',
    );
    expect(markWords('ERR-4042 and foo_bar (v2.3.1).', 'err-4042 foo_bar', mark)).toBe('<ERR-4042> and <foo_bar> (v2.3.1).');
    expect(markWords('L-200, L-210 and L-2100', 'L-210', mark)).toBe('L-200, <L-210> and L-2100');
    expect(markWords('nothing', '', mark)).toBe('nothing');
  });

  it('cannot contain a sequence for the terminal', () => {
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

  it('are broken between words at the end of the terminal, except tables and code', () => {
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

  it('that are missing are reported, unless the search failed', () => {
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
        errors: [{ ...failure('filter', 'There is no collection "x".'), source_kind: 'query' }],
      },
      broken,
    );
    expect([broken.out, broken.warnings]).toEqual([[], ['Error: There is no collection "x".']]);
  });
});

const PASSAGE = `# Filters

The pump has two of them. They are made of steel. The filter is replaced every ninety days. Close the valve before you open the cover.
It is easy.

Used ones go into the red bin. Nothing else does. New ones are in the store, on the shelf behind the door.`;

describe('snippetOf', () => {
  it('returns the sentence with most words of the query and its surroundings, with ellipses', () => {
    expect(cutSnippet(PASSAGE, 'How often is the filter replaced?', 40)).toEqual([
      '… They are made of steel. The filter is',
      'replaced every ninety days. Close the',
      'valve before you open the cover. …',
    ]);
  });

  it('adds text before a sentence at the end', () => {
    expect(cutSnippet(PASSAGE, 'new shelf', 60)).toEqual([
      '… It is easy.',
      'Used ones go into the red bin. Nothing else does. New ones',
      'are in the store, on the shelf behind the door.',
    ]);
  });

  it('returns a whole short passage without its heading, and the beginning if no word matches', () => {
    expect(cutSnippet('# Care\n\nThe filter.\n\nIt is replaced.', 'filter', 40)).toEqual(['The filter.', 'It is replaced.']);
    expect(cutSnippet(PASSAGE, 'canteen', 60)[0]).toMatch(/^The pump has two/);
    expect(cutSnippet('# Care', 'care', 40)).toEqual(['# Care']);
  });

  it('returns at most three lines, and cuts long sentences and rows', () => {
    const long = `${'word '.repeat(60)}the filter is replaced ${'word '.repeat(60)}`.trim();
    const lines = cutSnippet(long, 'replace filter', 40);
    expect(lines).toHaveLength(3);
    expect(lines.join(' ')).toContain('the filter is replaced');
    const rows = Array.from({ length: 9 }, (_, i) => `| ${i} | ${i === 6 ? 'filter' : 'pump'} | ${'cell '.repeat(20)}|`).join('\n');
    const table = cutSnippet(rows, 'filter', 40);
    expect(table.length).toBeLessThanOrEqual(3);
    expect(table.every((line) => line.length <= 40)).toBe(true);
    expect(table.join('\n')).toContain('filter');
  });
});

const asked = { query: 'Both?', search_query: 'Both?' };
const explain: ChatExplain = {
  thresholds: { min_retrieval_score: 0.33 },
  searched: ['Both?', 'One\u0007?', 'Two?'],
  passages: [
    {
      id: 'a',
      title: 'Pump\u001b[2J',
      source: 'pump.md',
      rank: 1,
      score: 0.812_34,
      rerank_score: 2,
      arms: { text: { weight: 0.5, rank: 1, score: 7.2 }, fused: 1 },
      citation: 1,
      cited: true,
    },
    { id: 'b', title: 'Bell', source: 'bell.md', rank: 2, score: 0.1, rejected: 'min_retrieval_score', cited: false },
    { id: 'c', title: 'Lamp', source: 'lamp.md', rank: 3, score: 0.5, rejected: 'room', cited: false },
  ],
  stages: [
    { stage: 'retrieval', milliseconds: 12.5 },
    { stage: 'generation', milliseconds: 800 },
  ],
  calls: [
    {
      stage: 'generate',
      provider: 'openai',
      model: 'm',
      input_tokens: 11,
      output_tokens: 7,
      milliseconds: 790,
      messages: [{ role: 'system', content: 'Rules.\nMore\u0007 rules.' }],
    },
  ],
  window: { context_window: 8000, max_tokens: 1024 },
};

test('each passage, model call and stage has its line, without sequences for the terminal', () => {
  expect(explainLines(asked, explain)).toEqual([
    'searched for:',
    '  Both?',
    '  One?',
    '  Two?',
    'thresholds: min_retrieval_score 0.330',
    'passages:',
    '  1. Pump — pump.md: score 0.812; reranked 2; text weight 0.500 rank 1 score 7.200; fused 1: given as [1], cited',
    '  2. Bell — bell.md: score 0.100: below min_retrieval_score',
    '  3. Lamp — lamp.md: score 0.500: left out: no room',
    'window: 8000 tokens, 1024 of them for the answer',
    'asked:',
    '  generate: openai / m, 11 tokens in, 7 out, 790 ms',
    '    system:',
    '      Rules.',
    '      More rules.',
    'time: retrieval 12.5 ms, generation 800 ms',
  ]);
});

test('a turn without search and model has no explanation', () => {
  expect(explainLines(asked, { thresholds: {}, passages: [], stages: [], calls: [] })).toEqual([]);
});

test('a rewritten question is shown as it was searched for', () => {
  const rewritten = { query: 'And the seals?', search_query: 'How long is the\nwarranty\u0007 on the seals?' };
  expect(explainLines(rewritten, { thresholds: {}, passages: [], stages: [], calls: [] })).toEqual([
    'searched for: How long is the warranty on the seals?',
  ]);
});

test('a declined answer and an answerer without a prompt have their lines', () => {
  const [call] = explain.calls;
  expect(
    explainLines(asked, {
      thresholds: {},
      passages: [],
      declined: 'Nothing was\u0007 found.',
      stages: [],
      calls: [{ ...call!, provider: 'local', model: 'extractive', messages: [] }],
    }),
  ).toEqual([
    'declined: Nothing was found.',
    'asked:',
    '  generate: local / extractive, 11 tokens in, 7 out, 790 ms',
    '    local quotes the passages and is sent no prompt',
  ]);
});
