import { describe, expect, it } from 'vitest';
import { KbError } from '../../../src/core/errors.ts';
import type { Collection, StoredSource } from '../../../src/ports/stores.ts';
import type { Candidate, Extracted, SourceName } from '../../../src/stages/extract/extract.ts';
import { IngestReport } from '../../../src/stages/ingest/ingest-report.ts';
import { Inventory, StoredVersions, unreadItem } from '../../../src/stages/ingest/inventory.ts';

const candidate = (source: string, content_hash = 'h', rest: Partial<Candidate> = {}): Extracted => ({
  candidate: { source, source_kind: 'path', content_hash, document: () => Promise.reject(new Error('not read')), ...rest },
});
const text = { source_kind: 'markdown' } as const;
const failure = (source: string, isGone?: boolean): Extracted => ({
  error: { source, source_kind: 'path', stage: 'fetch', error: 'x', isRetryable: false, attempts: 1 },
  ...(isGone === undefined ? {} : { isGone }),
});
const scope = (folder: string, source_kind: 'path' | 'url' = 'path'): Extracted => ({
  scope: { source_kind, covers: (source) => source.startsWith(folder) },
});
const stored = (...sources: string[]): Map<string, StoredSource> =>
  new Map(
    sources.map((source) => [
      source,
      { source, source_kind: source.startsWith('http') ? 'url' : 'path', version: 'v', chunks: 1, chunk_count: 1 },
    ]),
  );

async function met(items: Extracted[], name: SourceName = 'docs') {
  const report = new IngestReport({ names: ['docs', 'markdown'], provider: 'p', collection: 'c', lists: true });
  const inventory = new Inventory(report);
  const all = async function* () {
    for (const item of items) yield { name, item };
  };
  const sources = (await Array.fromAsync(inventory.candidates(all()))).map(({ candidate: found }) => found.source);
  const events = report.takeEvents();
  return { sources, inventory, result: report.result, counts: events.at(-1)!.data, told: events.slice(0, -1) };
}

describe('an inventory', () => {
  it('passes each source on once, and reports everything else', async () => {
    const { sources, result, counts } = await met([
      { expected: 4 },
      candidate('a'),
      candidate('a'),
      failure('b'),
      { passed_over: 'c.zip' },
      candidate('d'),
    ]);
    expect(sources).toEqual(['a', 'd']);
    expect(result).toMatchObject({ failed: 1, passed_over: ['c.zip'], errors: [{ source: 'b' }] });
    expect(counts).toMatchObject({ expected: 3, done: 1 });
  });

  it('passes on texts that share a source, and reports other duplicates', async () => {
    const shared = await met(
      [candidate('markdown', '1', { ...text, shares_source: true }), candidate('markdown', '2', { ...text, shares_source: true })],
      'markdown',
    );
    expect(shared.sources).toEqual(['markdown', 'markdown']);
    const named = await met([candidate('rules', '1', text), candidate('rules', '2', text), candidate('rules', '1', text)], 'markdown');
    expect(named.sources).toEqual(['rules']);
    expect(named.result.errors).toMatchObject([{ source: 'rules', stage: 'validate', error: expect.stringContaining('given twice') }]);
  });

  it('passes on a document after a failure with the same source', async () => {
    expect((await met([failure('rules'), candidate('rules')])).sources).toEqual(['rules']);
  });

  it('keeps missing sources of a scope that may be incomplete, and explains why', async () => {
    const doubtful: Extracted = {
      scope: { source_kind: 'path', covers: (source) => source.startsWith('docs/'), doubt: 'docs/e could not be read.' },
    };
    const { inventory } = await met([candidate('docs/a'), failure('docs/b', true), doubtful]);
    const before = stored('docs/a', 'docs/b', 'docs/c', 'docs/d', 'other/x');
    expect(inventory.findGone(before)).toEqual(['docs/b']);
    expect(inventory.explainKept(before)).toEqual(['2 stored sources were not found but kept: docs/e could not be read.']);
    expect(inventory.explainKept(stored('docs/a', 'docs/b'))).toEqual([]);
    const whole = await met([doubtful, scope('docs/')]);
    expect(whole.inventory.explainKept(before)).toEqual([]);
  });

  it('treats a source as gone only if a scope covers it and it was not found', async () => {
    const { inventory } = await met([candidate('docs/a'), failure('docs/b'), scope('docs/')]);
    expect(inventory.findGone(stored('docs/a', 'docs/b', 'docs/c', 'other/d', 'https://x.example/docs/'))).toEqual(['docs/c']);
    expect((await met([candidate('docs/a')])).inventory.findGone(stored('docs/c'))).toEqual([]);
    expect((await met([scope('docs/', 'url')])).inventory.findGone(stored('docs/c'))).toEqual([]);
  });

  it('treats a source that is reported as gone as gone and as a failure, also outside of scopes', async () => {
    const { inventory, result } = await met([failure('https://a.example/old', true), failure('https://a.example/broken')]);
    expect(inventory.findGone(stored('https://a.example/old', 'https://a.example/broken', 'https://a.example/other'))).toEqual([
      'https://a.example/old',
    ]);
    expect(inventory.findGone(stored('https://a.example/other'))).toEqual([]); // what is not stored can't be removed
    expect(result).toMatchObject({ failed: 2, errors: [{ source: 'https://a.example/old' }, { source: 'https://a.example/broken' }] });
  });

  it('does not treat a source as gone that was found elsewhere or failed for another reason', async () => {
    const page = 'https://a.example/a';
    expect((await met([failure(page, true), candidate(page)])).inventory.findGone(stored(page))).toEqual([]);
    expect((await met([failure(page, true), failure(page, false)])).inventory.findGone(stored(page))).toEqual([]);
    expect((await met([failure(page, false), scope('https://', 'url')])).inventory.findGone(stored(page))).toEqual([]);
  });

  it('reports notices at once and at the end', async () => {
    const { result, told } = await met([{ notice: 'The crawl was cut off.' }, candidate('a')]);
    expect(result).toMatchObject({ failed: 0, notices: ['The crawl was cut off.'] });
    expect(told).toMatchObject([{ type: 'progress', message: 'The crawl was cut off.' }]);
  });
});

