import { describe, expect, it } from 'vitest';
import { answerPrinter, hasNoAnswer, showSources, sourceLine } from '../../src/cli/printers/show-answer.ts';
import { size } from '../../src/text/count.ts';
import { printCollection, printCollections } from '../../src/cli/printers/show-collections.ts';
import { markWords, showHits, wrapped } from '../../src/cli/printers/show-hits.ts';
import { failureLine, showIngest } from '../../src/cli/printers/show-ingest.ts';
import type { Source, ErrorItem } from '../../src/schema/items.ts';
import type { ChatResult } from '../../src/schema/answers.ts';
import { IngestReport } from '../../src/stages/ingest/ingest-report.ts';
import { paper } from '../support/screen.ts';

const failure = (source: string, error: string): ErrorItem => ({
  source,
  source_kind: 'path',
  stage: 'convert',
  error,
  isRetryable: false,
  attempts: 1,
});

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

describe('the end of an ingest', () => {
  const report = (over: object = {}) => ({
    ...new IngestReport({ names: ['docs'], provider: 'lancedb', collection: 'manuals', lists: false }).result,
    ...over,
  });
  const said = (over: object, view: object = {}) => {
    const screen = paper();
    showIngest(report(over), { screen, milliseconds: 1234, dry_run: false, flags: {}, ...view });
    return screen;
  };

  it('names a file once that a note names', () => {
    const notices = ['A file is empty and was passed over: b/empty.md.'];
    const rows = (passed_over: string[]) => said({ unchanged: 1, passed_over, notices }).out.slice(2, -1);
    expect(rows(['b/empty.md'])).toEqual([`  note         ${notices[0]}`]);
    expect(rows(['a.zip', 'b/empty.md'])).toEqual(['  passed over  1 file not read: a.zip', `  note         ${notices[0]}`]);
  });

  it('counts the files that a note has with those that it names in no other row', () => {
    const notices = ['3 pictures were not read: a.png, b.png and 1 more.'];
    const { out } = said({ unchanged: 1, passed_over: ['a.png', 'b.png', 'c.png', 'd.svg', 'LICENSE'], notices });
    expect(out).toContain('  passed over  2 files not read: d.svg, LICENSE');
  });

  it('says what was done, what was not, and what to type next', () => {
    const { out, warnings } = said(
      {
        sources: 1,
        chunks: 1200,
        stored: 1200,
        embedded: 1000,
        reused: 200,
        unchanged: 2,
        passed_over: ['a.zip', 'b.zip', 'c.zip', 'LICENSE'],
        pruned: ['x', 'y', 'z', 'w'],
        failed: 1,
        errors: [failure('c.pdf', 'c.pdf is broken.')],
      },
      { flags: { docs: ['.'], collection: 'manuals', config: 'k.yaml' } },
    );
    expect(out).toEqual([
      'Stored 1,200 chunks of 1 document in «manuals», 1 failure, 1.2 s.',
      '  unchanged    2 documents stored already as they are: skipped',
      '  embedded     1,000 chunks; 200 kept the vector that they had',
      '  pruned       4 documents that are gone: x, y, z and 1 more',
      '  passed over  4 files not read: .zip, no extension',
      'Next: kb retrieve "…" --config k.yaml --collection manuals   or   kb chat --config k.yaml --collection manuals',
    ]);
    expect(warnings).toEqual(['1 item failed:', '  c.pdf is broken.']);
  });

  it('names the few files that it passed over, and what is gone but stored still', () => {
    const { out } = said({ unchanged: 1, passed_over: ['a.zip', 'LICENSE'], gone: ['old.md'] });
    expect(out.slice(1, -1)).toEqual([
      '  unchanged    1 document stored already as it is: skipped',
      '  gone         1 document that is stored still; --prune removes it: old.md',
      '  passed over  2 files not read: a.zip, LICENSE',
    ]);
  });

  it('goes on below its text where the terminal ends', () => {
    const screen = paper({ columns: 40 });
    showIngest(report({ unchanged: 2, passed_over: ['docs/photo.jpg', 'docs/empty.md'] }), {
      screen,
      milliseconds: 1234,
      dry_run: false,
      flags: {},
    });
    expect(screen.out.slice(1, -1).join('\n').split('\n')).toEqual([
      '  unchanged    2 documents stored',
      '               already as they are:',
      '               skipped',
      '  passed over  2 files not read:',
      '               docs/photo.jpg,',
      '               docs/empty.md',
    ]);
  });

  it('tells what a person should know although nothing failed', () => {
    const { out } = said({ unchanged: 1, notices: ['The crawl was cut off at 200 pages.\u001b[2J'] });
    expect(out.slice(2, -1)).toEqual(['  note         The crawl was cut off at 200 pages.']);
    const many = said({ notices: Array.from({ length: 12 }, (_, i) => `Notice ${i}.`) }).out;
    expect(many.slice(-2)).toEqual(['  note         Notice 9.', '  note         … and 2 more; --json lists them.']);
  });

  it('says with --quiet what failed, and nothing else', () => {
    const quiet = paper({ quiet: true });
    const done = report({ unchanged: 1, notices: ['It was cut off.'], failed: 1, errors: [failure('a', 'a is broken.')] });
    showIngest(done, { screen: quiet, milliseconds: 1, dry_run: false, flags: {} });
    expect([quiet.out, quiet.warnings]).toEqual([[], ['1 item failed:', '  a is broken.']]);
  });

  it('says how to go on after what may pass', () => {
    const later = { failed: 1, errors: [{ ...failure('a', 'a is down.'), isRetryable: true }] };
    expect(said(later).warnings.at(-1)).toMatch(/the same command again/);
    expect(said(later, { dry_run: true }).warnings.at(-1)).toBe('  a is down.');
    expect(said({ failed: 1, errors: [failure('a', 'a is broken.')] }).warnings.at(-1)).toBe('  a is broken.');
  });

  it('has a headline for every end', () => {
    const headline = (over: object, view = {}) => said(over, view).out[0];
    expect(headline({})).toBe('Found no documents for «manuals», 1.2 s.');
    expect(headline({ unchanged: 3 })).toBe('Nothing has changed in «manuals», 1.2 s.');
    expect(headline({ unchanged: 3, failed: 2 })).toBe('Nothing has changed in «manuals», 2 failures, 1.2 s.');
    expect(headline({ failed: 1 })).toBe('Nothing was stored in «manuals», 1 failure, 1.2 s.');
    expect(headline({ failed: 1 }, { dry_run: true })).toBe('Nothing would be stored in «manuals», 1 failure, 1.2 s.');
    expect(headline({ unchanged: 3, failed: 1, pruned: ['a'] })).toBe('Removed 1 document from «manuals», 1 failure, 1.2 s.');
    expect(headline({ unchanged: 3, pruned: ['a'] })).toBe('Removed 1 document from «manuals», 1.2 s.');
    expect(headline({ unchanged: 3, pruned: ['a', 'b'] }, { dry_run: true })).toBe('Would remove 2 documents from «manuals», 1.2 s.');
    expect(headline({ sources: 2, chunks: 9 }, { dry_run: true })).toBe('Would store 9 chunks of 2 documents in «manuals», 1.2 s.');
    expect(said({ sources: 2, chunks: 9 }, { dry_run: true }).out).toHaveLength(1);
    expect(said({ failed: 1, errors: [failure('a', 'a is broken.')] }).out).toHaveLength(1);
  });

  it('lists no more failures than a screen holds', () => {
    const errors = Array.from({ length: 25 }, (_, i) => failure(`${i}.md`, 'It is broken.'));
    const { warnings } = said({ failed: 25, errors });
    expect(warnings).toHaveLength(22);
    expect(warnings.at(-1)).toBe('  … and 5 more; --json lists them.');
  });

  it('names the source of a failure once, and lets nothing in it act on the terminal', () => {
    expect(failureLine(failure('a.md', 'a.md is empty.'))).toBe('a.md is empty.');
    expect(failureLine(failure('a.md', 'It is empty.'))).toBe('a.md: It is empty.');
    expect(failureLine(failure('', 'The query is empty.'))).toBe('The query is empty.');
    expect(failureLine(failure('a\u001b[2J.md', 'It is empty.'))).toBe('a.md: It is empty.');
  });
});

