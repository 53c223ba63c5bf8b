import { describe, expect, it } from 'vitest';
import { duration, followed, progressText, rendererFor } from '../../src/cli/progress.ts';
import type { Event } from '../../src/schema/events.ts';
import { paper } from '../support/screen.ts';

describe('progress', () => {
  it('moves where a person watches, and is lines or nothing elsewhere', () => {
    expect(rendererFor({ quiet: false, isTerminal: true }, 'Ingesting')).toBe('moving');
    expect(rendererFor({ quiet: false, isTerminal: false }, 'Ingesting')).toBe('lines');
    expect(rendererFor({ quiet: true, isTerminal: true }, 'Ingesting')).toBe('none');
    expect(rendererFor({ quiet: false, isTerminal: true }, undefined)).toBe('none');
  });

  const data = { done: 120, expected: 400, chunks: 812, embedded: 800, failed: 0 };
  it('tells how far it is, how fast, and how long it may still take', () => {
    expect(progressText(data, 20_000)).toBe('120 of 400, 800 of 812 chunks embedded, 40 chunks/s, 47 s left');
    expect(progressText({ ...data, failed: 3 }, 20_000)).toMatch(/3 failed$/);
    expect(progressText({ done: 1200, expected: 3000 }, 2000)).toBe('1,200 of 3,000, 600 per second');
  });

  it('guesses nothing from too little', () => {
    expect(progressText(data, 500)).toBe('120 of 400, 800 of 812 chunks embedded');
    expect(progressText({ done: 0, expected: 0, chunks: 0, embedded: 0 }, 9000)).toBe('0, 0 chunks');
    expect(progressText({ done: 400, expected: 400 }, 100_000)).toBe('400 of 400, 4 per second');
    expect(progressText({ search_query: 'x' }, 9000)).toBe('');
  });

  it('is said in lines off a terminal, with the messages of the run', async () => {
    async function* run(): AsyncGenerator<Event, string, void> {
      yield { type: 'progress', stage: 'store', message: 'Waiting.', data: {}, sequence: 0 };
      yield { type: 'error', stage: 'convert', message: 'broken', data: {}, sequence: 1 };
      return 'done';
    }
    const screen = paper();
    const seen: string[] = [];
    expect(await followed(run(), { screen, title: 'Ingesting', onEvent: ({ type }) => seen.push(type) })).toBe('done');
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
