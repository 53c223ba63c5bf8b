import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { formatPath, explainValidationError } from '../../src/core/validation-issues.ts';
import { operations, type OperationName } from '../../src/schema/operations.ts';
import { Config, DEFAULTS } from '../../src/schema/config.ts';

function said(name: OperationName, request: unknown): string {
  const schema: z.ZodType = operations[name].input;
  const { error } = schema.safeParse(request);
  return error ? explainValidationError(error, { schema, value: request }) : 'it fits';
}

const MODES = 'one of hybrid, vector, text is expected';

describe('explainValidationError', () => {
  it.each<[OperationName, unknown, string]>([
    // missing, or of another kind
    ['retrieve', {}, 'query: a text is expected, and nothing was given.'],
    ['retrieve', { query: 5 }, 'query: a text is expected, not a number.'],
    ['retrieve', { query: null }, 'query: a text is expected, not null.'],
    ['retrieve', { query: true }, 'query: a text is expected, not true.'],
    ['retrieve', { query: ['x'] }, 'query: a text is expected, not a list.'],
    ['retrieve', { query: {} }, 'query: a text is expected, not an object.'],
    ['retrieve', { query: 'x', top_k: 'ten' }, 'top_k: a number is expected, not a text.'],
    ['retrieve', { query: 'x', top_k: 1.5 }, 'top_k: a whole number is expected, not one with decimals.'],
    ['retrieve', { query: 'x', top_k: Infinity }, 'top_k: a number is expected, not Infinity.'],
    ['retrieve', { query: 'x', use_rerank: 'yes' }, 'use_rerank: true or false is expected, not a text.'],
    ['retrieve', { query: 'x', options: [] }, 'options: an object is expected, not a list.'],
    ['query', { query: 'x', retrieval: { top_k: 'ten' } }, 'retrieval.top_k: a number is expected, not a text.'],
    ['query', { query: 'x', retrieval: { query_rewrite: true } }, 'retrieval.query_rewrite: an object is expected, not true.'],
    ['embed', { chunks: 'text' }, 'chunks: a list is expected, not a text.'],
    ['embed', { chunks: [{ id: 'a' }] }, 'chunks[0].text: a text is expected, and nothing was given.'],
    ['store', { embedded_chunks: 5 }, 'embedded_chunks: a list is expected, not a number.'],
    ['edit', {}, 'chunks: a list is expected, and nothing was given.'],
    ['delete', { ids: 7 }, 'ids: a list is expected, not a number.'],
    ['retrieve', [], 'the request: an object is expected, not a list.'],
    ['retrieve', null, 'the request: an object is expected, not null.'],
    ['ingest', { api: { url: 'x', headers: { a: 1 } } }, 'api.headers.a: a text is expected, not a number.'],
    ['ingest', { url: 'https://a.example/' }, 'url: this key is unknown. Did you mean "urls"?'],
    // one of several values
    ['retrieve', { query: 'x', mode: 'psychic' }, `mode: ${MODES}.`],
    ['retrieve', { query: 'x', mode: 'vectr' }, `mode: ${MODES}. Did you mean "vector"?`],
    ['retrieve', { query: 'x', mode: 7 }, `mode: ${MODES}, not a number.`],
    ['ingest', { markdown: 'x', concurrency: 'sideways' }, 'concurrency: one of serial, parallel is expected.'],
    ['chat', { query: 'x', history: [{ role: 'wizard', content: 'y' }] }, 'history[0].role: one of user, assistant is expected.'],
    // bounds
    ['retrieve', { query: '' }, 'query: non-blank text is expected.'],
    ['retrieve', { query: 'x'.repeat(100_001) }, 'query: at most 100,000 characters are expected.'],
    ['retrieve', { query: 'x', top_k: 0 }, 'top_k: at least 1 is expected.'],
    ['retrieve', { query: 'x', top_k: 1e30 }, 'top_k: at most 1,000 is expected.'],
    ['ingest', { api: { url: 'x', timeout: 0 } }, 'api.timeout: more than 0 is expected.'],
    ['ingest', { api: { url: 'x', timeout: 3601 } }, 'api.timeout: at most 3,600 is expected.'],
    ['scrape', { url: 'x', max_pages: -1 }, 'max_pages: at least 1 is expected.'],
    ['ingest', { urls: [{ url: 'x', max_depth: 1000 }] }, 'urls[0].max_depth: at most 100 is expected.'],
    ['embed', { chunks: Array.from({ length: 20_001 }) }, 'chunks: at most 20,000 entries are expected.'],
    [
      'retrieve',
      { query: 'x', filter: { year: { in: [] } } },
      'filter.year.in: a list of 1 to 10,000 texts, numbers, true or false is expected.',
    ],
    [
      'retrieve',
      { query: 'x', collection: '../x' },
      'collection: a name of letters, digits, _ . - (at most 63, the first a letter or digit) is expected.',
    ],
    // unknown keys
    ['retrieve', { query: 'x', topk: 3 }, 'topk: this key is unknown. Did you mean "top_k"?'],
    ['retrieve', { qery: 'x' }, 'qery: this key is unknown. Did you mean "query"?'],
    ['retrieve', { query: 'x', api_key: 'sk-1' }, 'api_key: this key is unknown. Credentials are read from the environment.'],
    ['list_collections', { x: 1 }, 'x: this key is unknown.'],
    [
      'query',
      { query: 'x', retrieval: { rerank: { topk: 1 } } },
      'retrieval.rerank.topk: this key is unknown. Did you mean "retrieval.rerank.top_k"?',
    ],
    [
      'chat',
      { query: 'x', history: [{ role: 'user', content: 'y', sources: [] }] },
      'history[0].sources: this key is unknown. Known here: role, content.',
    ],
    [
      'chunk',
      { markdown: [{ text: 'x', marks: [{ at: 0, lin: 3 }] }] },
      'markdown[0].marks[0].lin: this key is unknown. Did you mean "markdown[0].marks[0].line"?',
    ],
    // unions
    ['ingest', { docs: 7 }, 'docs: a text, an object or a list is expected, not a number.'],
    ['ingest', { docs: ['a', 7] }, 'docs[1]: a text or an object is expected, not a number.'],
    ['ingest', { docs: { folder: 7 } }, 'docs.folder: a text is expected, not a number.'],
    ['ingest', { docs: { foldr: 'x' } }, 'docs.foldr: this key is unknown. Did you mean "docs.folder"?'],
    ['ingest', { docs: '' }, 'docs: at least 1 character is expected.'],
    ['parse', { files: [{ path: 'a' }, { pth: 'x' }] }, 'files[1].pth: this key is unknown. Did you mean "files[1].path"?'],
    ['parse', { files: [{ path: 'a' }, {}] }, 'files[1].path: a text is expected, and nothing was given.'],
    ['ingest', { markdown: [{ txt: 'x' }] }, 'markdown[0].txt: this key is unknown. Did you mean "markdown[0].text"?'],
    [
      'ingest',
      { api: { url: 'x', pagination: { type: 'pgae' } } },
      'api.pagination.type: one of page, offset, cursor, link is expected. Did you mean "page"?',
    ],
    ['scrape', {}, 'url: a text, an object or a list is expected, and nothing was given.'],
    [
      'retrieve',
      { query: 'x', filter: { year: null } },
      'filter.year: a text, a number, true, false or an object with in, gt, gte, lt, lte, prefix, exists is expected.',
    ],
    [
      'retrieve',
      { query: 'x', filter: { year: { above: 1 } } },
      'filter.year.above: one of in, gt, gte, lt, lte, prefix, exists is expected.',
    ],
    ['retrieve', { query: 'x', filter: { year: {} } }, 'filter.year: one of in, gt, gte, lt, lte, prefix, exists is expected.'],
    [
      'retrieve',
      { query: 'x', filter: { year: { in: 3 } } },
      'filter.year.in: a list of 1 to 10,000 texts, numbers, true or false is expected.',
    ],
    ['retrieve', { query: 'x', filter: { year: { gte: [] } } }, 'filter.year.gte: a text or a number is expected.'],
    // several: a line for each
    [
      'retrieve',
      { query: 5, top_k: 'ten', mode: 3 },
      `query: a text is expected, not a number.\ntop_k: a number is expected, not a text.\nmode: ${MODES}, not a number.`,
    ],
    [
      'retrieve',
      { query: '', topk: 3, mode: 3 },
      `topk: this key is unknown. Did you mean "top_k"?\nquery: non-blank text is expected.\nmode: ${MODES}, not a number.`,
    ],
    ['retrieve', { qery: 'x', top_k: 0 }, 'qery: this key is unknown. Did you mean "query"?\ntop_k: at least 1 is expected.'],
    ['retrieve', { top_k: 0 }, 'query: a text is expected, and nothing was given.\ntop_k: at least 1 is expected.'],
    [
      'chat',
      { query: 'x', history: [{ role: 'user' }, { role: 'x', content: 3, a: 1, b: 2 }] },
      'history[1].a: this key is unknown. Known here: role, content.\nhistory[1].b: this key is unknown.\nhistory[0].content: a text is expected, and nothing was given.\nhistory[1].role: one of user, assistant is expected.\nhistory[1].content: a text is expected, not a number.',
    ],
    [
      'chat',
      { query: 'x', history: [{ role: 'user', cntent: 'a' }, { role: 'user' }] },
      'history[0].cntent: this key is unknown. Did you mean "history[0].content"?\nhistory[1].content: a text is expected, and nothing was given.',
    ],
    [
      'parse',
      { files: [{}, { path: 1 }] },
      'files[0].path: a text is expected, and nothing was given.\nfiles[1].path: a text is expected, not a number.',
    ],
    [
      'retrieve',
      { query: 'x', filter: { year: null, lang: { in: 3, prefix: 4 }, or: [{ tag: 'a' }, { tag: { above: 1 } }] } },
      'filter.year: a text, a number, true, false or an object with in, gt, gte, lt, lte, prefix, exists is expected.\nfilter.lang.in: a list of 1 to 10,000 texts, numbers, true or false is expected.\nfilter.lang.prefix: a text is expected.\nfilter.or[1].tag.above: one of in, gt, gte, lt, lte, prefix, exists is expected.',
    ],
    [
      'ingest',
      { markdown: 'x', metadata: { source: 'a', ' ': 2 } },
      expect.stringMatching(
        /^metadata\.source: a key of your own \(.*\nmetadata\. : a key of 1 to 200 characters is expected\.$/,
      ) as string,
    ],
    [
      'edit',
      {
        chunks: [
          { id: 'a', text: 'b' },
          { id: 'a', text: 'c' },
        ],
        batch_size: 0,
      },
      'The chunk "a" is given twice: give each chunk once.\nbatch_size: at least 1 is expected.',
    ],
  ])('%s %j', (name, request, expected) => {
    expect(said(name, request)).toEqual(expected);
  });

  it('reports integers beyond safe bounds', () => {
    const mark = { at: 0, line: 1e30, row: 1e30 };
    expect(said('chunk', { markdown: [{ text: 'x', marks: [mark] }] })).toMatch(
      /^markdown\[0\]\.marks\[0\]\.row: at most .*\.\nmarkdown\[0\]\.marks\[0\]\.line: at most .*\.$/,
    );
  });

  it('names ten values, unknown keys first, and counts the others', () => {
    const history = Array.from({ length: 11 }, () => ({ role: 'user', content: 7 }));
    const lines = said('chat', { query: 'x', history }).split('\n');
    expect(lines).toEqual([
      ...history.slice(1).map((_, i) => `history[${i}].content: a text is expected, not a number.`),
      'And 1 more value does not fit.',
    ]);
    const more = said('chat', { query: 'x', topk: 1, history }).split('\n');
    expect([more[0], more.at(-2), more.at(-1)]).toEqual([
      'topk: this key is unknown. Did you mean "top_k"?',
      'history[8].content: a text is expected, not a number.',
      'And 2 more values do not fit.',
    ]);
    const keys = Object.fromEntries(Array.from({ length: 1012 }, (_, i) => [`x${i}`, i]));
    expect(
      said('retrieve', { query: 1, ...keys })
        .split('\n')
        .slice(9),
    ).toEqual(['x9: this key is unknown.', 'And 1,003 more values do not fit.']);
  });

  it('never repeats the given value', () => {
    const secret = 'sk-live-0123456789';
    const requests = [
      { query: 'x', mode: secret },
      { query: 'x', top_k: secret },
      { query: 'x', collection: `${secret}/` },
      { query: 'x', filter: { a: [secret] } },
      { query: 'x', filter: { a: { in: secret } } },
      { query: 'x', options: secret },
    ];
    for (const request of requests) expect(said('retrieve', request)).not.toMatch(/fits|sk-live/);
  });

  it('truncates long names', () => {
    expect(said('retrieve', { query: 'x', ['k'.repeat(5000)]: 1 })).toMatch(/^k{60}…: this key is unknown\./);
    expect(said('retrieve', { query: 'x', filter: { ['k'.repeat(5000)]: null } })).toMatch(/^filter\.k{60}…: /);
  });

  it('lists all accepted types of a union', () => {
    const value = { ...DEFAULTS, network: { ...DEFAULTS.network, allow_private: 'autoo' } };
    expect(explainValidationError(Config.safeParse(value).error!, { schema: Config, value })).toBe(
      'network.allow_private: auto, true or false or a list is expected. Did you mean "auto"?',
    );
  });

  it('suggests the block that contains a key', () => {
    expect(said('ingest', { markdown: 'x', collection: 'manuals' })).toBe(
      'collection: this key is unknown. Here it is "storage.collection".',
    );
    expect(said('ingest', { markdown: 'x', chunk_size: 500 })).toBe('chunk_size: this key is unknown. Here it is "chunking.chunk_size".');
  });

  it('uses the message of a check that is a whole sentence', () => {
    const schema = z
      .strictObject({ a: z.int().optional(), b: z.int().optional() })
      .refine(({ a, b }) => a !== b, 'One of a and b is to be more.');
    const { error } = schema.safeParse({ a: 1, b: 1 });
    expect(explainValidationError(error!, { schema, value: { a: 1, b: 1 } })).toBe('One of a and b is to be more.');
  });

  it('names the whole value as the caller does', () => {
    const schema = operations.embed.input.shape.chunks.element;
    expect(explainValidationError(schema.safeParse(7).error!, { schema, value: 7, whole: 'the line' })).toBe(
      'the line: an object is expected, not a number.',
    );
  });
});

describe('misspelt keys', () => {
  it.each<[PropertyKey[], string]>([
    [[], ''],
    [['files', 1, 'path'], 'files[1].path'],
    [['retrieval', 'top_k'], 'retrieval.top_k'],
    [[0, 'id'], '[0].id'],
  ])('%j is %s', (path, written) => {
    expect(formatPath(path)).toBe(written);
  });
});