// with the list of unread inputs made anew for each stored source, this would take minutes
it('explains what is kept beside thousands of inputs that could not be read', async () => {
  const names = Array.from({ length: 20_000 }, (_, i) => `docs/${i}`);
  const { inventory } = await met(names.flatMap((name) => [{ input: name }, failure(name)]));
  const before = stored(...names.map((name) => `${name}/a.md`));
  expect(inventory.findGone(before)).toEqual([]);
  expect(inventory.explainKept(before)).toHaveLength(20_000);
});

describe('a document that could not be read', () => {
  const found = (candidate('a.pdf') as { candidate: Candidate }).candidate;
  it('is an error item with the reason', () => {
    expect(unreadItem(found, new KbError('invalid', 'a.pdf is encrypted.', { hint: 'Save it without.' }))).toMatchObject({
      source: 'a.pdf',
      source_kind: 'path',
      stage: 'convert',
      error: 'a.pdf is encrypted. Save it without.',
    });
    expect(unreadItem(found, new TypeError('x is not a function'))).toMatchObject({
      error: 'a.pdf could not be read: x is not a function',
      isRetryable: false,
    });
  });
});

describe('stored versions', () => {
  it('are read several at once for sources that failed one after another, which keep their order', async () => {
    const asked: string[][] = [];
    const contents = async (sources: string[]) => {
      asked.push(sources);
      return new Map(sources.map((source) => [source, { metadata: { ingested_at: '2026-01-02T03:04:05Z' } }]));
    };
    const names = ['a', 'b', 'new', 'c'];
    const versions = new StoredVersions(stored('a', 'b', 'c'), { contents } as unknown as Collection);
    const failed = async function* () {
      for (const name of names) yield { name: 'docs' as const, item: failure(name) };
    };
    const told = await Array.fromAsync(versions.withVersions(failed()));
    expect(told.map(({ item }) => ('error' in item ? item.error : undefined))).toMatchObject(
      names.map((source) => ({ source, error: source === 'new' ? 'x' : 'x The version of 2026-01-02 stays stored.' })),
    );
    expect(asked).toEqual([['a', 'b', 'c']]);
  });
});
