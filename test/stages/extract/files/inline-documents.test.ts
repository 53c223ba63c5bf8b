import { describe, expect, it } from 'vitest';
import { fileTypes } from '../../../../packages/documents/src/file-types.ts';
import type { DocumentReader } from '../../../../src/ports/reading.ts';
import type { MarkdownInput } from '../../../../src/schema/source-entries.ts';
import type { Candidate, Extracted } from '../../../../src/stages/extract/extract.ts';
import { extractMarkdown, extractUploads, uploadName } from '../../../../src/stages/extract/files/inline-documents.ts';
import { join } from 'node:path';
import type { ErrorItem } from '../../../../src/schema/items.ts';
import { folder } from '../../../support/folder.ts';
import { plainReader } from '../plain-reader.ts';

/** A reader that takes Markdown as it is. */
const reader: DocumentReader = {
  ...fileTypes(),
  read: async (bytes) => ({ text: Buffer.from(bytes).toString(), title: 'From the text', metadata: { lang: 'en' } }),
  close: async () => {},
};

const extract = async (input: MarkdownInput) =>
  (await Array.fromAsync(extractMarkdown(input, { reader }))).slice(1).filter((item) => !('input' in item));
const candidates = async (input: MarkdownInput): Promise<Candidate[]> =>
  (await extract(input)).map((item) => (item as { candidate: Candidate }).candidate);

describe('Markdown given as text', () => {
  it('is announced before it is read', async () => {
    expect(await Array.fromAsync(extractMarkdown(['a', 'b'], { reader })).then(([first]) => first)).toEqual({ expected: 2 });
  });

  it('shares its source with others if it has none, with an id of its own', async () => {
    const [one, two, same] = await candidates(['One.', { text: 'Two.', source: '' }, 'One.']);
    expect([one, two].map((found) => [found!.source, found!.shares_source])).toEqual([
      ['markdown', true],
      ['markdown', true],
    ]);
    const documents = await Promise.all([one, two, same].map((found) => found!.document()));
    expect(documents[0]).toMatchObject({
      source: 'markdown',
      title: 'From the text',
      text: 'One.',
      metadata: { source_kind: 'markdown', file_type: 'markdown', lang: 'en' },
    });
    expect(documents[0]!.id).not.toBe(documents[1]!.id);
    expect(documents[0]!.id).toBe(documents[2]!.id);
  });

  it('keeps its given name, title and metadata', async () => {
    const [named] = await candidates({ text: 'One.', source: 'rules', title: 'Rules', metadata: { lang: 'de', year: 2026 } } as never);
    expect(named!.shares_source).toBeUndefined();
    expect(await named!.document()).toMatchObject({
      source: 'rules',
      title: 'Rules',
      metadata: { lang: 'de', year: 2026, title: 'Rules' },
    });
    const [titled] = await candidates([{ text: 'One.', source: 'rules', metadata: { title: 'In the metadata' } }]);
    expect((await titled!.document()).title).toBe('In the metadata');
  });

  it('changes its hash with its text, title or metadata', async () => {
    const entries = [
      { text: 'One.', source: 'a' },
      { text: 'Two.', source: 'a' },
      { text: 'One.', source: 'a', title: 'T' },
      { text: 'One.', source: 'a', metadata: { year: 1 } },
      { text: 'One.', source: 'b' },
    ];
    const hashes = (await Promise.all(entries.map((entry) => candidates([entry])))).map(([found]) => found!.content_hash);
    expect(new Set(hashes).size).toBe(4);
    expect(hashes[4]).toBe(hashes[0]);
  });

  it('is stored beside others of one source, each with an id of its own, the same text once', async () => {
    const entries = ['One.', 'Two.', 'One.'].map((text) => ({ text, source: 'rules' }));
    const [items, single] = [await extract(entries), await candidates([entries[0]!])];
    expect(items).toMatchObject([{ expected: -1 }, { candidate: { source: 'rules', siblings: [{ source: 'rules' }] } }]);
    const { candidate } = items[1] as { candidate: Candidate };
    const documents = await Promise.all([candidate, ...candidate.siblings!].map((one) => one.document()));
    expect(documents.map(({ text }) => text)).toEqual(['One.', 'Two.']);
    const ids = [...documents, await single[0]!.document()].map(({ id }) => id);
    expect(new Set(ids).size).toBe(3);
    expect(candidate.content_hash).not.toBe(single[0]!.content_hash);
    expect((await candidates([entries[0]!, entries[2]!])).at(-1)!.siblings).toBeUndefined();
  });

  it('is an error if it is empty', async () => {
    const items = await extract([' \n', { text: '', source: 'rules' }]);
    expect(items).toMatchObject([
      { error: { source: 'markdown', source_kind: 'markdown', stage: 'validate', isRetryable: false } },
      { error: { source: 'rules', error: 'The Markdown "rules" is empty. Give it a text, or leave it out.' } },
    ]);
  });
});

