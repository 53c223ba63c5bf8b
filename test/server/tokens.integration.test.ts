import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { folder } from '../support/folder.ts';
import { serveIn, type Served } from '../support/server.ts';

const ALL = ['*'];
const tokens = {
  reader: { scopes: ['read'], collections: ALL },
  writer: { scopes: ['read', 'write'], collections: ALL },
  chief: { scopes: ['read', 'write', 'admin'], collections: ALL },
  guest: { scopes: ['write'], collections: ['public', 'new'] },
  support: { scopes: ['write', 'admin'], collections: ALL, filter: { team: 'support' } },
} satisfies NonNullable<Parameters<typeof serveIn>[1]>['tokens'];
type Name = keyof typeof tokens;

const by = (name: Name) => ({ authorization: `Bearer ${name}` });

/** A server with the collections `default` and `public`, and requests to it as one of the tokens. */
async function team(): Promise<Served & { as(name: Name, path: string, body?: object, method?: string): ReturnType<Served['get']> }> {
  const server = await serveIn(folder(), { tokens });
  const as = async (name: Name, path: string, body?: object, method = body ? 'POST' : 'GET') => {
    const response = await fetch(`${server.url}/v1/${path}`, {
      method,
      headers: { ...by(name), ...(body ? { 'content-type': 'application/json' } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, json: JSON.parse(text) };
  };
  for (const collection of ['default', 'public'])
    expect((await as('writer', 'pipelines/ingest', { markdown: `A note of ${collection}.`, storage: { collection } })).status).toBe(200);
  return { ...server, as };
}

const refusal = (type: string, ...parts: string[]) => ({
  error: { type, message: expect.stringMatching(new RegExp(parts.join('[^]*'))) },
});

describe('a token of the file', () => {
  it('is needed everywhere except for the health check', async () => {
    const { get, post } = await team();
    expect((await get('/v1/health')).status).toBe(200);
    for (const path of ['/v1/jobs', '/v1/openapi.json', '/docs', '/v1/nothing']) {
      const { status, json, headers } = await get(path, { authorization: 'Bearer nobody' });
      expect([path, status, headers.get('www-authenticate'), json]).toEqual([path, 401, 'Bearer', refusal('AuthenticationError')]);
    }
    expect((await post('/v1/retrieve', { query: 'x' })).status).toBe(401);
  });

  it('allows what its scopes say; the response names the missing one, whatever the body', async () => {
    const { as } = await team();
    expect((await as('reader', 'retrieve', { query: 'note' })).json.retrieved).toBe(1);
    for (const path of ['jobs', 'collections', 'collections/default', 'collections/default/sources', 'openapi.json'])
      expect((await as('reader', path)).status).toBe(200);
    for (const path of [
      'pipelines/ingest',
      'pipelines/ingest/stream',
      'ingest/docs',
      'ingest/docs/upload',
      'ingest/url',
      'ingest/api',
      'store',
      'edit',
      'delete',
    ]) {
      const { status, json } = await as('reader', path, {});
      expect([path, status, json]).toEqual([path, 403, refusal('PermissionError', 'write', '"reader"', 'read')]);
    }
    expect((await as('guest', 'retrieve', { query: 'note', collection: 'public' })).headers.get('x-kb-scopes')).toBe('read write');
    expect((await as('reader', 'jobs/x', undefined, 'DELETE')).status).toBe(403);
    expect((await as('reader', 'collections/default/sources/markdown', undefined, 'DELETE')).status).toBe(403);
    const drop = (name: Name) => as(name, 'collections/default', undefined, 'DELETE');
    expect(await drop('writer')).toMatchObject({ status: 403, json: refusal('PermissionError', 'admin') });
    expect((await drop('chief')).json).toEqual({ name: 'default', dropped: true });
  });

  it('gives access to its own collections only, on every path', async () => {
    const { as } = await team();
    const ours = { collection: 'public' };
    expect((await as('guest', 'retrieve', { query: 'note', ...ours })).json.items[0].text).toContain('public');
    expect((await as('guest', 'collections')).json.collections.map(({ name }: { name: string }) => name)).toEqual(['public']);
    const theirs: [string, object?, string?][] = [
      ['retrieve', { query: 'note' }],
      ['retrieve', { query: 'note', collection: 'default' }],
      ['pipelines/query', { query: 'note', retrieval: { collection: 'default' } }],
      ['chat', { query: 'What is the note of?' }],
      ['chat/stream', { query: 'What is the note of?', collection: 'default' }],
      ['collections/default'],
      ['pipelines/ingest', { markdown: 'x' }],
      ['pipelines/ingest', { markdown: 'x', background: true }],
      ['pipelines/ingest/stream', { markdown: 'x', storage: { collection: 'default' } }],
      ['store', { embedded_chunks: [] }],
      ['edit', { chunks: [] }],
      ['delete', { source: 'markdown' }],
      ['collections/default/sources'],
      ['collections/default/sources/markdown'],
      ['collections/default/sources/markdown', undefined, 'DELETE'],
    ];
    for (const [path, body, method] of theirs) {
      const { status, json } = await as('guest', path, body, method);
      expect([path, status, json]).toEqual([path, 403, refusal('PermissionError', '"guest"', '"default"')]);
    }
  });

  it('cannot open another store with a collection of the same name', async () => {
    const { as } = await team();
    const url = join(folder(), 'other');
    for (const place of [{ url }, { vector_db: 'qdrant' }])
      expect(await as('guest', 'retrieve', { query: 'x', collection: 'public', ...place })).toMatchObject({
        status: 403,
        json: refusal('PermissionError', 'configured store'),
      });
    expect((await as('guest', 'retrieve', { query: 'note', collection: 'public', vector_db: 'lancedb' })).status).toBe(200);
  });

  it('learns no name of other collections, also before its own exists', async () => {
    const { as } = await team();
    await as('writer', 'pipelines/ingest', { markdown: 'x', storage: { collection: 'newer' } });
    const { text, json } = await as('guest', 'retrieve', { query: 'x', collection: 'new' });
    expect([json.failed, text]).toEqual([1, expect.not.stringContaining('newer')]);
  });

  it('sees the jobs of its collections, and its own jobs without a collection', async () => {
    const { as } = await team();
    const start = async (name: Name, path: string, body: object): Promise<string> =>
      (await as(name, path, { ...body, background: true })).json.id;
    const ours = await start('writer', 'pipelines/ingest', { markdown: 'x', storage: { collection: 'public' } });
    const theirs = [
      await start('writer', 'pipelines/ingest', { markdown: 'x' }),
      await start('writer', 'ingest/url', { url: 'http://127.0.0.1:9/' }),
    ];
    const own = await start('guest', 'ingest/url', { url: 'http://127.0.0.1:9/' });
    const listed = async (name: Name) => (await as(name, 'jobs')).json.jobs.map(({ id }: { id: string }) => id).toSorted();
    expect(await listed('guest')).toEqual([ours, own].toSorted());
    expect(await listed('reader')).toEqual([ours, ...theirs, own].toSorted());
    for (const id of theirs)
      for (const [path, method] of [
        [`jobs/${id}`, 'GET'],
        [`jobs/${id}/events`, 'GET'],
        [`jobs/${id}`, 'DELETE'],
      ] as const)
        expect((await as('guest', path, undefined, method)).status).toBe(404);
    expect((await as('guest', `jobs/${ours}`)).json).toEqual(expect.not.objectContaining({ token: expect.anything() }));
  });
});

describe('a token with a filter', () => {
  const markdown = [
    { text: 'The code of the support room is 7001.', source: 'support.md', metadata: { team: 'support' } },
    { text: 'The code of the finance room is 9002.', source: 'finance.md', metadata: { team: 'finance' } },
    { text: 'The code of the cellar is 4003.', source: 'cellar.md' },
  ];
  const secret = /9002|4003|finance|cellar/;

  /** A server with documents of several teams, and the ids of their chunks by source. */
  async function teams() {
    const server = await team();
    await server.as('writer', 'pipelines/ingest', { markdown, storage: { collection: 'rooms' } });
    const { items } = (await server.as('writer', 'retrieve', { query: 'code room cellar', collection: 'rooms' })).json;
    const idOf = (source: string): string => items.find((item: { metadata: { source: string } }) => item.metadata.source === source).id;
    const documents = async () => (await server.as('writer', 'collections/rooms/sources')).json.sources;
    return { ...server, idOf, documents };
  }

  it('reads matching chunks only, on every path that reads', async () => {
    const { as, idOf } = await teams();
    const rooms = { collection: 'rooms' };
    const reads: [string, object?][] = [
      ['retrieve', { query: 'code of the room', ...rooms }],
      ['retrieve', { query: 'code of the room', ...rooms, mode: 'text', filter: { or: [{ team: 'finance' }, { team: 'support' }] } }],
      ['retrieve', { query: 'code of the room', ...rooms, filter: { colour: 'red' } }],
      ['pipelines/query', { query: 'code of the room', retrieval: rooms }],
      ['chat', { query: 'What is the code of the finance room?', ...rooms }],
      ['chat/stream', { query: 'What is the code of the finance room?', ...rooms }],
      ['chat/completions', { model: 'rooms', messages: [{ role: 'user', content: 'What is the code of the finance room?' }] }],
      ['collections/rooms/sources'],
      ['collections/rooms/sources/support.md'],
      ['collections/rooms'],
      ['collections'],
    ];
    for (const [path, body] of reads) {
      const { status, text } = await as('support', path, body).catch((error: Error) => ({ status: 200, text: String(error.message) }));
      expect([
        path,
        status,
        text
          .replaceAll(JSON.stringify(body ?? ''), '')
          .replaceAll(/finance room\?/g, '')
          .match(secret),
      ]).toEqual([path, 200, null]);
    }
    expect((await as('support', 'collections/rooms')).json).toMatchObject({ chunks: 1, sources: 1 });
    expect((await as('support', 'retrieve', { query: 'code of the room', ...rooms })).json.items).toMatchObject([
      { id: idOf('support.md') },
    ]);
    expect((await as('support', 'collections/rooms/sources/finance.md')).status).toBe(404);
  });

  it('writes and removes matching chunks only', async () => {
    const { as, idOf, documents } = await teams();
    const stored = await documents();
    const ingest = (entry: object) => as('support', 'pipelines/ingest', { markdown: [entry], storage: { collection: 'rooms' } });
    const refused = [
      await ingest({ text: 'New.', source: 'new.md' }),
      await ingest({ text: 'New.', source: 'new.md', metadata: { team: 'finance' } }),
      await ingest({ text: 'New.', source: 'finance.md', metadata: { team: 'support' } }),
      await as('support', 'store', {
        collection: 'rooms',
        embedded_chunks: [{ id: idOf('cellar.md'), text: 'x', source: 'x.md', metadata: { team: 'support' } }],
      }),
      await as('support', 'edit', { collection: 'rooms', chunks: [{ id: idOf('support.md'), text: 'x', metadata: { team: 'finance' } }] }),
      await as('support', 'collections/rooms', undefined, 'DELETE'),
    ];
    expect(refused.map(({ status }) => status)).toEqual(refused.map(() => 403));
    for (const where of [{ ids: [idOf('finance.md')] }, { source: 'cellar.md' }, { filter: { team: 'finance' } }])
      expect((await as('support', 'delete', { collection: 'rooms', ...where })).json.deleted).toBe(0);
    expect((await as('support', 'edit', { collection: 'rooms', chunks: [{ id: idOf('cellar.md'), text: 'x' }] })).json).toMatchObject({
      edited: 0,
      failed: 1,
    });
    expect((await as('support', 'collections/rooms/sources/finance.md', undefined, 'DELETE')).status).toBe(404);
    expect(await documents()).toEqual(stored);
    expect((await ingest({ text: 'The new code is 7009.', source: 'support.md', metadata: { team: 'support' } })).json.stored).toBe(1);
    expect((await as('support', 'delete', { collection: 'rooms', filter: { source: { exists: true } } })).json.deleted).toBe(1);
    expect((await documents()).map(({ source }: { source: string }) => source)).toEqual(['cellar.md', 'finance.md']);
  });

  it('sees only its own jobs', async () => {
    const { as } = await teams();
    await as('writer', 'ingest/url', { url: 'http://127.0.0.1:9/', background: true });
    const { id } = (await as('support', 'ingest/url', { url: 'http://127.0.0.1:9/', background: true })).json;
    expect((await as('support', 'jobs')).json.jobs).toMatchObject([{ id }]);
  });
});
