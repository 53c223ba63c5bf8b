import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ingestSources } from '../../src/cli/sources.ts';
import { folder } from '../support/folder.ts';

describe('the sources of an ingest', () => {
  it('are those of a file, and over them what the flags name', async () => {
    const home = folder({
      'list.yaml': 'docs: [a.md]\nurls: https://example.com/\nconcurrency: parallel\n',
      'one.json': '{"markdown": "Text."}',
    });
    expect(await ingestSources({ sources: join(home, 'list.yaml'), docs: ['b.md', 'c.md'] }, home)).toEqual({
      docs: ['b.md', 'c.md'],
      urls: 'https://example.com/',
      concurrency: 'parallel',
    });
    expect(await ingestSources({ sources: join(home, 'one.json') }, home)).toEqual({ markdown: 'Text.' });
    expect(await ingestSources({}, home)).toEqual({});
  });

  it('may be texts and files of text, which keep their path as their name', async () => {
    const home = folder({ 'notes/a b.md': '# Note' });
    expect(await ingestSources({ markdown: ['The gate.', `@${join(home, 'notes/a b.md')}`] }, home)).toEqual({
      markdown: ['The gate.', { text: '# Note', source: 'notes/a b.md' }],
    });
  });

  it('may be APIs by address, by a file with one or with several', async () => {
    const home = folder({
      'one.yaml': 'url: https://a.example/\nmax_pages: 2\n',
      'two.json': '[{"url": "https://b.example/"}, "https://c.example/"]',
    });
    expect(await ingestSources({ api: ['https://d.example/', `@${join(home, 'one.yaml')}`, `@${join(home, 'two.json')}`] }, home)).toEqual({
      api: ['https://d.example/', { url: 'https://a.example/', max_pages: 2 }, { url: 'https://b.example/' }, 'https://c.example/'],
    });
  });

  it('that can not be read are named with their flag', async () => {
    const home = folder({ 'broken.yaml': 'docs: [a\n', 'list.yaml': '- a.md\n', 'empty.yaml': '' });
    const refusals: [Record<string, unknown>, RegExp][] = [
      [{ sources: join(home, 'none.yaml') }, /--sources: the file .*none\.yaml cannot be read/],
      [{ sources: join(home, 'broken.yaml') }, /--sources: .*broken\.yaml is neither YAML nor JSON/],
      [{ sources: join(home, 'list.yaml') }, /--sources: .*list\.yaml holds no request/],
      [{ sources: join(home, 'empty.yaml') }, /--sources: .*empty\.yaml holds no request/],
      [{ markdown: ['@none.md'] }, /--markdown: the file none\.md cannot be read/],
      [{ api: ['@none.yaml'] }, /--api: the file none\.yaml cannot be read/],
    ];
    for (const [flags, message] of refusals)
      await expect(ingestSources(flags, home)).rejects.toMatchObject({ code: 'usage', message: expect.stringMatching(message) });
  });
});
