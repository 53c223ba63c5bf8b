import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ingestSources, listPages, readFetchApis } from '../../src/cli/source-flags.ts';
import { folder } from '../support/folder.ts';

describe('the sources of an ingest', () => {
  it('are those of a file, overridden by flags', async () => {
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

  it('reject metadata and files with a key that schemas drop silently, and name the line of invalid YAML', async () => {
    const home = folder({ 'api.yaml': 'url: https://a.example/\nparams: {__proto__: 1}\n', 'broken.yaml': 'url: x\n- y\n' });
    const sources = (flags: object) => ingestSources(flags as never, { home, environment: {} });
    await expect(sources({ metadata: ['__proto__=x'] })).rejects.toThrow('--metadata: __proto__: no key may have this name.');
    await expect(sources({ metadata: ['a={__proto__: 1}'] })).rejects.toThrow('a.__proto__');
    await expect(sources({ api: [`@${join(home, 'api.yaml')}`] })).rejects.toThrow('params.__proto__: no key may have this name.');
    await expect(sources({ sources: join(home, 'broken.yaml') })).rejects.toThrow(/broken\.yaml, line 2: this is not YAML: [^\n]+\.$/);
    expect(await sources({ metadata: ['constructor=x'] })).toEqual({ metadata: { constructor: 'x' } });
  });

  it('may be texts, and text files with their path as name', async () => {
    const home = folder({ 'notes/a b.md': '# Note' });
    expect(await ingestSources({ markdown: ['The gate.', `@${join(home, 'notes/a b.md')}`] }, { home, environment: {} })).toEqual({
      markdown: ['The gate.', { text: '# Note', source: 'notes/a b.md' }],
    });
  });

  it('may be APIs by address, or by a file with one or several', async () => {
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

  it('have variables replaced only in what files say of APIs', async () => {
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

  it('that cannot be read are named with their flag', async () => {
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
      [{ api: ['@none.yaml'] }, /--api: the file none\.yaml cannot be read: no such file/],
      [{ api: ['@'] }, /--api: no file is named after @/],
      [{ api: [`@${home}`] }, /--api: the file .* cannot be read: it is a folder/],
      [{ api: [`@${join(home, 'typo.yaml')}`] }, /--api: .*typo\.yaml: paginaton: this key is unknown\. Did you mean "pagination"/],
      [{ api: [`@${join(home, 'number.yaml')}`] }, /--api: .*number\.yaml: what describes an API: an object is expected/],
    ];
    for (const [flags, message] of refusals)
      await expect(ingestSources(flags, { home, environment: {} })).rejects.toMatchObject({
        code: 'usage',
        message: expect.stringMatching(message),
      });
  });
});

const failure = (source: string, over: object = {}) => ({
  source,
  source_kind: 'url',
  stage: 'crawl',
  error: 'No.',
  isRetryable: true,
  attempts: 4,
  ...over,
});
const busy = failure('https://a.example/busy', { retry_input: { url: 'https://a.example/busy' } });
const gone = failure('https://a.example/gone', { isRetryable: false });
const fileOf = (text: string) => join(folder({ 'failed.json': text }), 'failed.json');

describe('the pages of kb scrape', () => {
  it('are the named ones, and the retryable failures of a result', () => {
    const path = fileOf(JSON.stringify({ pages: 1, outputs: [], dlq: [busy], errors: [busy, gone] }));
    expect(listPages(['https://a.example/'], path)).toEqual(['https://a.example/', { mode: 'each', url: 'https://a.example/busy' }]);
    expect(listPages(['https://a.example/'], undefined)).toEqual(['https://a.example/']);
  });

  it('may be a list of failures, or one per line; each page comes once', () => {
    const api = failure('https://a.example/api', { source_kind: 'api', retry_input: { url: 'https://a.example/api' } });
    const plain = failure('https://a.example/plain');
    const wanted = [
      { mode: 'each', url: 'https://a.example/busy' },
      { mode: 'each', url: 'https://a.example/plain' },
    ];
    expect(listPages([], fileOf(JSON.stringify([busy, gone, api, plain, busy])))).toEqual(wanted);
    expect(listPages([], fileOf(`${JSON.stringify(busy)}\n\n${JSON.stringify(plain)}\n`))).toEqual(wanted);
    expect(listPages([], fileOf(JSON.stringify(plain)))).toEqual(wanted.slice(1));
  });

  it('are crawled again after the failure of a whole crawl', () => {
    const retry_input = { url: 'https://a.example/', mode: 'full', max_depth: 2, max_pages: 9, include: [], exclude: ['/x'] };
    expect(listPages([], fileOf(JSON.stringify([failure('https://a.example/', { retry_input })])))).toEqual([retry_input]);
  });

  it('stay on the sites of their failures', () => {
    const path = fileOf(
      JSON.stringify([failure('https://a.example/x', { retry_input: { url: 'http://ann:pass@127.0.0.1/x', mode: 'full' } })]),
    );
    expect(() => listPages([], path)).toThrow(
      expect.objectContaining({
        code: 'usage',
        message: expect.stringContaining('http://127.0.0.1/x read in place of https://a.example/x'),
      }),
    );
  });

  it('may be none', () => {
    expect(listPages([], fileOf(JSON.stringify({ dlq: null, errors: [gone] })))).toEqual([]);
    expect(listPages([], fileOf(JSON.stringify([gone])))).toEqual([]);
    expect(listPages([], fileOf(''))).toEqual([]);
  });

  it('must be named, or listed in a readable file', () => {
    const refused = (path: string | undefined) => {
      try {
        return String(listPages([], path).length);
      } catch (error) {
        return (error as Error).message;
      }
    };
    expect(refused(undefined)).toBe('There is no page to be read.');
    expect(refused('/nowhere/failed.json')).toBe('--retry: the file /nowhere/failed.json cannot be read: no such file.');
    expect(refused(folder())).toMatch(/^--retry: the file .* cannot be read: it is a folder\.$/);
    expect(refused(fileOf('{"source": "x"}\nno json'))).toMatch(/^--retry: line 2 of .*failed\.json is not JSON/);
    expect(refused(fileOf('{"text": "a document"}'))).toMatch(/is no list of failures/);
    expect(refused(fileOf('[3]'))).toMatch(/is no list of failures/);
  });
});

it('each API gets the headers and parameters of the command line, with variables replaced', () => {
  const flags = { header: ['X-Tide: high', 'Authorization: Bearer ${TOKEN}'], param: ['limit=5', 'q=a=b', 'tag=x', 'tag=y'] };
  const sent = { headers: { 'X-Tide': 'high', Authorization: 'Bearer t0ken' }, params: { limit: '5', q: 'a=b', tag: ['x', 'y'] } };
  expect(readFetchApis(['https://a.example/', 'https://b.example/'], flags, { TOKEN: 't0ken' })).toEqual([
    { url: 'https://a.example/', ...sent },
    { url: 'https://b.example/', ...sent },
  ]);
});

it('an invalid pair is rejected without being repeated', () => {
  expect(() => readFetchApis(['https://a.example/'], { header: ['s3cret'] }, {})).toThrow(/^--header: a name and a value with ":"/);
  expect(() => readFetchApis(['https://a.example/'], { param: ['=s3cret'] }, {})).toThrow(/^--param: a name and a value with "="/);
});
