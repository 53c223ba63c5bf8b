import { describe, expect, it } from 'vitest';
import { documentId } from '../../../src/core/ids.ts';
import { redactorFor, toDocument } from '../../../src/stages/extract/document.ts';
import { parse } from 'yaml';
import { DEFAULTS } from '../../../src/schema/config.ts';

const provenance = { source: 'docs/pump manual.v2.pdf', source_kind: 'path', file_type: 'pdf', content_hash: 'h' } as const;

describe('toDocument', () => {
  it('adds the provenance and the metadata of the file', () => {
    const marks = [{ at: 0, page: 1 }];
    expect(toDocument({ text: 'T', title: 'Inside', metadata: { author: 'A' }, marks }, provenance)).toEqual({
      id: documentId('docs/pump manual.v2.pdf'),
      text: 'T',
      source: 'docs/pump manual.v2.pdf',
      title: 'Inside',
      metadata: { author: 'A', title: 'Inside', source_kind: 'path', file_type: 'pdf', content_hash: 'h' },
      marks,
    });
  });

  it('cleans texts, and rejects one with only control characters', () => {
    const parsed = { text: 'One\u0007', title: 'T\u202e', metadata: { author: 'A\u009b' } };
    expect(toDocument(parsed, { ...provenance, description: 'D\u0000' })).toMatchObject({
      text: 'One',
      title: 'T',
      metadata: { author: 'A', title: 'T', description: 'D' },
    });
    expect(() => toDocument({ text: '\u0007\u0008', metadata: {} }, provenance)).toThrow('only control characters');
  });

  it('rejects a web page without text', () => {
    const page = { links: ['https://x.example/a'], frames: [], routes: [], actions: [], noindex: false, nofollow: false };
    const document = () => toDocument({ text: ' ', metadata: {}, page }, { ...provenance, source: 'https://x.example/' });
    expect(document).toThrow('https://x.example/ is a web page without any text.');
  });

  it('marks a page that names another page of its site as the current one, unless that is the start page', () => {
    const facts = { links: [], frames: [], routes: [], actions: [], noindex: false, nofollow: false };
    const kind = (canonical: string) =>
      toDocument({ text: 'Text.', metadata: {}, page: { ...facts, canonical } }, { ...provenance, source: 'https://x.example/1.0/a' })
        .metadata.page_kind;
    expect(kind('https://x.example/latest/a')).toBe('outdated');
    for (const own of ['https://x.example/1.0/a/', 'https://x.example/', 'https://y.example/a']) expect(kind(own)).toBeUndefined();
  });

  it('takes the title of the caller, else of the file, else the name of the file', () => {
    const title = (source: string, rest = {}, inside?: string) =>
      toDocument({ text: '', metadata: {}, title: inside }, { ...provenance, source, ...rest }).title;
    expect(title('a.md', { title: 'Given' }, 'Inside')).toBe('Given');
    expect(title('a.md', {}, 'Inside')).toBe('Inside');
    expect([
      title('docs/pump manual.v2.pdf'),
      title('https://x.example/a/b.html?q=1#c'),
      title('https://x.example/a/'),
      title('https://api.example.com/'),
      title('https://api.example.com?q=a/b'),
      title('http://127.0.0.1:8080/#record=1'),
      title('https://x.example/v1.2'),
      title('https://x.example/.hidden/notes.markdown'),
      title('notes/C# for whom?.md'),
      title('markdown'),
      title('/'),
    ]).toEqual([
      'pump manual.v2',
      'b',
      'a',
      'api.example.com',
      'api.example.com',
      '127.0.0.1:8080',
      'v1.2',
      'notes',
      'C# for whom?',
      'markdown',
      '/',
    ]);
  });

  it('prefers its own keys to front matter with the same names', () => {
    const { metadata, id } = toDocument(
      { text: '', metadata: { source_kind: 'web', content_hash: 'x', description: 'theirs' } },
      { ...provenance, id: 'own', description: 'ours' },
    );
    expect([id, metadata]).toEqual(['own', expect.objectContaining({ source_kind: 'path', content_hash: 'h', description: 'ours' })]);
  });
});

describe('a document with front matter', () => {
  const [known, given] = [
    { author: 'Ann', tags: ['a', 'b'], none: undefined },
    { title: 'Reset: "how" to', description: 'Line\n---\nline' },
  ];
  const marks = [
    { at: 0, line: 1 },
    { at: 9, line: 3 },
  ];
  const document = (own: object) =>
    toDocument({ text: '# Reset\n\nHold the pin.', metadata: known, ...own }, { ...provenance, ...given, frontmatter: true });

  it('begins with title, source, description and metadata of the format, in that order, and no metadata of kb', () => {
    const [, yaml] = /^---\n([\s\S]*?)\n---\n\n#/.exec(document({}).text)!;
    expect(Object.entries(parse(yaml!))).toEqual([
      ['title', 'Reset: "how" to'],
      ['source', provenance.source],
      ['description', 'Line\n---\nline'],
      ['author', 'Ann'],
      ['tags', ['a', 'b']],
    ]);
  });

  it('has its marks moved with its text, and none without them', () => {
    const { text, marks: moved } = document({ marks });
    expect(moved!.map(({ at, line }) => [text.slice(at).split('\n')[0], line])).toEqual([
      ['# Reset', 1],
      ['Hold the pin.', 3],
    ]);
    expect(document({})).not.toHaveProperty('marks.0');
  });
});

it('refuses addresses with so many parameters that examining them would take seconds', () => {
  const network = { docs: undefined, api: undefined, sites: [], settings: DEFAULTS.ingestion.api };
  const addresses = (count: number, parameter: string) =>
    Array.from({ length: count }, (_, i) => `http://pier.example/?${parameter.repeat(1000)}${i}`);
  expect(() => redactorFor({ ...network, urls: addresses(51, 'a&') })).toThrow('The addresses have more than 50,000 parameters in all.');
  const tokens = Array.from({ length: 101 }, (_, i) => `http://pier.example/?token=a1b2c3d4e5${i}`);
  expect(() => redactorFor({ ...network, urls: tokens })).toThrow('more than 100 different credentials');
  expect(redactorFor({ ...network, urls: tokens.slice(1) })?.('It was a1b2c3d4e5100.')).toBe('It was [redacted].');
});
