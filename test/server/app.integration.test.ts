import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { folder } from '../support/folder.ts';
import { serveIn, type Served } from '../support/server.ts';

const RULES = [
  { text: '# Doors\n\nDoors are locked at ten in the evening.', source: 'doors.md', metadata: { floor: 1 } },
  { text: '# Bikes\n\nBikes stay outside of the building.', source: 'bikes.md', metadata: { floor: 0 } },
];

async function filled(): Promise<Served> {
  const server = await serveIn(folder());
  const { status, json } = await server.post('/v1/pipelines/ingest', { markdown: RULES });
  expect([status, json.sources, json.failed]).toEqual([200, 2, 0]);
  return server;
}

const envelope = (type: string, message: unknown = expect.any(String)) => ({ error: { type, message } });

describe('a route', () => {
  it('takes the request of its operation and returns its result', async () => {
    const server = await filled();
    const { status, json, headers } = await server.post('/v1/retrieve', { query: 'When are doors locked?', top_k: 1 });
    expect([status, json.items[0].metadata.source, headers.get('content-type')]).toEqual([
      200,
      'doors.md',
      'application/json; charset=utf-8',
    ]);
    const nested = await server.post('/v1/pipelines/query', { query: 'When are doors locked?', retrieval: { top_k: 1 } });
    expect(nested.json).toEqual(json);
  });

  it('reads parameters of its path as fields of the request', async () => {
    const server = await filled();
    expect((await server.get('/v1/collections')).json.collections.map(({ name }: { name: string }) => name)).toEqual(['default']);
    expect((await server.get('/v1/collections/default')).json).toMatchObject({ name: 'default', sources: 2 });
    const init = { method: 'DELETE', headers: { 'content-type': 'application/json' } }; // as some clients do, without a body
    const gone = await fetch(`${server.url}/v1/collections/default`, init);
    expect([gone.status, await gone.json()]).toEqual([200, { name: 'default', dropped: true }]);
    const absent = await server.get('/v1/collections/default');
    expect([absent.status, absent.json]).toEqual([404, envelope('NotFoundError', expect.stringContaining('"default"'))]);
    expect((await server.get(`/v1/collections/${encodeURIComponent('../x')}`)).status).toBe(400);
  });

  it('reads the query of a request without a body as typed fields', async () => {
    const { get } = await filled();
    const at = '/v1/collections/default/sources';
    const listed = async (query: string) => (await get(`${at}?${query}`)).json.sources.map(({ source }: { source: string }) => source);
    expect(await listed('limit=1')).toEqual(['bikes.md']);
    expect(await listed(`filter=${encodeURIComponent('{"floor":1}')}`)).toEqual(['doors.md']);
    const { json: doors } = await get(`${at}/${encodeURIComponent('doors.md')}`);
    expect((await get(`${at}/${doors.id}?lines=3`)).json.text).toBe('Doors are locked at ten in the evening.');
    for (const [query, field] of [
      ['limit=0', 'limit'],
      ['limit=two', 'limit'],
      ['cursor=x', 'cursor'],
      ['colour=red', 'colour'],
      ['limit=1&limit=2', 'limit'],
      ['filter=%7B', 'filter'],
    ]) {
      const { status, json } = await get(`${at}?${query}`);
      expect([query, status, json]).toEqual([query, 400, envelope('ValueError', expect.stringContaining(field!))]);
    }
  });

  it('removes one source, and reports a missing one', async () => {
    const server = await filled();
    const [one] = (await server.get('/v1/collections/default/sources')).json.sources;
    const remove = () => fetch(`${server.url}/v1/collections/default/sources/${one.id}`, { method: 'DELETE' });
    const gone = await remove();
    expect([gone.status, await gone.json()]).toMatchObject([200, { deleted: 1, items: [{ source: 'bikes.md' }] }]);
    expect([(await remove()).status, (await server.get(`/v1/collections/default/sources/${one.id}`)).status]).toEqual([404, 404]);
  });

  it('gives every response an id and headers against caching and sniffing; callers cannot choose the id', async () => {
    const { get } = await serveIn(folder());
    const { headers } = await get('/v1/health', { 'x-request-id': 'forged' });
    expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    expect([headers.get('cache-control'), headers.get('x-content-type-options')]).toEqual(['no-store', 'nosniff']);
  });
});