/** Uploads `{ name, text }`, and waits for their documents. */
async function uploaded(
  files: { name: string; text: string }[],
  rest: { title?: string; description?: string; frontmatter?: boolean } = {},
) {
  const temporary = folder(Object.fromEntries(files.map(({ text }, i) => [String(i), text])));
  const { frontmatter = false, ...said } = rest;
  const plain = plainReader();
  const items: Extracted[] = [];
  const request = { files: files.map(({ name }, i) => ({ name, path: join(temporary, String(i)) })), ...said };
  for await (const item of extractUploads(request, { reader: plain, frontmatter })) items.push(item);
  const found = items.flatMap((item): Candidate[] => ('candidate' in item ? [item.candidate] : []));
  return {
    expected: items.flatMap((item) => ('expected' in item ? [item.expected] : [])),
    documents: await Promise.all(found.map((candidate) => candidate.document())),
    errors: items.flatMap((item): ErrorItem[] => ('error' in item ? [item.error] : [])),
    hashes: found.map(({ content_hash }) => content_hash),
  };
}

describe('uploads', () => {
  it('become documents of the kind of their names, in order, under their names', async () => {
    const { documents, errors, expected } = await uploaded([
      { name: 'b.md', text: 'Doors' },
      { name: 'A.TXT', text: 'Bikes' },
    ]);
    expect([errors, expected]).toEqual([[], [2]]);
    expect(documents).toMatchObject([
      { source: 'b.md', title: 'b', text: 'Doors', metadata: { source_kind: 'bytes', file_type: 'markdown', title: 'b' } },
      { source: 'A.TXT', title: 'A', text: 'Bikes', metadata: { source_kind: 'bytes', file_type: 'text' } },
    ]);
  });

  it('of an unsupported kind are error items that name the supported kinds, and do not affect the others', async () => {
    const { documents, errors } = await uploaded([
      { name: 'x/film.mov', text: '' },
      { name: 'good.md', text: 'Bikes' },
      { name: 'Makefile', text: '' },
    ]);
    expect(documents.map(({ source }) => source)).toEqual(['good.md']);
    expect(errors).toMatchObject([
      { source: 'x/film.mov', source_kind: 'bytes', stage: 'validate', isRetryable: false, attempts: 1 },
      { source: 'Makefile', source_kind: 'bytes', stage: 'validate' },
    ]);
    expect(errors[0]!.error).toMatch(/^x\/film\.mov: files of the kind "\.mov" are not supported\. kb reads PDF, Word/);
  });

  it('get the requested title, description and front matter', async () => {
    const files = [
      { name: 'a.md', text: 'Doors' },
      { name: 'b.md', text: 'Bikes' },
    ];
    const plain = await uploaded(files);
    const { documents, hashes } = await uploaded(files, { title: 'House rules', description: 'What holds here', frontmatter: true });
    for (const { title, metadata, text } of documents) {
      expect([title, metadata.title, metadata.description]).toEqual(['House rules', 'House rules', 'What holds here']);
      expect(text).toMatch(/^---\ntitle: House rules\n/);
    }
    expect(hashes.filter((hash) => plain.hashes.includes(hash))).toEqual([]);
  });

  it('with the same name are separate documents, and a single one has the id of its name', async () => {
    const [alone] = (await uploaded([{ name: 'rules.md', text: 'Doors' }])).documents;
    const [again] = (await uploaded([{ name: './rules.md', text: 'Doors, changed' }])).documents;
    expect(again!.id).toBe(alone!.id);
    const { documents } = await uploaded([
      { name: '/rules.md', text: 'Doors' },
      { name: '.\\rules.md', text: 'Bikes' },
      { name: 'more.md', text: 'Pets' },
    ]);
    expect(documents.map(({ source }) => source)).toEqual(['rules.md', 'rules.md', 'more.md']);
    expect(new Set(documents.map(({ id }) => id)).size).toBe(3);
  });

  it('whose file is gone are error items without its path', async () => {
    const files = [{ name: 'a.md', path: join(folder(), 'gone') }];
    const items: Extracted[] = [];
    for await (const item of extractUploads({ files }, { reader: plainReader(), frontmatter: false })) items.push(item);
    const error = 'a.md cannot be read: no such file. Check its permissions.';
    expect(items[1]).toEqual({ error: { source: 'a.md', source_kind: 'bytes', stage: 'fetch', error, isRetryable: false, attempts: 1 } });
  });

  it('end when the work is stopped', async () => {
    const parts = { reader: plainReader(), frontmatter: false, signal: AbortSignal.abort() };
    const run = extractUploads({ files: [{ name: 'a.md', path: join(folder({ 0: 'x' }), '0') }] }, parts);
    await expect(Array.fromAsync(run)).rejects.toMatchObject({ code: 'aborted' });
  });
});

