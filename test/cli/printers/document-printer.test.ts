import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { documentWriter, fileNameOf, itemPrinter, printDocuments } from '../../../src/cli/printers/document-printer.ts';
import { folder } from '../../support/folder.ts';
import type { CommandContext } from '../../../src/cli/command-context.ts';
import type { Event } from '../../../src/schema/results.ts';
import { paper } from '../../support/screen.ts';

const document = (source: string, text = source) => ({ id: '1', source, text, title: 't', metadata: {} });

describe('the file name of a document', () => {
  it.each([
    ['docs/guides/pump.pdf', 'docs-guides-pump.pdf'],
    ['notes/größe.md', 'notes-größe'],
    ['https://example.com/docs/start?page=2#top', 'example.com-docs-start-page=2-top'],
    ['../../etc/passwd', 'etc-passwd'],
    ['/', 'document'],
    ['...', 'document'],
    ['.hidden', 'hidden'],
    ['nul.txt', '_nul.txt'],
    ['a\\b:c*?"<>|\n', 'a-b-c-'],
  ])('is made of its source: %s', (source, name) => {
    expect(fileNameOf(source)).toBe(name);
  });

  it('is valid on all file systems, and unique', () => {
    const [one, two] = ['a', 'b'].map((end) => fileNameOf(`${'ü/'.repeat(300)}${end}`));
    expect(Buffer.byteLength(`.${one}.md.1234567`)).toBeLessThan(256);
    expect(one).not.toBe(two);
  });
});

describe('documents as files', () => {
  it('have unique names, and replace earlier files', () => {
    const home = folder();
    const out = join(home, 'new/out');
    for (let again = 0; again < 2; again++) {
      const write = documentWriter(out, { home });
      expect(['a b.pdf', 'a-b.pdf', 'A-B.pdf'].map((source) => write(document(source)))).toEqual(
        ['a-b.pdf.md', 'a-b.pdf-2.md', 'A-B.pdf-3.md'].map((name) => join(out, name)),
      );
    }
    expect(readdirSync(out).toSorted()).toEqual(['A-B.pdf-3.md', 'a-b.pdf-2.md', 'a-b.pdf.md']);
    expect(readFileSync(join(out, 'a-b.pdf.md'), 'utf8')).toBe('a b.pdf');
  });

  it('replace no source, and no target of a link', () => {
    const home = folder({ 'a.md': 'source', 'out/x': '', 'secret.txt': 'secret' });
    expect(documentWriter(home, { home })(document('a.md', 'new'))).toBe(join(home, 'a-2.md'));
    symlinkSync(join(home, 'secret.txt'), join(home, 'out/b.md'));
    documentWriter(join(home, 'out'), { home })(document('b.md', 'new'));
    expect(['a.md', 'secret.txt', 'out/b.md'].map((name) => readFileSync(join(home, name), 'utf8'))).toEqual(['source', 'secret', 'new']);
  });

  it.each([['.'], ['*.md'], ['x-y.md']])('replace no source that is read later, of %s', (given) => {
    const home = folder({ 'x-y.md': 'source', 'x/y.md': 'new' });
    const write = documentWriter(home, { home, paths: [join(home, given)] });
    expect(write(document('x/y.md', 'new'))).toBe(join(home, 'x-y-2.md'));
    expect(readFileSync(join(home, 'x-y.md'), 'utf8')).toBe('source');
  });

  it('replace earlier files if another folder is read', () => {
    const home = folder({ 'x/y.md': 'new' });
    for (let again = 0; again < 2; again++)
      expect(documentWriter(home, { home, paths: [join(home, 'x'), 'https://example.com/a.md'] })(document('x/y.md'))).toBe(
        join(home, 'x-y.md'),
      );
  });

  it('are rejected with a reason if the folder is a file, or their name is a folder', () => {
    const home = folder({ file: '' });
    expect(() => documentWriter(join(home, 'file'), { home })).toThrow('--output-dir');
    mkdirSync(join(home, 'out/a.md'), { recursive: true });
    writeFileSync(join(home, 'out/a.md/x'), '');
    expect(() => documentWriter(join(home, 'out'), { home })(document('a.pdf.md'))).not.toThrow();
    expect(() => documentWriter(join(home, 'out'), { home })(document('a'))).toThrow('cannot be written');
  });
});

const event = (type: Event['type'], data: Event['data']): Event => ({ type, stage: 'crawl', message: 'said', data, sequence: 0 });
const error = { source: 'https://a.example/b', source_kind: 'url', stage: 'fetch', error: 'It is gone.', isRetryable: false, attempts: 1 };
const printed = (screen: ReturnType<typeof paper>) => {
  const printer = itemPrinter({ screen, flags: {} } as unknown as CommandContext);
  printer.onEvent(event('item', { id: 'd1' }));
  printer.onEvent(event('page', { url: 'https://a.example/a' }));
  printer.onEvent(event('progress', {}));
  printer.onEvent(event('error', error));
  return printer;
};

it('items are printed as lines of JSON, failures and notices beside them', () => {
  const screen = paper();
  printed(screen).result({ notices: ['The crawl was cut off\u001b[2J.'] });
  expect(screen.out).toEqual(['{"id":"d1"}']);
  expect(screen.warnings).toEqual(['Error: https://a.example/b: It is gone.', 'Note: The crawl was cut off.']);
  expect(screen.notes).toEqual([]);
});

it('nothing is printed before the result with --json', () => {
  const screen = paper({ json: true });
  printed(screen);
  expect([screen.out, screen.warnings]).toEqual([[], []]);
});

it('numbers are aligned right', () => {
  const screen = paper();
  const stored = { id: '1', source: 'a.md', title: 'A', source_kind: 'path', file_type: 'md', content_hash: '', metadata: {} };
  const sources = [{ ...stored, chunks: 1, characters: 12_345, ingested_at: '2026-01-02T03:04:05Z' }];
  printDocuments({ sources, total: 1, cursor: null }, screen);
  expect(screen.out[1]).toBe('a.md    A      path       1      12,345  2026-01-02 03:04');
});

it.each([
  [80, '…/the/shop/handbook/returns.md  Returns and how…  path       3  2026-01-02 03:04'],
  [60, '…s/of/the/shop/handbook/returns.md  Returns and how…       3'],
  [24, '…hop/handbook/returns.md'],
])('keeps the end of a long source, and leaves out what does not fit in %i columns', (columns, line) => {
  const screen = Object.assign(paper(), { columns });
  const stored = { id: '1', source_kind: 'path', file_type: 'md', content_hash: '', metadata: {} };
  const of = { ...stored, source: '/srv/files/of/the/shop/handbook/returns.md', title: 'Returns and how we take them back' };
  printDocuments(
    { sources: [{ ...of, chunks: 3, characters: 12_345, ingested_at: '2026-01-02T03:04:05Z' }], total: 1, cursor: null },
    screen,
  );
  expect(screen.out[1]).toBe(line);
});
