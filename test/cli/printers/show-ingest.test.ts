import { describe, expect, it } from 'vitest';
import { formatFailure, showIngest } from '../../../src/cli/printers/show-ingest.ts';
import { IngestReport } from '../../../src/stages/ingest/ingest-report.ts';
import { failure } from '../../support/failures.ts';
import { paper } from '../../support/screen.ts';

describe('the summary of an ingest', () => {
  const report = (over: object = {}) => ({
    ...new IngestReport({ names: ['docs'], provider: 'lancedb', collection: 'manuals', lists: false }).result,
    ...over,
  });
  const said = (over: object, view: object = {}) => {
    const screen = paper();
    showIngest(report(over), { screen, milliseconds: 1234, dry_run: false, flags: {}, remembered: [], ...view });
    return screen;
  };

  it('says what was done, what was not, and what to type next', () => {
    const { out, warnings } = said(
      {
        sources: 1,
        chunks: 1200,
        stored: 1200,
        embedded: 1000,
        reused: 200,
        unchanged: 2,
        pruned: ['x', 'y', 'z', 'w'],
        failed: 1,
        errors: [failure('c.pdf', 'c.pdf is broken.')],
      },
      { flags: { docs: ['.'], collection: 'manuals', config: 'k.yaml', 'embedding-model': 'm' }, remembered: ['embedding.model'] },
    );
    expect(out).toEqual([
      'Stored 1,200 chunks of 1 document in "manuals", 1 failure, 1.2 s.',
      '  unchanged    2 documents stored already as they are: skipped',
      '  read again   1 file that failed: each ingest tries it, changed or not, until it is mended or left out',
      '  embedded     1,000 chunks; 200 kept the vector that they had',
      '  pruned       4 documents that are gone or empty: x, y, z and 1 more',
      'Next: kb retrieve "…" --config k.yaml --collection manuals   or   kb chat --config k.yaml --collection manuals',
    ]);
    expect(warnings).toEqual(['1 item failed:', '  c.pdf is broken.']);
  });

  it('lists what is gone but still stored', () => {
    const { out } = said({ unchanged: 1, gone: ['old.md'] });
    expect(out.slice(1, -1)).toEqual([
      '  unchanged    1 document stored already as it is: skipped',
      '  gone         1 document that is stored still; --prune removes it: old.md',
    ]);
  });

  it('wraps long rows below their text', () => {
    const screen = paper({ columns: 40 });
    showIngest(report({ unchanged: 2, gone: ['docs/photo.jpg'] }), {
      screen,
      milliseconds: 1234,
      dry_run: false,
      flags: {},
      remembered: [],
    });
    expect(screen.out.slice(1, -1).join('\n').split('\n')).toEqual([
      '  unchanged    2 documents stored',
      '               already as they are:',
      '               skipped',
      '  gone         1 document that is stored',
      '               still; --prune removes',
      '               it: docs/photo.jpg',
    ]);
  });

  it('shows notices although nothing failed', () => {
    const { out } = said({ unchanged: 1, notices: ['The crawl was cut off at 200 pages.\u001b[2J'] });
    expect(out.slice(2, -1)).toEqual(['  note         The crawl was cut off at 200 pages.']);
    const many = said({ notices: Array.from({ length: 12 }, (_, i) => `Notice ${i}.`) }).out;
    expect(many.slice(-2)).toEqual(['  note         Notice 9.', '  note         … and 2 more; --json lists them.']);
  });

  it('shows only failures with --quiet', () => {
    const quiet = paper({ quiet: true });
    const done = report({ unchanged: 1, notices: ['It was cut off.'], failed: 1, errors: [failure('a', 'a is broken.')] });
    showIngest(done, { screen: quiet, milliseconds: 1, dry_run: false, flags: {}, remembered: [] });
    expect([quiet.out, quiet.warnings]).toEqual([[], ['1 item failed:', '  a is broken.']]);
  });

  it('says that failed files are read again although they have not changed', () => {
    const broken = { ...failure('a', 'a is broken.'), stage: 'convert' as const };
    const rows = (over: object) => said(over).out.filter((line) => line.includes('read again'));
    expect(rows({ unchanged: 3, failed: 1, errors: [broken] })).toEqual([
      '  read again   1 file that failed: each ingest tries it, changed or not, until it is mended or left out',
    ]);
    expect(rows({ unchanged: 3, sources: 1, failed: 3, errors: [broken, broken, { ...broken, stage: 'embed' as const }] })).toEqual([
      '  read again   2 files that failed: each ingest tries them, changed or not, until they are mended or left out',
    ]);
    expect(rows({ sources: 3, failed: 1, errors: [broken] })).toEqual([]);
    expect(rows({ unchanged: 3, failed: 1, errors: [{ ...broken, source_kind: 'url' as const }] })).toEqual([]);
  });

  it('says how to continue after retryable failures', () => {
    const later = { failed: 1, errors: [{ ...failure('a', 'a is down.'), isRetryable: true }] };
    expect(said(later).warnings.at(-1)).toMatch(/the same command again/);
    expect(said(later, { dry_run: true }).warnings.at(-1)).toBe('  a is down.');
    expect(said({ failed: 1, errors: [failure('a', 'a is broken.')] }).warnings.at(-1)).toBe('  a is broken.');
  });

  it('has a headline for every outcome', () => {
    const headline = (over: object, view = {}) => said(over, view).out[0];
    expect(headline({})).toBe('Found no documents for "manuals", 1.2 s.');
    expect(headline({ unchanged: 3 })).toBe('Nothing has changed in "manuals", 1.2 s.');
    expect(headline({ unchanged: 3, failed: 2 })).toBe('Nothing has changed in "manuals", 2 failures, 1.2 s.');
    expect(headline({ failed: 1 })).toBe('Nothing was stored in "manuals", 1 failure, 1.2 s.');
    expect(headline({ failed: 1 }, { dry_run: true })).toBe('Nothing would be stored in "manuals", 1 failure, 1.2 s.');
    expect(headline({ unchanged: 3, failed: 1, pruned: ['a'] })).toBe('Removed 1 document from "manuals", 1 failure, 1.2 s.');
    expect(headline({ unchanged: 3, pruned: ['a'] })).toBe('Removed 1 document from "manuals", 1.2 s.');
    expect(headline({ unchanged: 3, pruned: ['a', 'b'] }, { dry_run: true })).toBe('Would remove 2 documents from "manuals", 1.2 s.');
    expect(headline({ sources: 2, chunks: 9 }, { dry_run: true })).toBe('Would store 9 chunks of 2 documents in "manuals", 1.2 s.');
    expect(said({ sources: 2, chunks: 9 }, { dry_run: true }).out).toHaveLength(1);
    expect(said({ failed: 1, errors: [failure('a', 'a is broken.')] }).out).toHaveLength(1);
  });

  it('lists no more failures than fit on a screen', () => {
    const errors = Array.from({ length: 25 }, (_, i) => failure(`${i}.md`, 'It is broken.'));
    const { warnings } = said({ failed: 25, errors });
    expect(warnings).toHaveLength(22);
    expect(warnings.at(-1)).toBe('  … and 5 more; --json lists them.');
  });

  it('names the source of a failure once, without sequences for the terminal', () => {
    expect(formatFailure(failure('a.md', 'a.md is empty.'))).toBe('a.md is empty.');
    expect(formatFailure(failure('a.md', 'It is empty.'))).toBe('a.md: It is empty.');
    expect(formatFailure(failure('', 'The query is empty.'))).toBe('The query is empty.');
    expect(formatFailure(failure('a\u001b[2J.md', 'It is empty.'))).toBe('a.md: It is empty.');
  });
});