describe('the name of an upload', () => {
  it('keeps a relative path, and leads to no other folder on any operating system', () => {
    const names = {
      '../../escape.md': 'escape.md',
      '..\\..\\escape.md': 'escape.md',
      'a/b/../../../escape.md': 'escape.md',
      'C:\\escape.md': 'escape.md',
      'C:\\fakepath\\escape.md': 'escape.md',
      '/tmp/escape.md': 'tmp/escape.md',
      './a//./b/escape.md': 'a/b/escape.md',
      'a\\b/escape.md': 'a/b/escape.md',
      'a/ .. /escape.md': 'escape.md',
      'a/\u200b..\u0000/escape.md': 'escape.md',
      [`${'a/'.repeat(3000)}escape.md`]: 'escape.md',
    };
    expect(Object.keys(names).map(uploadName)).toEqual(Object.values(names));
  });

  it('is the same in both forms of Unicode', () => {
    expect(['NFC', 'NFD'].map((form) => uploadName('Blätter/Prüfung.md'.normalize(form)))).toEqual([
      'Blätter/Prüfung.md',
      'Blätter/Prüfung.md',
    ]);
  });

  it('loses invisible characters and line breaks', () => {
    expect(['new\nline.md', 'a\r\nb.md', 'tab\tbed.md', '\u202egnp.md', 'a\u200bb\u0000\u001b[2J.md', ' a.md '].map(uploadName)).toEqual([
      'newline.md',
      'ab.md',
      'tabbed.md',
      'gnp.md',
      'ab.md',
      'a.md',
    ]);
  });

  it('keeps names that other programs would interpret', () => {
    const names = [
      'CON.md',
      '.md',
      '<img src=x onerror=alert(1)>.md',
      '$(touch escape).md',
      '; touch escape;.md',
      'ÄÖ 日本.pdf',
      '%2e%2e.md',
    ];
    expect(names.map(uploadName)).toEqual(names);
  });

  it('is never empty', () => {
    expect(['', '.', '..', '...', 'a/', 'a\\', '/', '\u200b', '\n', ' '].map(uploadName)).toEqual(
      Array.from({ length: 10 }, () => 'upload'),
    );
  });

  it('has at most 255 characters, and keeps its extension', () => {
    expect(uploadName(`${'long'.repeat(300)}.md`)).toBe(`${'long'.repeat(63)}.md`);
    expect([...uploadName(`${'😀'.repeat(300)}.md`)]).toHaveLength(255);
    expect(uploadName(`${'x'.repeat(252)}.md`)).toBe(`${'x'.repeat(252)}.md`);
  });
});