describe('an invalid request', () => {
  it('is a 400 that names the field', async () => {
    const { post } = await serveIn(folder());
    for (const [path, body, field] of [
      ['retrieve', {}, 'query'],
      ['retrieve', { query: 'x', top_k: 'ten' }, 'top_k'],
      ['retrieve', { query: 'x', topk: 3 }, 'topk'],
      ['pipelines/query', { query: 'x', retrieval: { top_k: 0 } }, 'retrieval.top_k'],
      ['pipelines/ingest', {}, 'markdown'],
      ['pipelines/ingest', { markdown: 'x', background: 'yes' }, 'background'],
      ['pipelines/ingest', { background: true }, 'markdown'],
      ['ingest/url', { background: true }, 'url'],
    ] as const) {
      const { status, json } = await post(`/v1/${path}`, body);
      expect([path, status, json]).toEqual([path, 400, envelope('ValueError', expect.stringContaining(field))]);
    }
  });

  it('is a 400 that names all invalid fields', async () => {
    const { post } = await serveIn(folder());
    for (const [path, body, lines] of [
      ['retrieve', { query: 5, topk: 3, mode: 'psychic' }, [/^topk: .*"top_k"\?$/, /^query: /, /^mode: /]],
      [
        'pipelines/ingest',
        { docs: [1], background: 'yes', storage: { batch_size: 0 } },
        [/^docs\[0\]: /, /^storage\.batch_size: /, /^background: /],
      ],
      ['store', { embedded_chunks: [{ id: 'a' }, { id: 1, text: 'b' }] }, [/^embedded_chunks\[0\]\.text: /, /^embedded_chunks\[1\]\.id: /]],
    ] as const) {
      const { status, json } = await post(`/v1/${path}`, body);
      expect([path, status, json]).toEqual([path, 400, envelope('ValueError', expect.any(String))]);
      expect((json as { error: { message: string } }).error.message.split('\n')).toEqual(
        lines.map((line) => expect.stringMatching(line) as string),
      );
    }
  });

  it('is a 400 for a body that is no JSON object, and a 415 for other types', async () => {
    const { post } = await serveIn(folder());
    const json = { 'content-type': 'application/json' };
    for (const path of ['/v1/retrieve', '/v1/chat', '/v1/chat/stream']) {
      for (const body of [
        '{"query"',
        '',
        '[1]',
        '"x"',
        'null',
        '{"query":"x","__proto__":{"a":1}}',
        '{"query":"x","filter":{"a":1,"__proto__":"b"}}',
        `{"filter":${'{"a":'.repeat(99)}1${'}'.repeat(99)}}`,
      ]) {
        const answer = await post(path, body, { headers: json });
        expect([path, body, answer.status, answer.json]).toEqual([path, body, 400, envelope('ValueError')]);
      }
      for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']) {
        const answer = await post(path, '{"query":"x"}', { headers: { 'content-type': type } });
        expect([type, answer.status, answer.json]).toEqual([type, 415, envelope('UnsupportedMediaTypeError')]);
      }
    }
    expect((await post('/v1/chunk', '{"markdown":"x"}', { headers: { 'content-type': 'application/json; charset=utf-8' } })).status).toBe(
      200,
    );
  });

  it('is a 404 for an unknown path, and a 405 with the allowed methods for another method', async () => {
    const { url, get } = await serveIn(folder());
    for (const path of ['/assets', '/v1', '/v1/nothing', '/v1/retrieve/more', '/v2/health'])
      expect([path, (await get(path)).json]).toEqual([path, envelope('NotFoundError')]);
    for (const [method, path, possible, allow] of [
      ['GET', '/v1/retrieve', 'POST', 'POST'],
      ['PUT', '/v1/collections/x', 'GET and DELETE', 'GET, HEAD, DELETE'],
      ['DELETE', '/v1/health', 'GET', 'GET, HEAD'],
      ['POST', '/docs', 'GET', 'GET, HEAD'],
      ['POST', '/', 'GET', 'GET, HEAD'],
      ['QUERY', '/v1/jobs', 'GET', 'GET, HEAD'],
    ] as const) {
      const answer = await fetch(url + path, { method });
      expect([answer.status, answer.headers.get('allow'), await answer.json()]).toEqual([
        405,
        allow,
        envelope('MethodNotAllowedError', expect.stringContaining(possible)),
      ]);
    }
  });

  it('gets an envelope even if it is no HTTP', async () => {
    const { url } = await serveIn(folder());
    const answer = await new Promise<string>((done) => {
      let text = '';
      connect(Number(new URL(url).port), '127.0.0.1')
        .on('data', (part) => (text += String(part)))
        .on('close', () => done(text))
        .end('NONSENSE\r\n\r\n');
    });
    expect(answer).toMatch(/^HTTP\/1\.1 400 [^]*"type":"ValueError"/);
  });
});

describe('the health check', () => {
  it('returns the version, and on request the state of the store', async () => {
    const { get } = await serveIn(folder());
    expect((await get('/v1/health')).json).toEqual({ status: 'ok', service: 'kb', version: '1.2.3', uptime: 0 });
    expect((await get('/v1/health?deep=true')).json.store).toEqual({ vector_db: 'lancedb', status: 'ok' });
    expect((await get('/v1/health?deep=perhaps')).status).toBe(400);
  });

  it('is a 503 without addresses if the store cannot be read', async () => {
    const home = folder({ occupied: 'a file where the store should be' });
    const { get } = await serveIn(home, { settings: { storage: { url: 'occupied' } } });
    expect((await get('/v1/health')).status).toBe(200);
    const { status, json, text } = await get('/v1/health?deep=true');
    expect([status, json.status, json.store.status]).toEqual([503, 'unavailable', 'unavailable']);
    expect(text).not.toContain(home);
  });
});
