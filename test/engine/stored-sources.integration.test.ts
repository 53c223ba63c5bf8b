import { describe, expect, it } from 'vitest';
import type { ResultOf } from '../../src/schema/operations.ts';
import { documentId } from '../../src/core/ids.ts';
import { zipFile } from '../../packages/documents/test/support/zip.ts';
import { engineIn, result } from '../support/engine.ts';
import { folder, write } from '../support/folder.ts';

const SETUP =
  '# Setup\n\nUnpack it.\n\n## Mounting\n\nUse two bolts.\n\n### Tools\n\nA spanner.\n\n## Pairing\n\nHold the button.\n\n## 3.2 Span check\n\nTwice.\n';
const LONG = `# Stories\n\n${Array.from({ length: 40 }, (_, i) => `Story ${i} tells of kettle ${i * 7} behind shelf ${i + 100}.`).join(' ')}\n`;
const FILES = { 'docs/b/setup.md': SETUP, 'docs/a/old.md': '---\nyear: 2018\n---\n# Old\n\nA whistle.\n', 'docs/c/stories.md': LONG };
const chunking = { chunk_size: 300, chunk_overlap: 80, min_chunk_length: 50 };

async function filled(home = folder(FILES)) {
  const engine = engineIn(home);
  await result(engine, 'ingest', { docs: 'docs', markdown: [{ text: 'The lid.', source: 'notes/lid' }], chunking });
  return engine;
}
const name = 'default';

describe('the list of sources', () => {
  it('shows what is known of each source, in order', async () => {
    const engine = await filled();
    const { sources, total, cursor } = await result(engine, 'list_sources', { name });
    expect(sources.map(({ source }) => source)).toEqual(['docs/a/old.md', 'docs/b/setup.md', 'docs/c/stories.md', 'notes/lid']);
    expect([total, cursor]).toEqual([4, null]);
    expect(sources[0]).toEqual({
      id: documentId('docs/a/old.md'),
      source: 'docs/a/old.md',
      title: 'Old',
      source_kind: 'path',
      file_type: 'markdown',
      chunks: 1,
      characters: '# Old\n\nA whistle.'.length,
      content_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      ingested_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      metadata: { year: 2018 },
    });
    expect(sources[2]!.chunks).toBeGreaterThan(5);
  });

  it('continues after its cursor even if sources are stored or removed meanwhile', async () => {
    const engine = await filled();
    const first = await result(engine, 'list_sources', { name, limit: 2 });
    await result(engine, 'delete', { source: 'docs/b/setup.md' });
    await result(engine, 'ingest', { markdown: [{ text: 'First.', source: 'aaa' }] });
    const second = await result(engine, 'list_sources', { name, limit: 2, cursor: first.cursor! });
    expect(second.sources.map(({ source }) => source)).toEqual(['docs/c/stories.md', 'notes/lid']);
    expect([second.total, second.cursor]).toEqual([4, null]);
    await expect(result(engine, 'list_sources', { name, cursor: 'bm9uZQ' })).rejects.toMatchObject({ code: 'usage' });
  });

  it('can be filtered by prefix, kind and metadata', async () => {
    const engine = await filled();
    const listed = async (request: object) =>
      (await result(engine, 'list_sources', { name, ...request })).sources.map(({ source }) => source);
    expect(await listed({ prefix: 'docs/b' })).toEqual(['docs/b/setup.md']);
    expect(await listed({ kind: 'markdown' })).toEqual(['notes/lid']);
    expect(await listed({ filter: { year: { lt: 2020 } } })).toEqual(['docs/a/old.md']);
    expect(await listed({ prefix: 'elsewhere' })).toEqual([]);
    expect(await listed({ filter: {} })).toHaveLength(4);
    expect(await listed({ filter: {}, prefix: 'docs/b', kind: 'path' })).toEqual(['docs/b/setup.md']);
  });

  it('keeps the time of the last write if nothing has changed', async () => {
    const home = folder(FILES);
    const engine = await filled(home);
    const times = async () => (await result(engine, 'list_sources', { name })).sources.map(({ ingested_at }) => ingested_at);
    const before = await times();
    await result(engine, 'ingest', { docs: 'docs', chunking });
    expect(await times()).toEqual(before);
  });
});

