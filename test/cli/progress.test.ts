import { describe, expect, it } from 'vitest';
import { duration } from '../../src/text/count.ts';
import { showProgress, formatProgress, chooseRenderer } from '../../src/cli/progress.ts';
import type { Event } from '../../src/schema/results.ts';
import { paper } from '../support/screen.ts';

describe('progress', () => {
  it('moves on a terminal, and is printed in lines or not at all elsewhere', () => {
    expect(chooseRenderer({ quiet: false, isTerminal: true }, { columns: 80, title: 'Ingesting' })).toBe('moving');
    expect(chooseRenderer({ quiet: false, isTerminal: false }, { title: 'Ingesting' })).toBe('lines');
    expect(chooseRenderer({ quiet: true, isTerminal: true }, { columns: 80, title: 'Ingesting' })).toBe('none');
    for (const columns of [0, 20, undefined])
      for (const said of [{ title: 'Ingesting' }, { waiting: 'Searching' }])
        expect(chooseRenderer({ quiet: false, isTerminal: true }, { ...said, columns })).toBe('status');
    expect(chooseRenderer({ quiet: false, isTerminal: true }, {})).toBe('none');
  });

  it('of a wait is a spinner on a terminal, and nothing elsewhere', () => {
    expect(chooseRenderer({ quiet: false, isTerminal: true }, { columns: 80, waiting: 'Searching' })).toBe('spinner');
    expect(
      chooseRenderer({ quiet: false, isTerminal: true }, { columns: 80, title: 'Looking for a browser', waiting: 'Looking for a browser' }),
    ).toBe('spinner');
    expect(chooseRenderer({ quiet: false, isTerminal: false }, { waiting: 'Searching' })).toBe('none');
    expect(chooseRenderer({ quiet: true, isTerminal: true }, { columns: 80, waiting: 'Searching' })).toBe('none');
  });

  const data = { done: 120, expected: 400, chunks: 812, embedded: 800, failed: 0 };
  it('shows amount, rate and remaining time', () => {
    expect(formatProgress(data, 20_000)).toBe('120 of 400, 800 of 812 chunks embedded, 40 chunks/s');
    // a quarter of the bytes gave 812 chunks: 3,248 in all, of which 800 are done
    expect(formatProgress({ ...data, bytes: 25_000, expected_bytes: 100_000 }, 20_000)).toMatch(/, 1 min 1 s left$/);
    expect(formatProgress({ ...data, failed: 3 }, 20_000)).toMatch(/3 failed$/);
    expect(formatProgress({ done: 1, expected: 2, chunks: 1, failed: 1 }, 500)).toBe('1 of 2, 1 chunk, 1 failed');
    expect(formatProgress({ done: 1, expected: 1, chunks: 1, embedded: 1 }, 500)).toBe('1 of 1, 1 of 1 chunk embedded');
    const recognizing = { source: 'scan.pdf', page: 7, count: 3, total: 12 };
    expect(formatProgress({ done: 0, expected: 2, recognizing }, 500)).toBe('0 of 2, recognizing page 7 of scan.pdf (3 of 12)');
    const pause = { seconds: 58, reason: 'https://a.example asked for a slower pace.' };
    expect(formatProgress({ pages: 12, queued: 3, pause }, 500)).toBe(
      `${formatProgress({ pages: 12, queued: 3 }, 500)}, waiting 58 s: https://a.example asked for a slower pace.`,
    );
    expect(formatProgress({ waiting: true }, 500)).toBe(''); // another run holds the lock
    expect(formatProgress({ done: 1200, expected: 3000 }, 2000)).toBe('1,200 of 3,000, 600 per second');
  });

  it('waits for a slow reader of the output', async () => {
    let made = 0;
    async function* run(): AsyncGenerator<Event, number, void> {
      for (; made < 3; made++) yield { sequence: made, type: 'item', stage: 'export', message: '', data: {} };
      return made;
    }
    const reader = Promise.withResolvers<void>();
    const whole = showProgress(run(), { screen: paper({ quiet: true, waitForDrain: () => reader.promise }) });
    await new Promise((on) => setImmediate(on));
    expect(made).toBe(0);
    reader.resolve();
    expect(await whole).toBe(3);
  });

  it('estimates nothing from too little data', () => {
    expect(formatProgress(data, 500)).toBe('120 of 400, 800 of 812 chunks embedded');
    expect(formatProgress({ done: 0, expected: 0, chunks: 0, embedded: 0 }, 9000)).toBe('0, 0 chunks');
    expect(formatProgress({ done: 400, expected: 400 }, 100_000)).toBe('400 of 400, 4 per second');
    expect(formatProgress({ search_query: 'x' }, 9000)).toBe('');
  });

  it('of a crawl shows pages, queued pages and failures', () => {
    const counts = { pages: 124, queued: 37, failed: 2, done: 124, expected: 163 };
    expect(formatProgress(counts, 2_033)).toBe('124 pages, 37 queued, 2 failed, 61 pages/s');
    expect(formatProgress({ ...counts, failed: 0, chunks: 1_300, embedded: 1_024 }, 40_000)).toBe(
      '124 pages, 37 queued, 1,024 of 1,300 chunks embedded, 3.1 pages/s',
    );
    expect(formatProgress({ pages: 1, queued: 0, failed: 0 }, 900)).toBe('1 page, 0 queued');
    expect(formatProgress({ pages: 0, queued: 1, failed: 1 }, 9_000)).toBe('0 pages, 1 queued, 1 failed');
  });

  const event = (type: Event['type'], message: string, about: Event['data'] = {}): Event => ({
    type,
    stage: 'crawl',
    message,
    data: about,
    sequence: 0,
  });
  async function* crawl(): AsyncGenerator<Event, string, void> {
    yield event('progress', '', { pages: 1, queued: 2 });
    yield event('page', '200  depth 1  https://a.example/  \u001b[31mRed', { url: 'https://a.example/' });
    yield event('page', '', { url: 'https://a.example/b' });
    yield event('progress', 'Waiting.');
    yield event('progress', 'The crawl stopped.', { notice: true }); // which the summary says
    return 'done';
  }

  it('of a run that prints is one temporary line on a terminal', async () => {
    const screen = paper({ isTerminal: true });
    expect(await showProgress(crawl(), { screen, title: 'Scraping', prints: true })).toBe('done');
    expect(screen.states).toEqual(['Scraping: 1 page, 2 queued', undefined]);
    expect(screen.notes).toEqual(['200  depth 1  https://a.example/  Red', 'Waiting.']);
    const broken = paper({ isTerminal: true });
    async function* breaks(): AsyncGenerator<Event, string, void> {
      yield event('progress', '', { pages: 1, queued: 2 });
      throw new Error('broken');
    }
    await expect(showProgress(breaks(), { screen: broken, title: 'Scraping', prints: true })).rejects.toThrow('broken');
    expect(broken.states.at(-1)).toBeUndefined();
  });

  it('of a run that prints is shown in lines elsewhere; a short run prints only its messages, and --quiet nothing', async () => {
    const [screen, quiet] = [paper(), paper({ quiet: true, isTerminal: true })];
    await showProgress(crawl(), { screen, title: 'Scraping', prints: true });
    expect([screen.notes, screen.states]).toEqual([['200  depth 1  https://a.example/  Red', 'Waiting.'], []]);
    await showProgress(crawl(), { screen: quiet, title: 'Scraping', prints: true });
    expect([quiet.notes, quiet.states]).toEqual([[], []]);
  });

  it('is printed in lines without a terminal, with the messages of the run', async () => {
    async function* run(): AsyncGenerator<Event, string, void> {
      yield { type: 'progress', stage: 'store', message: 'Waiting.', data: {}, sequence: 0 };
      yield { type: 'error', stage: 'convert', message: 'broken', data: {}, sequence: 1 };
      return 'done';
    }
    const screen = paper();
    const seen: string[] = [];
    expect(await showProgress(run(), { screen, title: 'Ingesting', onEvent: ({ type }) => seen.push(type) })).toBe('done');
    expect(screen.notes).toEqual(['Ingesting …', 'Waiting.']);
    expect(seen).toEqual(['progress', 'error']);
    expect([screen.out, screen.warnings]).toEqual([[], []]);
  });
});

describe('a duration', () => {
  it.each([
    [0, '0.0 s'],
    [840, '0.8 s'],
    [9_960, '10 s'],
    [59_400, '59 s'],
    [59_700, '1 min 0 s'],
    [119_800, '2 min 0 s'],
    [200_000, '3 min 20 s'],
    [7_500_000, '2 h 5 min'],
  ])('of %i ms is %s', (milliseconds, said) => {
    expect(duration(milliseconds)).toBe(said);
  });
});
