import { describe, expect, it } from 'vitest';
import type { Metadata } from '../../src/schema/items.ts';
import { chunksIn, engineIn, modelServer, result, WORDS } from '../support/engine.ts';
import { folder, write } from '../support/folder.ts';

const FILES = {
  'docs/guides/setup.md': '# Setup\n\nUnpack it.',
  'docs/guides/deep/care.md': '# Care\n\nRinse it.',
  'docs/returns.md': '---\nyear: 2024\naudience: staff\n---\n# Returns\n\nWithin 30 days.',
};

/** The metadata of each source, without what kb itself keeps. */
async function metadataIn(engine: ReturnType<typeof engineIn>): Promise<Record<string, Metadata>> {
  const { sources } = await result(engine, 'list_sources', { name: 'default' });
  return Object.fromEntries(sources.map(({ source, metadata }) => [source.replace(/^docs\//, ''), metadata]));
}

describe('kb.meta.yaml', () => {
  it('adds metadata to what its patterns match; inner folders override outer ones', async () => {
    const engine = engineIn(
      folder({
        ...FILES,
        'kb.meta.yaml': '"*.md": {shop: north, level: 0}\n"docs/guides/**": {level: 1}\n',
        'docs/guides/kb.meta.yaml': 'deep: {level: 2}\nsetup.md: {tags: [new, short], public: true}\n',
      }),
    );
    const { passed_over } = await result(engine, 'ingest', { docs: ['docs', 'docs/guides/*'] });
    expect(passed_over).toEqual([]);
    expect(await metadataIn(engine)).toEqual({
      'guides/deep/care.md': { shop: 'north', level: 2 },
      'guides/setup.md': { shop: 'north', level: 1, tags: ['new', 'short'], public: true },
      'returns.md': { year: 2024, audience: 'staff', shop: 'north', level: 0 },
    });
    expect((await result(engine, 'retrieve', { query: 'it', filter: { tags: 'new', level: { lt: 2 } } })).items).toHaveLength(1);
  });

  it('is named with its mistake, and nothing is stored', async () => {
    const wrong = {
      '"*": {shelf: {row: 1}}': /docs\/kb\.meta\.yaml: \*\.shelf/,
      '"*": {source: x}': /a key of your own/,
      '"a": {b: 1}\n"*": [': /^docs\/kb\.meta\.yaml, line 2: this is not YAML: [^\n]+\.$/,
      '"*": &a {b: *c}': /docs\/kb\.meta\.yaml(, line 1)?: this is not YAML/,
      '"*": {__proto__: x}': /docs\/kb\.meta\.yaml: \*\.__proto__: no key may have this name/,
      [Array.from({ length: 1001 }, (_, i) => `"${i}*": {a: 1}\n`).join('')]: /at most 1000 patterns are expected, not 1001/,
      [Array.from({ length: 200 }, (_, i) => `"${'**/a/'.repeat(40)}${i}": {a: 1}\n`).join('')]:
        /at most 30000 characters of patterns are expected/,
      'just words': /an object is expected/,
      '"../**": {a: 1}': /"\.\."/,
    };
    for (const [text, message] of Object.entries(wrong)) {
      const engine = engineIn(folder({ ...FILES, 'docs/kb.meta.yaml': text }));
      await expect(result(engine, 'ingest', { docs: 'docs' }), text).rejects.toMatchObject({
        code: 'usage',
        message: expect.stringMatching(message),
        hint: expect.stringMatching(/./),
      });
      await expect(chunksIn(engine)).rejects.toMatchObject({ code: 'not_found' });
    }
  });

  it('is part of the output of kb parse', async () => {
    const engine = engineIn(folder({ ...FILES, 'docs/kb.meta.yaml': '"**": {region: north}' }));
    const { outputs } = await result(engine, 'parse', { files: ['docs/returns.md'] });
    expect(outputs[0]!.metadata).toMatchObject({ year: 2024, region: 'north' });
  });
});

describe('metadata of a request', () => {
  it('overrides the file, which overrides the document', async () => {
    const engine = engineIn(folder({ ...FILES, 'docs/kb.meta.yaml': 'returns.md: {audience: everybody, owner: file}' }));
    await result(engine, 'ingest', {
      docs: 'docs/returns.md',
      markdown: [{ text: 'A note.', source: 'note', metadata: { owner: 'me' } }],
      metadata: { owner: 'flag' },
    });
    expect(await metadataIn(engine)).toEqual({
      note: { owner: 'flag' },
      'returns.md': { year: 2024, audience: 'everybody', owner: 'flag' },
    });
  });

  it('changes without embedding, and is removed when it is no longer given', async () => {
    const { settings, texts } = await modelServer();
    const home = folder(FILES);
    const engine = engineIn(home, settings);
    await result(engine, 'ingest', { docs: 'docs' });
    const embedded = texts().length;
    const regions = async () => Object.values(await metadataIn(engine)).map(({ region }) => region);
    for (const [file, metadata, region] of [
      ['"**": {region: north}', undefined, 'north'],
      ['"**": {region: north}', { region: 'south' }, 'south'],
      ['{}', undefined, undefined],
    ] as const) {
      write(home, { 'docs/kb.meta.yaml': file });
      const request = { docs: 'docs', ...(metadata ? { metadata } : {}) };
      expect(await result(engine, 'ingest', request)).toMatchObject({ embedded: 0, reused: 3, stored: 3 });
      expect(await regions()).toEqual([region, region, region]);
      expect(await result(engine, 'ingest', request)).toMatchObject({ unchanged: 3, stored: 0 });
    }
    expect(texts().length).toBe(embedded);
  });

  it('is flat, and cannot set keys of kb', async () => {
    const engine = engineIn(folder(), WORDS);
    for (const metadata of [{ shelf: { row: 1 } }, { shelf: null }, { shelf: [1] }, { title: 'Mine' }, { ' ': 1 }])
      await expect(
        result(engine, 'ingest', { markdown: 'x', metadata: metadata as never }),
        JSON.stringify(metadata),
      ).rejects.toMatchObject({ code: 'usage' });
  });
});
