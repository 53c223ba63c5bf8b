import { describe, expect, it } from 'vitest';
import { fileTypes } from '../../../../src/drivers/parsers/file-types.ts';
import type { DocumentReader } from '../../../../src/ports/reading.ts';
import type { MarkdownInput } from '../../../../src/schema/source-entries.ts';
import type { Candidate } from '../../../../src/stages/extract/extract.ts';
import { extractMarkdown } from '../../../../src/stages/extract/files/markdown-texts.ts';

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
  it('is counted before it is read', async () => {
    expect(await Array.fromAsync(extractMarkdown(['a', 'b'], { reader })).then(([first]) => first)).toEqual({ expected: 2 });
  });

  it('shares its source where it has none of its own, with an id of its own', async () => {
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

  it('keeps the name, title and metadata that it is given', async () => {
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

  it('has changed where its text, title or metadata have', async () => {
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

  it('is kept beside others of one source, each with an id of its own, the same text once', async () => {
    const entries = ['One.', 'Two.', 'One.'].map((text) => ({ text, source: 'rules' }));
    const [items, single] = [await extract(entries), await candidates([entries[0]!])];
    expect(items).toMatchObject([{ expected: -1 }, { candidate: { source: 'rules', beside: [{ source: 'rules' }] } }]);
    const { candidate } = items[1] as { candidate: Candidate };
    const documents = await Promise.all([candidate, ...candidate.beside!].map((one) => one.document()));
    expect(documents.map(({ text }) => text)).toEqual(['One.', 'Two.']);
    const ids = [...documents, await single[0]!.document()].map(({ id }) => id);
    expect(new Set(ids).size).toBe(3);
    expect(candidate.content_hash).not.toBe(single[0]!.content_hash);
    expect((await candidates([entries[0]!, entries[2]!])).at(-1)!.beside).toBeUndefined();
  });

  it('is an error where it is empty', async () => {
    const items = await extract([' \n', { text: '', source: 'rules' }]);
    expect(items).toMatchObject([
      { error: { source: 'markdown', source_kind: 'markdown', stage: 'validate', isRetryable: false } },
      { error: { source: 'rules', error: 'The Markdown «rules» is empty. Give it a text, or leave it out.' } },
    ]);
  });
});