describe('collections', () => {
  const collection = {
    name: 'manuals',
    embedding: { provider: 'local', model: 'm' },
    dimensions: 384,
    chunks: 1,
    sources: 1,
    bytes: 1_234_567,
  };
  it('are shown a line each, or with all that is known of one', () => {
    const screen = paper();
    printCollections([collection, { ...collection, name: 'x', dimensions: 0, chunks: 2000, sources: 10, bytes: null }], screen);
    expect(screen.out).toEqual([
      'manuals  1 document, 1 chunk, 1.2 MB; local / m, 384 dimensions',
      'x        10 documents, 2,000 chunks; words alone',
    ]);
    const one = paper();
    printCollection(collection, one);
    expect(one.out[0]).toBe('manuals');
    expect(one.out.slice(1).map((line) => line.trim().split(/\s+/)[0])).toEqual(['documents', 'chunks', 'on', 'embedded']);
    const none = paper();
    printCollections([], none);
    expect(none.out).toEqual(['There are no collections yet. Next: kb ingest --docs FOLDER']);
  });

  it.each([
    [0, '0 B'],
    [999, '999 B'],
    [1000, '1.0 kB'],
    [2.5e9, '2.5 GB'],
    [9e15, '9000.0 TB'],
  ])('have a size: %d is %s', (bytes, said) => {
    expect(size(bytes)).toBe(said);
  });
});

