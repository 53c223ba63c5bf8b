import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { pagesGiven } from '../../src/cli/retry-list.ts';
import { folder } from '../support/folder.ts';

const failure = (source: string, over: object = {}) => ({
  source,
  source_kind: 'url',
  stage: 'crawl',
  error: 'No.',
  isRetryable: true,
  attempts: 4,
  ...over,
});
const busy = failure('https://a.example/busy', { retry_input: { url: 'https://a.example/busy' } });
const gone = failure('https://a.example/gone', { isRetryable: false });
const fileOf = (text: string) => join(folder({ 'failed.json': text }), 'failed.json');

describe('the pages of kb scrape', () => {
  it('are those that are named, and those of a result that may not fail again', () => {
    const path = fileOf(JSON.stringify({ pages: 1, outputs: [], dlq: [busy], errors: [busy, gone] }));
    expect(pagesGiven(['https://a.example/'], path)).toEqual(['https://a.example/', { mode: 'each', url: 'https://a.example/busy' }]);
    expect(pagesGiven(['https://a.example/'], undefined)).toEqual(['https://a.example/']);
  });

  it('may be a list of failures, or one a line; each comes once, without what is no page', () => {
    const api = failure('https://a.example/api', { source_kind: 'api', retry_input: { url: 'https://a.example/api' } });
    const plain = failure('https://a.example/plain');
    const wanted = [
      { mode: 'each', url: 'https://a.example/busy' },
      { mode: 'each', url: 'https://a.example/plain' },
    ];
    expect(pagesGiven([], fileOf(JSON.stringify([busy, gone, api, plain, busy])))).toEqual(wanted);
    expect(pagesGiven([], fileOf(`${JSON.stringify(busy)}\n\n${JSON.stringify(plain)}\n`))).toEqual(wanted);
    expect(pagesGiven([], fileOf(JSON.stringify(plain)))).toEqual(wanted.slice(1));
  });

  it('are a crawl again where a whole one failed', () => {
    const retry_input = { url: 'https://a.example/', mode: 'full', max_depth: 2, max_pages: 9, include: [], exclude: ['/x'] };
    expect(pagesGiven([], fileOf(JSON.stringify([failure('https://a.example/', { retry_input })])))).toEqual([retry_input]);
  });

  it('are of the sites that they failed at, and lead to no other', () => {
    const path = fileOf(
      JSON.stringify([failure('https://a.example/x', { retry_input: { url: 'http://ann:pass@127.0.0.1/x', mode: 'full' } })]),
    );
    expect(() => pagesGiven([], path)).toThrow(
      expect.objectContaining({
        code: 'usage',
        message: expect.stringContaining('http://127.0.0.1/x read in place of https://a.example/x'),
      }),
    );
  });

  it('may be none', () => {
    expect(pagesGiven([], fileOf(JSON.stringify({ dlq: null, errors: [gone] })))).toEqual([]);
    expect(pagesGiven([], fileOf(JSON.stringify([gone])))).toEqual([]);
    expect(pagesGiven([], fileOf(''))).toEqual([]);
  });

  it('must be given somehow, in a file that can be read', () => {
    const refused = (path: string | undefined) => {
      try {
        return String(pagesGiven([], path).length);
      } catch (error) {
        return (error as Error).message;
      }
    };
    expect(refused(undefined)).toBe('There is no page to be read.');
    expect(refused('/nowhere/failed.json')).toBe('--retry: the file /nowhere/failed.json cannot be read: there is none of that name.');
    expect(refused(folder())).toMatch(/^--retry: the file .* cannot be read: it is a folder\.$/);
    expect(refused(fileOf('{"source": "x"}\nno json'))).toMatch(/^--retry: line 2 of .*failed\.json is not JSON/);
    expect(refused(fileOf('{"text": "a document"}'))).toMatch(/is no list of failures/);
    expect(refused(fileOf('[3]'))).toMatch(/is no list of failures/);
  });
});
