import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ingestSources } from '../../src/cli/source-flags.ts';
import { folder } from '../support/folder.ts';

describe('the sources of an ingest', () => {
  it('are those of a file, and over them what the flags name', async () => {
    const home = folder({
      'list.yaml': 'docs: [a.md]\nurls: https://example.com/\nconcurrency: parallel\n',
      'one.json': '{"markdown": "Text."}',
    });
    expect(await ingestSources({ sources: join(home, 'list.yaml'), docs: ['b.md', 'c.md'] }, { home, environment: {} })).toEqual({
      docs: ['b.md', 'c.md'],
      urls: 'https://example.com/',
      concurrency: 'parallel',
    });
    expect(await ingestSources({ sources: join(home, 'one.json') }, { home, environment: {} })).toEqual({ markdown: 'Text.' });
    expect(await ingestSources({}, { home, environment: {} })).toEqual({});
  });

  it('refuse metadata and files with a key that schemas drop without a word, and name the line of a file that is not YAML', async () => {
    const home = folder({ 'api.yaml': 'url: https://a.example/\nparams: {__proto__: 1}\n', 'broken.yaml': 'url: x\n- y\n' });
    const sources = (flags: object) => ingestSources(flags as never, { home, environment: {} });
    await expect(sources({ metadata: ['__proto__=x'] })).rejects.toThrow('--metadata: __proto__: no key may have this name.');
    await expect(sources({ metadata: ['a={__proto__: 1}'] })).rejects.toThrow('a.__proto__');
    await expect(sources({ api: [`@${join(home, 'api.yaml')}`] })).rejects.toThrow('params.__proto__: no key may have this name.');
    await expect(sources({ sources: join(home, 'broken.yaml') })).rejects.toThrow(/broken\.yaml, line 2: this is not YAML: [^\n]+\.$/);
    expect(await sources({ metadata: ['constructor=x'] })).toEqual({ metadata: { constructor: 'x' } });
  });

  it('may be texts and files of text, which keep their path as their name', async () => {
    const home = folder({ 'notes/a b.md': '# Note' });
    expect(await ingestSources({ markdown: ['The gate.', `@${join(home, 'notes/a b.md')}`] }, { home, environment: {} })).toEqual({
      markdown: ['The gate.', { text: '# Note', source: 'notes/a b.md' }],
    });
  });

  it('may be APIs by address, by a file with one or with several', async () => {
    const home = folder({
      'one.yaml': 'url: https://a.example/\nmax_pages: 2\n',
      'two.json': '[{"url": "https://b.example/"}, "https://c.example/"]',
    });
    expect(
      await ingestSources(
        { api: ['https://d.example/', `@${join(home, 'one.yaml')}`, `@${join(home, 'two.json')}`] },
        { home, environment: {} },
      ),
    ).toEqual({
      api: ['https://d.example/', { url: 'https://a.example/', max_pages: 2 }, { url: 'https://b.example/' }, 'https://c.example/'],
    });
  });

  it('have the values of variables in what files say of APIs, and nowhere else', async () => {
    const home = folder({
      'one.yaml': 'url: https://a.example/\nheaders:\n  Authorization: Bearer ${API_TOKEN}\nparams:\n  key: "${NONE_SUCH}"\n',
      'list.yaml':
        'urls: "https://a.example/${API_TOKEN}"\nmarkdown: "Set ${API_TOKEN}."\napi:\n  url: https://b.example/\n  body: {token: "${API_TOKEN}"}\ningestion:\n  api:\n    headers:\n      X-Key: ${API_TOKEN}\n',
    });
    const environment = { API_TOKEN: 't0ken' };
    expect(await ingestSources({ api: [`@${join(home, 'one.yaml')}`, 'https://c.example/${API_TOKEN}'] }, { home, environment })).toEqual({
      api: [
        { url: 'https://a.example/', headers: { Authorization: 'Bearer t0ken' }, params: { key: '${NONE_SUCH}' } },
        'https://c.example/${API_TOKEN}',
      ],
    });
    expect(await ingestSources({ sources: join(home, 'list.yaml') }, { home, environment })).toEqual({
      urls: 'https://a.example/${API_TOKEN}',
      markdown: 'Set ${API_TOKEN}.',
      api: { url: 'https://b.example/', body: { token: 't0ken' } },
      ingestion: { api: { headers: { 'X-Key': 't0ken' } } },
    });
  });

  it('that can not be read are named with their flag', async () => {
    const home = folder({
      'broken.yaml': 'docs: [a\n',
      'list.yaml': '- a.md\n',
      'empty.yaml': '',
      'typo.yaml': 'url: https://a.example/\npaginaton: {}\n',
      'number.yaml': '5',
    });
    const refusals: [Record<string, unknown>, RegExp][] = [
      [{ sources: join(home, 'none.yaml') }, /--sources: the file .*none\.yaml cannot be read/],
      [{ sources: join(home, 'broken.yaml') }, /--sources: .*broken\.yaml, line \d: this is not YAML/],
      [{ sources: join(home, 'list.yaml') }, /--sources: .*list\.yaml holds no request/],
      [{ sources: join(home, 'empty.yaml') }, /--sources: .*empty\.yaml holds no request/],
      [{ markdown: ['@none.md'] }, /--markdown: the file none\.md cannot be read/],
      [{ api: ['@none.yaml'] }, /--api: the file none\.yaml cannot be read: there is none/],
      [{ api: ['@'] }, /--api: no file is named after @/],
      [{ api: [`@${home}`] }, /--api: the file .* cannot be read: it is a folder/],
      [{ api: [`@${join(home, 'typo.yaml')}`] }, /--api: .*typo\.yaml: paginaton: this key is unknown\. Did you mean «pagination»/],
      [{ api: [`@${join(home, 'number.yaml')}`] }, /--api: .*number\.yaml: what describes an API: an object is expected/],
    ];
    for (const [flags, message] of refusals)
      await expect(ingestSources(flags, { home, environment: {} })).rejects.toMatchObject({
        code: 'usage',
        message: expect.stringMatching(message),
      });
  });
});