describe('an answer', () => {
  const source: Source = {
    id: 'i',
    title: 'Manual',
    score: 0.7,
    metadata: { source: 'a.md' },
    citation: 1,
    cited: true,
    text: 'It is.',
    location: { page: 2 },
  };
  const result = {
    answer: 'It is [1].',
    sources: [source, { ...source, id: 'j', citation: 2, cited: false }],
    history: [],
    retrieval: { query: 'What is it?', outputs: [] },
    errors: [],
    answer_confidence: { level: 'high', reason: 'retrieval_quality_pass' },
    retrieval_quality: { status: 'passed', passed_chunks: 2 },
  } as unknown as ChatResult;

  it('is followed by what it cites, and by that alone', () => {
    const screen = paper();
    showSources(result, screen);
    expect(screen.out).toEqual(['', '[1] Manual — a.md · page 2']);
    expect(sourceLine({ ...source, title: 'M\u001b[2J' }, screen)).toBe('[1] M — a.md · page 2');
  });

  it('says when little stands behind it, and what went wrong', () => {
    const screen = paper();
    showSources(
      {
        ...result,
        answer_confidence: { level: 'low', reason: 'retrieval_quality_low_confidence' },
        retrieval_quality: { status: 'low_confidence', passed_chunks: 0 },
        errors: [failure('q', 'The rewrite failed.')],
      },
      screen,
    );
    expect(screen.out[0]).toBe('\nLow confidence: the collection holds little about this.');
    expect(screen.warnings).toEqual(['Note: q: The rewrite failed.']);
  });

  it('that may not be the answer says so in one line, and shows three passages to look at', () => {
    const screen = paper();
    const others = [2, 3, 4].map((citation) => ({ ...source, citation, cited: false, title: `Page ${citation}` }));
    const uncertain = { level: 'low', reason: 'answer_uncertain', probability: 0.5 } as const;
    const retrieval_quality = { status: 'passed', passed_chunks: 4 } as const;
    showSources({ ...result, sources: [{ ...source, cited: true }, ...others], answer_confidence: uncertain, retrieval_quality }, screen);
    expect(screen.out).toEqual([
      '\nLow confidence: this may not be the answer, or not all of it.',
      '',
      '[1] Manual — a.md · page 2',
      '\nSee also:',
      '– Page 2 — a.md · page 2',
      '– Page 3 — a.md · page 2',
    ]);
  });

  it('is doubted in the language of the question, or of the one before it', () => {
    const uncertain = { level: 'low', reason: 'answer_uncertain', probability: 0.5 } as const;
    const doubted = (query: string, before = '') => {
      const screen = paper();
      const history = [{ role: 'user' as const, content: before }];
      const retrieval = { query, search_query: query, retrieved: 0, outputs: [], failed: 0, errors: [] };
      const sources = [source, { ...source, cited: false, title: 'Care' }];
      showSources({ ...result, sources, history, retrieval, answer_confidence: uncertain }, screen);
      return screen.out.filter((line) => /:$|: /.test(line));
    };
    expect(doubted('Wie lange hält der Filter?')).toEqual([
      '\nWenig Gewähr: Das ist vielleicht nicht die Antwort, oder nicht die ganze.',
      '\nSiehe auch:',
    ]);
    expect(doubted('Combien de temps dure le filtre ?')).toContain('\nVoir aussi :');
    expect(doubted('ERR-4042', '¿Cuánto dura el filtro?')).toContain('\nVéase también:');
  });

  it('that may not be the answer names nothing else with --quiet', () => {
    const screen = paper({ quiet: true });
    showSources({ ...result, answer_confidence: { level: 'low', reason: 'answer_uncertain', probability: 0.5 } }, screen);
    expect(screen.out.slice(1)).toEqual(['', '[1] Manual — a.md · page 2']);
  });

  it('that may not be the answer shows what was found beside its sources, too', () => {
    const screen = paper();
    const metadata = { source: 'b.md', title: 'Care', location: { headings: ['Seals'], line_start: 4 } };
    const outputs = [
      { id: source.id, chunk_id: source.id, text: 'It is.', score: 0.7, metadata: source.metadata },
      { id: 'k', chunk_id: 'k', text: 'Seals wear.', score: 0.2, metadata },
      { id: 'l', chunk_id: 'l', text: 'More.', score: 0.1, metadata: { source: 'c.md' } },
    ];
    const retrieval = { query: 'q', search_query: 'q', retrieved: 3, outputs, failed: 0, errors: [] };
    const answer_confidence = { level: 'low', reason: 'answer_uncertain', probability: 0.5 } as const;
    showSources({ ...result, sources: [source], retrieval, answer_confidence }, screen);
    expect(screen.out.slice(3)).toEqual(['\nSee also:', '– Care — b.md · Seals, line 4', '– c.md — c.md']);
  });

  it('that may not be the answer names each place once', () => {
    const screen = paper();
    const others = ['Manual', 'Care', 'Care', 'Parts'].map((title, i) => ({
      ...source,
      id: `o${i}`,
      citation: i + 2,
      cited: false,
      title,
    }));
    const answer_confidence = { level: 'low', reason: 'answer_uncertain', probability: 0.5 } as const;
    showSources({ ...result, sources: [{ ...source, cited: true }, ...others], answer_confidence }, screen);
    expect(screen.out.slice(3)).toEqual(['\nSee also:', '– Care — a.md · page 2', '– Parts — a.md · page 2']);
  });

  it('names a page and its headings as they stand above the quotation', () => {
    const screen = paper();
    showSources({ ...result, sources: [{ ...source, cited: true, location: { headings: ['Manual', 'Seals'], line_start: 4 } }] }, screen);
    expect(screen.out).toContain('[1] Manual — a.md · Seals, line 4');
  });

  it('whose search query and words failed alike says so once', () => {
    const screen = paper();
    const refused = { ...failure('q', 'It answered 401.'), source_kind: 'chat' as const };
    showSources({ ...result, answer: '', sources: [], errors: [{ ...refused, source_kind: 'query' }, refused] }, screen);
    expect(screen.warnings).toEqual(['Error: It answered 401.']);
  });

  it('that declines is followed by what was found, and by no remark that says the same', () => {
    const screen = paper();
    const none = { level: 'none', reason: 'retrieval_quality_low_confidence' } as const;
    showSources({ ...result, sources: [{ ...source, cited: false }], answer_confidence: none }, screen);
    expect(screen.out.map((line) => line.trim()).slice(0, 2)).toEqual(['See also:', expect.stringContaining(source.title)]);
  });

  it('that cites nothing, or cites wrongly, says so as well; a greeting does not', () => {
    const doubt = (over: Partial<ChatResult>) => {
      const screen = paper();
      showSources({ ...result, ...over }, screen);
      return screen.out[0];
    };
    expect(doubt({ sources: [{ ...source, cited: false }] })).toBe('\nLow confidence: the answer cites no source.');
    const low = { level: 'low', reason: 'retrieval_quality_low_confidence' } as const;
    const ofQuality = (passed_chunks: number) =>
      doubt({ answer_confidence: low, retrieval_quality: { status: 'low_confidence', passed_chunks } });
    expect(ofQuality(0)).toBe('\nLow confidence: the collection holds little about this.');
    expect(ofQuality(2)).toBe('\nLow confidence: this may not be the answer, or not all of it.');
    const wrong = { level: 'low', reason: 'citations_unsupported' } as const;
    expect(doubt({ answer_confidence: wrong })).toBe('\nLow confidence: the cited sources do not support all of it.');
    expect(doubt({ sources: [], answer_confidence: { level: 'none', reason: 'direct_intent' } })).toBeUndefined();
    expect(doubt({ sources: [], answer: '', answer_confidence: { level: 'none', reason: 'errors' } })).toBeUndefined();
    expect(doubt({})).toBe('');
  });

  it('that failed says how often it was tried', () => {
    expect(failureLine({ ...failure('q', 'It answered 500.'), source_kind: 'chat', attempts: 4 })).toBe(
      'It answered 500. It was tried 4 times.',
    );
  });

  it('that broke off is marked where its words stand', () => {
    const screen = paper({ columns: 40 });
    const printer = answerPrinter(screen);
    printer.onEvent(event('token', 'generation', { text: 'It **is' }));
    printer.result({ ...result, answer: '', sources: [], answer_confidence: { level: 'none', reason: 'errors' } });
    expect(screen.out.join('')).toBe('It **is\n… (the answer broke off)');
    const whole = paper();
    answerPrinter(whole).result({ ...result, answer: '', sources: [] });
    expect(whole.out).toEqual([]);
  });

  it('that is waited for says why: on the line of what is done, or as a note where nobody looks at one', () => {
    const wait = { ...event('progress', 'generation', { wait: 12, attempt: 2, attempts: 4 }), message: 'Waiting 12 s\u001b[2J.' };
    const seen = paper({ isTerminal: true });
    answerPrinter(seen).onEvent(wait);
    expect([seen.states, seen.notes]).toEqual([['Waiting 12 s.'], []]);
    const piped = paper();
    answerPrinter(piped).onEvent(wait);
    expect([piped.states, piped.notes]).toEqual([[], ['Waiting 12 s.']]);
  });

  it('is a failure for a script where there is none', () => {
    expect(hasNoAnswer(result)).toBe(false);
    expect(hasNoAnswer({ ...result, answer: '' })).toBe(true);
    expect(hasNoAnswer({ ...result, answer_confidence: { level: 'none', reason: 'errors' } })).toBe(true);
  });

  const event = (type: 'token' | 'progress', stage: string, data: Record<string, unknown>) => ({
    type,
    stage,
    data,
    message: '',
    sequence: 0,
  });
  const heard = (screen: ReturnType<typeof paper>) => {
    const printer = answerPrinter(screen);
    printer.onEvent(event('progress', 'chat', {}));
    printer.onEvent(event('progress', 'chat', { search_query: 'q' }));
    printer.onEvent(event('progress', 'retrieval', { retrieved: 3 }));
    printer.onEvent(event('progress', 'generation', { sources: 2 }));
    for (const text of ['It **is', '** so [', '1].\n| a |', ' b |\n']) printer.onEvent(event('token', 'generation', { text }));
    return printer;
  };

  it('is drawn on a terminal while it is written, and says what is done until something is to be seen', () => {
    const screen = paper({ columns: 30 });
    const printer = heard(screen);
    expect(screen.states).toEqual(['Reading the question…', 'Searching…', 'Reading 2 passages…', 'Writing…', 'Writing…']);
    expect(screen.out.join('')).toBe('It is so [1].\n');
    printer.result(result);
    printer.end();
    expect(screen.out.join('')).toBe('It is so [1].\n| a | b |\n[1] Manual — a.md · page 2');
    expect(screen.states.at(-1)).toBeUndefined();
  });

  it('is the Markdown that it is where nobody looks at a terminal', () => {
    const screen = paper();
    heard(screen).end();
    expect(screen.out.join('')).toBe('It **is** so [1].\n| a | b |\n');
    const whole = paper();
    answerPrinter(whole).result(result);
    expect(whole.out.join('')).toBe('It is [1].\n[1] Manual — a.md · page 2');
  });

  it('ends its line where it is stopped', () => {
    for (const columns of [undefined, 40]) {
      const screen = paper({ columns });
      const printer = answerPrinter(screen);
      printer.onEvent(event('token', 'generation', { text: 'It **is' }));
      printer.end();
      expect(screen.out.join('')).toBe('It **is\n');
    }
  });

  it('is not shown piece by piece with --json', () => {
    const screen = paper({ json: true });
    heard(screen);
    expect([screen.out, screen.states]).toEqual([[], []]);
  });
});