describe('a source', () => {
  it('has its text without repetitions and its chunks in order, also after a change', async () => {
    const home = folder(FILES);
    const engine = await filled(home);
    for (const text of [LONG, LONG.replace('Story 3 tells', 'A new story stands here, which is told. Story 3 tells')]) {
      write(home, { 'docs/c/stories.md': text });
      await result(engine, 'ingest', { docs: 'docs', chunking });
      const source = await result(engine, 'get_source', { name, id: 'docs/c/stories.md' });
      expect(source.text).toBe(text.trim());
      const starts = source.chunks.map((chunk) => text.indexOf(chunk.text));
      expect(starts).toEqual(starts.toSorted((a, b) => a - b));
      expect(source.chunks[1]!.location).toMatchObject({ line_start: 3, offset: expect.any(Number), overlap: expect.any(Number) });
    }
  });

  it('is found by its id and any spelling of its path; otherwise the nearest one is suggested', async () => {
    const home = folder(FILES);
    const engine = await filled(home);
    for (const id of [documentId('docs/b/setup.md'), 'docs/b/setup.md', './docs/a/../b/setup.md', `${home}/docs/b/setup.md`])
      expect((await result(engine, 'get_source', { name, id })).source).toBe('docs/b/setup.md');
    const unfound = { code: 'not_found', hint: 'Did you mean "docs/b/setup.md"?' };
    await expect(result(engine, 'get_source', { name, id: 'docs/b/setpu.md' })).rejects.toMatchObject(unfound);
    await expect(result(engine, 'get_source', { name, id: '0123456789abcdef' })).rejects.toMatchObject({ code: 'not_found' });
  });

  it('is suggested for misspelt last parts and a misspelt id', async () => {
    const engine = await filled();
    const id = documentId('docs/b/setup.md');
    const wrong = [
      'stup.md',
      'setup',
      'stup',
      'b/stup.md',
      'B/Setup',
      'setup.txt',
      id.slice(0, 8),
      `${id.slice(1)}`,
      `${id}0`,
      `${id.slice(0, 5)}x${id.slice(6)}`.replace('x', id[5] === '0' ? '1' : '0'),
    ];
    for (const asked of wrong)
      await expect(result(engine, 'get_source', { name, id: asked }), asked).rejects.toMatchObject({
        hint: 'Did you mean "docs/b/setup.md"?',
      });
    for (const asked of ['zebra.pdf', 'abcdef0123456789', 'abc'])
      await expect(result(engine, 'get_source', { name, id: asked }), asked).rejects.toMatchObject({
        hint: expect.stringContaining('kb sources'),
      });
  });

  it('is read by unique last parts, but removed by its whole name only', async () => {
    const engine = await filled();
    for (const id of ['setup.md', 'b/setup.md']) expect((await result(engine, 'get_source', { name, id })).source).toBe('docs/b/setup.md');
    await expect(result(engine, 'get_source', { name, id: 'etup.md' })).rejects.toMatchObject({ code: 'not_found' });
    await expect(result(engine, 'delete_source', { name, id: 'setup.md' })).rejects.toMatchObject({
      hint: 'Did you mean "docs/b/setup.md"?',
    });
    await result(engine, 'ingest', { markdown: [{ text: 'Another.', source: 'other/setup.md' }] });
    await expect(result(engine, 'get_source', { name, id: 'setup.md' })).rejects.toMatchObject({
      hint: 'Several end in it: docs/b/setup.md, other/setup.md.',
    });
  });

  it('can be narrowed to lines of the file, or to a section with its subsections', async () => {
    const engine = await filled();
    const part = async (request: object, id = 'docs/b/setup.md') => (await result(engine, 'get_source', { name, id, ...request })).text;
    expect(await part({ lines: '5-7' })).toBe('## Mounting\n\nUse two bolts.');
    expect(await part({ lines: '15' })).toBe('Hold the button.');
    expect(await part({ lines: '4' }, 'docs/a/old.md')).toBe('# Old');
    expect(await part({ heading: 'mounting' })).toBe('## Mounting\n\nUse two bolts.\n\n### Tools\n\nA spanner.');
    expect(await part({ heading: 'Setup' })).toBe(SETUP.trim());
    expect(await part({ heading: 'span check' })).toBe('## 3.2 Span check\n\nTwice.');
    for (const missing of [{ lines: '90-91' }, { heading: 'Cleaning' }, { page: 2 }])
      await expect(part(missing), JSON.stringify(missing)).rejects.toMatchObject({ code: 'not_found' });
    await expect(part({ heading: 'Paring' })).rejects.toMatchObject({ hint: 'Did you mean "Pairing"?' });
    for (const nonsense of [{ lines: '7-5' }, { lines: 'x' }, { lines: '0' }, { lines: '1', heading: 'Setup' }])
      await expect(part(nonsense), JSON.stringify(nonsense)).rejects.toMatchObject({ code: 'usage' });
  });

  it('with several texts returns them one after the other', async () => {
    const engine = await filled();
    const texts = ['# One\n\nThe first text.', '# Two\n\nThe second text.'];
    await result(engine, 'ingest', { markdown: texts.map((text) => ({ text, source: 'both' })) });
    expect((await result(engine, 'get_source', { name, id: 'both' })).text.split('\n\n# ').toSorted()).toHaveLength(2);
  });

  it('returns the whole text of an edited chunk', async () => {
    const engine = await filled();
    const { chunks } = await result(engine, 'get_source', { name, id: 'docs/c/stories.md' });
    await result(engine, 'edit', { chunks: [{ id: chunks[1]!.id, text: `${'A longer story. '.repeat(60)}The end of it.` }] });
    const { text } = await result(engine, 'get_source', { name, id: 'docs/c/stories.md' });
    expect(text).toContain(`${'A longer story. '.repeat(60)}The end of it.`);
    expect(text.indexOf('The end of it.')).toBeLessThan(text.indexOf('Story 39'));
  });

  it('is removed with all its chunks, once', async () => {
    const engine = await filled();
    const id = documentId('docs/c/stories.md');
    const { deleted, failed } = await result(engine, 'delete_source', { name, id });
    expect([deleted > 5, failed]).toEqual([true, 0]);
    expect((await result(engine, 'list_sources', { name })).total).toBe(3);
    await expect(result(engine, 'delete_source', { name, id })).rejects.toMatchObject({ code: 'not_found' });
    await expect(result(engine, 'list_sources', { name: 'nowhere' })).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('a long source', () => {
  const section = (i: number) => `## Section ${i}\n\nThe sheave s${i}x is greased by the guard. ${'It is heavy. '.repeat(i % 7)}\n`;
  const long = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => section(from + i)).join('\n');
  const sources: Record<string, [text: string, marks: number]> = {
    'headings.md': [`# Manual\n\n${long(0, 80)}`, 80],
    'sparse.md': [long(0, 80).replaceAll('\n', '\n\n\n'), 80],
    'one-line.txt': [long(0, 80).replaceAll(/\s+/g, ' '), 80],
    'no-spaces.txt': [Array.from({ length: 600 }, (_, i) => `s${i}x😀`).join(''), 600],
  };

  it('is given in bounded parts, which together hold all of it in order', async () => {
    const home = folder({
      ...Object.fromEntries(Object.entries(sources).map(([file, [text]]) => [file, text])),
      'both.zip': zipFile({ 'a.md': long(0, 40), 'b.md': long(40, 80) }),
    });
    const engine = engineIn(home);
    const all = { ...sources, 'both.zip': ['', 80] as [string, number] };
    await result(engine, 'ingest', { docs: Object.keys(all), chunking });
    for (const [id, [, marks]] of Object.entries(all)) {
      const texts: string[] = [];
      let narrowing: { lines?: string | undefined; offset?: number | undefined } | null = {};
      for (let parts = 0; narrowing && parts < 60; parts++) {
        const { text, next, outline }: ResultOf<'get_source'> = await result(engine, 'get_source', {
          name,
          id,
          max_characters: 1000,
          ...narrowing,
        });
        expect(text.length).toBeLessThanOrEqual(1000);
        expect([id, next === null ? outline.length : 0]).toEqual([id, 0]);
        texts.push(text);
        narrowing = next;
      }
      const joined = texts.join(id === 'no-spaces.txt' ? '' : '\n');
      const found = Array.from(joined.matchAll(/s(\d+)x/g), ([, mark]) => Number(mark));
      expect([id, narrowing, [...new Set(found)]]).toEqual([id, null, Array.from({ length: marks }, (_, i) => i)]);
    }
  });

  it('ends before a heading, and names the lines and headings that follow, also within a section', async () => {
    const engine = engineIn(folder({ 'headings.md': sources['headings.md']![0] }));
    await result(engine, 'ingest', { docs: 'headings.md' });
    for (const narrowing of [{}, { heading: 'Manual' }, { lines: '1-60' }]) {
      const { text, next, outline } = await result(engine, 'get_source', { name, id: 'headings.md', max_characters: 1000, ...narrowing });
      const following = Number(/^Section (\d+)$/.exec(outline[0]!)![1]);
      expect(text).toContain(`s${following - 1}x`);
      expect(text).not.toContain(`Section ${following}\n`);
      const rest = await result(engine, 'get_source', { name, id: 'headings.md', lines: next!.lines! });
      expect(rest.text.startsWith(`## Section ${following}\n`)).toBe(true);
    }
  });
});

describe('the files of an archive', () => {
  it('form one source with the name of the archive, each under a heading', async () => {
    const home = folder({ 'prices.zip': zipFile({ 'summer.md': '# Summer\n\nA boat costs 40.\n', 'winter.md': 'A sledge costs 9.\n' }) });
    const engine = engineIn(home);
    await result(engine, 'ingest', { docs: 'prices.zip' });
    const { sources } = await result(engine, 'list_sources', { name });
    expect(sources).toMatchObject([{ source: 'prices.zip', title: 'prices.zip', metadata: {} }]);
    expect(sources[0]!.metadata).not.toHaveProperty('member');
    const { text } = await result(engine, 'get_source', { name, id: 'prices.zip' });
    expect(text).toBe('# summer.md\n\n# Summer\n\nA boat costs 40.\n\n# winter.md\n\nA sledge costs 9.');
    expect((await result(engine, 'get_source', { name, id: 'prices.zip', lines: '1' })).text).toBe(
      '# summer.md\n\n# Summer\n\n# winter.md\n\nA sledge costs 9.',
    );
  });
});
