import { describe, expect, it } from 'vitest';
import { answerPrinter, hasNoAnswer, showSources, sourceLine } from '../../../src/cli/printers/show-answer.ts';
import { formatFailure } from '../../../src/cli/printers/show-ingest.ts';
import type { Source } from '../../../src/schema/items.ts';
import type { ChatResult } from '../../../src/schema/answers.ts';
import { failure } from '../../support/failures.ts';
import { paper } from '../../support/screen.ts';

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

  it('is followed by its cited sources only', () => {
    const screen = paper();
    showSources(result, screen);
    expect(screen.out).toEqual(['', '[1] Manual — a.md · page 2']);
    expect(sourceLine({ ...source, title: 'M\u001b[2J' }, screen)).toBe('[1] M — a.md · page 2');
  });

  it('is followed by its doubts and failures', () => {
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

  it('that may be wrong says so in one line, and shows three passages', () => {
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

  it('is doubted in the language of the question, or of the one before', () => {
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

  it('that may be wrong shows no other passages with --quiet', () => {
    const screen = paper({ quiet: true });
    showSources({ ...result, answer_confidence: { level: 'low', reason: 'answer_uncertain', probability: 0.5 } }, screen);
    expect(screen.out.slice(1)).toEqual(['', '[1] Manual — a.md · page 2']);
  });

  it('that may be wrong shows other hits beside its sources', () => {
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

  it('that may be wrong shows each place once', () => {
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

  it('shows the page and headings of its quotation', () => {
    const screen = paper();
    showSources({ ...result, sources: [{ ...source, cited: true, location: { headings: ['Manual', 'Seals'], line_start: 4 } }] }, screen);
    expect(screen.out).toContain('[1] Manual — a.md · Seals, line 4');
  });

  it('reports one failure of search query and answer once', () => {
    const screen = paper();
    const refused = { ...failure('q', 'It answered 401.'), source_kind: 'chat' as const };
    showSources({ ...result, answer: '', sources: [], errors: [{ ...refused, source_kind: 'query' }, refused] }, screen);
    expect(screen.warnings).toEqual(['Error: It answered 401.']);
  });

  it('that declines is followed by the hits, without a remark that repeats it', () => {
    const screen = paper();
    const none = { level: 'none', reason: 'retrieval_quality_low_confidence' } as const;
    showSources({ ...result, sources: [{ ...source, cited: false }], answer_confidence: none }, screen);
    expect(screen.out.map((line) => line.trim()).slice(0, 2)).toEqual(['See also:', expect.stringContaining(source.title)]);
  });

  it('without citations, or with wrong ones, says so; a greeting does not', () => {
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

  it('that failed says how many attempts were made', () => {
    expect(formatFailure({ ...failure('q', 'It answered 500.'), source_kind: 'chat', attempts: 4 })).toBe(
      'It answered 500. It was tried 4 times.',
    );
  });

  it('that broke off is marked after its text', () => {
    const screen = paper({ columns: 40 });
    const printer = answerPrinter(screen);
    printer.onEvent(event('token', 'generation', { text: 'It **is' }));
    printer.result({ ...result, answer: '', sources: [], answer_confidence: { level: 'none', reason: 'errors' } });
    expect(screen.out.join('')).toBe('It **is\n… (the answer broke off)');
    const whole = paper();
    answerPrinter(whole).result({ ...result, answer: '', sources: [] });
    expect(whole.out).toEqual([]);
  });

  it('that is waited for says why: in the status line, or as a note without a terminal', () => {
    const wait = { ...event('progress', 'generation', { wait: 12, attempt: 2, attempts: 4 }), message: 'Waiting 12 s\u001b[2J.' };
    const seen = paper({ isTerminal: true });
    answerPrinter(seen).onEvent(wait);
    expect([seen.states, seen.notes]).toEqual([['Waiting 12 s.'], []]);
    const piped = paper();
    answerPrinter(piped).onEvent(wait);
    expect([piped.states, piped.notes]).toEqual([[], ['Waiting 12 s.']]);
  });

  it('that is missing is a failure for a script', () => {
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

  it('is drawn on a terminal while it is written, after a status', () => {
    const screen = paper({ columns: 30 });
    const printer = heard(screen);
    expect(screen.states).toEqual(['Reading the question…', 'Searching…', 'Reading 2 passages…', 'Writing…', 'Writing…']);
    expect(screen.out.join('')).toBe('It is so [1].\n');
    printer.result(result);
    printer.end();
    expect(screen.out.join('')).toBe('It is so [1].\n| a | b |\n[1] Manual — a.md · page 2');
    expect(screen.states.at(-1)).toBeUndefined();
  });

  it('is plain Markdown without a terminal', () => {
    const screen = paper();
    heard(screen).end();
    expect(screen.out.join('')).toBe('It **is** so [1].\n| a | b |\n');
    const whole = paper();
    answerPrinter(whole).result(result);
    expect(whole.out.join('')).toBe('It is [1].\n[1] Manual — a.md · page 2');
  });

  it('ends its line when it is stopped', () => {
    for (const columns of [undefined, 40]) {
      const screen = paper({ columns });
      const printer = answerPrinter(screen);
      printer.onEvent(event('token', 'generation', { text: 'It **is' }));
      printer.end();
      expect(screen.out.join('')).toBe('It **is\n');
    }
  });

  it('is not shown in pieces with --json', () => {
    const screen = paper({ json: true });
    heard(screen);
    expect([screen.out, screen.states]).toEqual([[], []]);
  });
});
