import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { openQdrant } from '../../../../src/drivers/stores/qdrant/qdrant.ts';
import type { StoredChunk, VectorStore } from '../../../../src/ports/stores.ts';
import { emptyQdrant, QDRANT } from '../../../support/real-qdrant.ts';
import {
  openQdrantServer,
  type QdrantBehaviour,
  type QdrantRequest,
  type QdrantServer,
  useQdrantServer,
} from '../../../support/qdrant-server.ts';
import { chunk, everything, testStore } from '../../../support/store-contract.ts';
import { listening } from '../../../support/listening.ts';

const INFO = { name: 'manuals', provider: 'test', model: 'axes', dimensions: 3 };
const WORDS = { name: 'words', provider: 'none', model: '', dimensions: 0 };
const KEY = 'a-very-secret-key';
const plain = (id: string, given: Partial<StoredChunk> = {}): StoredChunk => ({
  id,
  text: 'a passage',
  source: 'a',
  metadata: {},
  ...given,
});

let server: QdrantServer;
let home: string;
useQdrantServer((opened) => ({ server, home } = opened));

const open = (url = server.url, environment: NodeJS.ProcessEnv = {}): Promise<VectorStore> =>
  openQdrant({ url, environment: { XDG_STATE_HOME: home, ...environment }, patience: { attempts: 4, base: 0.001 } });

/** Answers that the server gives, in turn, in the place of its own. */
function disturbed(...disturbances: ReturnType<NonNullable<QdrantBehaviour['disturb']>>[]): void {
  server.behaviour.disturb = () => disturbances.shift();
}

/** The tables of a collection, whatever alias leads to them. */
const tables = (name = INFO.name): string[] => [...server.collections.keys()].filter((table) => table.startsWith(`kb.${name}@`));

testStore(QDRANT, async () => open(await emptyQdrant()));

describe('a Qdrant server', () => {
  it('is asked nothing before it is used, and may be down until then', async () => {
    await server.close();
    const store = await open();
    await expect(store.collections()).rejects.toMatchObject({ code: 'unavailable', isRetryable: true, attempts: 4 });
    for (const work of [() => store.open('manuals'), () => store.create(INFO), () => store.drop('manuals'), () => store.draft(INFO)])
      await expect(work()).rejects.toMatchObject({
        message: expect.stringContaining(server.url),
        hint: expect.stringContaining('storage.url'),
      });
    expect(server.requests).toEqual([]);
  });

  it('that goes away while a collection is open is told of without waiting twice', async () => {
    const collection = await (await open()).create(INFO);
    server.behaviour.disturb = () => 'cut';
    const before = server.requests.length;
    await expect(collection.search({ text: 'pump', limit: 1 })).rejects.toMatchObject({ code: 'unavailable' });
    expect(server.requests.length - before).toBe(4);
  });

  it('is asked again where what went wrong may pass, and not where it will not', async () => {
    const store = await open();
    for (const passing of [
      { status: 429 },
      { status: 429, headers: { 'retry-after': '0' } },
      { status: 500 },
      { status: 503 },
      'cut',
    ] as const) {
      disturbed(passing, passing);
      expect(await store.collections()).toEqual([]);
    }
    const before = server.requests.length;
    disturbed({ status: 400 });
    await expect(store.collections()).rejects.toMatchObject({ code: 'invalid' });
    expect(server.requests.length - before).toBe(1);
  });

  it('gets its key, and says in whose name where it is missing or wrong', async () => {
    const warned = vi.spyOn(console, 'warn').mockImplementation(() => {});
    onTestFinished(() => warned.mockRestore());
    server.behaviour.key = KEY;
    for (const environment of [{}, { QDRANT_API_KEY: 'another' }]) {
      const refused = await (await open(server.url, environment)).collections().catch((error: unknown) => error);
      expect(refused).toMatchObject({
        code: 'setup',
        message: expect.stringContaining('401'),
        hint: expect.stringContaining('QDRANT_API_KEY'),
      });
    }
    expect(await (await open(server.url, { QDRANT_API_KEY: KEY })).collections()).toEqual([]);
    disturbed({ status: 403, body: '{"status":{"error":"Forbidden: Write access is required"}}' });
    await expect((await open(server.url, { QDRANT_API_KEY: KEY })).create(INFO)).rejects.toMatchObject({ code: 'setup' });
    server.behaviour.disturb = () => ({ status: 403, body: '{"status":{"error":"Forbidden: Global manage access is required"}}' });
    await expect((await open(server.url, { QDRANT_API_KEY: KEY })).create(INFO)).rejects.toMatchObject({
      hint: expect.stringContaining('making and replacing collections'),
    });
    expect(warned).not.toHaveBeenCalled();
  });

  it('finds its key in no message of ours, whatever it says itself', async () => {
    const body = JSON.stringify({ status: { error: `The key ${KEY} is not welcome` } });
    for (const status of [400, 401, 404, 409, 413, 500]) {
      server.behaviour.disturb = () => ({ status, body });
      const error = (await (await open(server.url, { QDRANT_API_KEY: KEY })).collections().catch((thrown: unknown) => thrown)) as Error;
      expect(error.message).toMatch(/not welcome|is not welcome/);
      expect(error.message).not.toContain(KEY);
    }
  });

  it('that leads elsewhere is not followed: key and texts go to no address but the one that is configured', async () => {
    const elsewhere = await openQdrantServer();
    onTestFinished(() => elsewhere.close());
    const store = await open(server.url, { QDRANT_API_KEY: KEY });
    for (const status of [301, 302, 307, 308]) {
      server.behaviour.disturb = ({ path }) => ({ status, headers: { location: elsewhere.url + path } });
      await expect(store.collections()).rejects.toMatchObject({ code: 'unavailable' });
      await expect(store.create(INFO)).rejects.toMatchObject({ code: 'unavailable' });
    }
    expect(elsewhere.requests).toEqual([]);
  });

  it('gets no key where its address is not trusted', async () => {
    const environment = { XDG_STATE_HOME: home, QDRANT_API_KEY: KEY };
    await (await openQdrant({ url: server.url, environment, isTrusted: false })).collections();
    await (await openQdrant({ url: server.url, environment, isTrusted: true })).collections();
    expect(server.requests.map(({ headers }) => headers['api-key'])).toEqual([undefined, KEY]);
  });

  it('is waited for as long as the options say, and they say nothing else', async () => {
    const silent = createServer(() => {});
    const { url, close } = await listening(silent);
    onTestFinished(close);
    const store = await openQdrant({ url, options: { timeout: 0.05 }, environment: {}, patience: { attempts: 1, base: 0.001 } });
    await expect(store.collections()).rejects.toThrow('did not answer within 0.05 seconds');
    for (const options of [
      { timeout: '5' },
      { timeout: 0 },
      { timeout: 1e9 },
      { timeout: 5, prefix: 'x' },
      { consistency: 'some' },
      { shard_number: 1.5 },
    ])
      await expect(openQdrant({ url, options })).rejects.toMatchObject({
        code: 'configuration',
        message: expect.stringContaining('storage.options.'),
      });
  });

  it('is asked with what the options say of reads, writes and new collections', async () => {
    const options = { consistency: 'majority', ordering: 'strong', shard_number: 2, replication_factor: 3 };
    const store = await openQdrant({ url: server.url, options, environment: { XDG_STATE_HOME: home } });
    const collection = await store.create({ name: 'manuals', provider: 'p', model: 'm', dimensions: 0 });
    await collection.upsert([{ id: 'a', text: 'Doors.', source: 's', metadata: {} }]);
    expect(await collection.count()).toBe(1);
    const asked = (method: string, end: RegExp) => server.requests.filter(({ method: by, path }) => by === method && end.test(path));
    const made = asked('PUT', /^\/collections\/[^/]+$/);
    expect(made.map(({ body }) => body)).toMatchObject([{ shard_number: 2, replication_factor: 3 }]);
    const [writes, reads] = [asked('PUT', /\/points$/), asked('POST', /\/points(\/count)?$/)];
    expect(writes.length * reads.length).toBeGreaterThan(0);
    for (const { query } of writes) expect(query).toMatchObject({ ordering: 'strong' });
    for (const { query } of reads) expect(query).toMatchObject({ consistency: 'majority' });
  });

  it('has one lock for each collection, however its address is spelled', async () => {
    const [one, other] = [await open(server.url), await open(`${server.url.replace('127.0.0.1', 'LOCALHOST')}/`)];
    const release = await one.lock('manuals');
    let waited = false;
    const stop = new AbortController();
    const second = other.lock('manuals', { signal: stop.signal, onWait: () => stop.abort(void (waited = true)) });
    await expect(second).rejects.toMatchObject({ code: 'aborted' });
    expect(waited).toBe(true);
    await release();
    await (
      await other.lock('manuals')
    )();
  });

  it('may lie under a path', async () => {
    await (await open(`${server.url}/behind/`)).collections().catch(() => {});
    expect(server.requests.map(({ path }) => path)).toEqual(['/behind/aliases']);
  });

  it('is told apart from another server', async () => {
    for (const [status, type] of [
      [200, 'text/html'],
      [404, 'text/html'],
      [200, 'application/json'],
    ] as const) {
      const other = createServer((_request, response) =>
        response.writeHead(status, { 'content-type': type }).end(type === 'text/html' ? '<p>Hello</p>' : '{"hello":"there"}'),
      );
      const { url } = await listening(other);
      const store = await open(url);
      for (const work of [() => store.collections(), () => store.open('manuals')])
        await expect(work()).rejects.toMatchObject({ code: 'configuration', message: expect.stringContaining(`${url} is not Qdrant`) });
      other.closeAllConnections();
      await new Promise((done) => other.close(done));
    }
  });

  it('has an address of its kind, without a password', async () => {
    for (const url of ['', 'qdrant', './folder', 'ftp://127.0.0.1', 's3://bucket/store'])
      await expect(open(url)).rejects.toMatchObject({ code: 'configuration', message: expect.stringContaining('no address') });
    const refused = (await open('http://me:hidden@127.0.0.1:6333').catch((error: unknown) => error)) as Error;
    expect(refused).toMatchObject({ code: 'configuration', hint: expect.stringContaining('QDRANT_API_KEY') });
    expect(refused.message).not.toMatch(/hidden|me:/);
  });
});

describe('a Qdrant store among other programs', () => {
  it('leaves their collections alone and does not list them', async () => {
    const { QdrantClient } = await import('@qdrant/js-client-rest');
    const client = new QdrantClient({ url: server.url, checkCompatibility: false });
    for (const name of ['manuals', 'kb.theirs', 'kb.old@lz0000-abc123']) {
      await client.createCollection(name, { vectors: { dense: { size: 2, distance: 'Cosine' } } });
      await client.upsert(name, { wait: true, points: [{ id: 0, vector: { dense: [1, 0] }, payload: { theirs: true } }] });
    }
    await client.updateCollectionAliases({ actions: [{ create_alias: { collection_name: 'manuals', alias_name: 'kb.aliased' } }] });
    const store = await open();
    await store.create(INFO);
    await (await store.draft({ ...INFO, name: 'notes' })).commit();
    expect((await store.collections()).map(({ name }) => name)).toEqual(['manuals', 'notes']);
    for (const name of ['theirs', 'aliased']) {
      expect(await store.open(name)).toBeUndefined();
      expect(await store.drop(name)).toBe(false);
      await expect(store.create({ ...INFO, name })).rejects.toMatchObject({
        code: 'conflict',
        message: expect.stringContaining(`kb.${name}`),
      });
      await expect((await store.draft({ ...INFO, name })).commit()).rejects.toMatchObject({ code: 'conflict' });
    }
    await store.drop('manuals');
    for (const name of ['manuals', 'kb.theirs', 'kb.old@lz0000-abc123'])
      expect((await client.scroll(name)).points).toMatchObject([{ id: 0, payload: { theirs: true } }]);
    expect(server.aliases.get('kb.aliased')).toBe('manuals');
  });

  it('refuses a collection that a later version has made', async () => {
    const store = await open();
    await store.create(INFO);
    const state = server.collections.get(tables()[0]!)!.points.get(0)!.payload['kb'] as Record<string, number>;
    state['form'] = 3;
    await expect(store.open('manuals')).rejects.toMatchObject({ code: 'configuration', message: expect.stringContaining('later version') });
    await store.create({ ...INFO, name: 'notes' });
    expect(await store.collections(), 'and lists it beside the others').toMatchObject([
      { name: 'manuals', unreadable: { message: expect.stringContaining('later version') } },
      { ...INFO, name: 'notes' },
    ]);
  });
});

describe('a Qdrant before 1.16', () => {
  it('is not written to, because it could not keep several writers apart', async () => {
    server.behaviour.ignoresConditions = true;
    await expect((await open()).create(INFO)).rejects.toMatchObject({ code: 'configuration', hint: expect.stringContaining('1.16') });
  });
});

describe('a draft in Qdrant', () => {
  it('does not take the place of what another machine wrote to meanwhile', async () => {
    const collection = await (await open()).create(INFO);
    await collection.upsert([chunk('old')]);
    const draft = await (await open()).draft(INFO);
    await collection.upsert([chunk('later')]);
    await expect(draft.commit()).rejects.toMatchObject({ code: 'conflict', isRetryable: true });
    expect((await everything(collection)).map(({ id }) => id)).toEqual(['old', 'later']);
  });

  it('takes its place in one request, and leaves nothing of the old one', async () => {
    const store = await open();
    const collection = await store.create(INFO);
    await collection.upsert([chunk('old')]);
    const other = await (await open()).open('manuals');
    const draft = await store.draft({ ...INFO, model: 'later' });
    await draft.collection.upsert([chunk('new')]);
    expect(tables()).toHaveLength(2);
    server.requests.length = 0;
    await draft.commit();
    const changes = server.requests.filter(({ method, path }) => method === 'POST' && path === '/collections/aliases');
    expect(changes.map(({ body }) => (body['actions'] as object[]).map((action) => Object.keys(action)[0]))).toEqual([
      ['delete_alias', 'create_alias'],
    ]);
    expect(tables()).toHaveLength(1);
    expect((await everything(other!)).map(({ id }) => id)).toEqual(['new']);
    expect(other!.info.model).toBe('later');
  });

  it('keeps its place also where the old table can not be removed', async () => {
    const store = await open();
    await (await store.create(INFO)).upsert([chunk('old')]);
    const draft = await store.draft(INFO);
    await draft.collection.upsert([chunk('new')]);
    server.behaviour.disturb = ({ method }) => (method === 'DELETE' ? { status: 400 } : undefined);
    await draft.commit();
    expect((await everything((await store.open('manuals'))!)).map(({ id }) => id)).toEqual(['new']);
  });

  it('that was left an hour ago is removed when something else is made', async () => {
    const store = await open();
    await (await store.draft(INFO)).collection.upsert([chunk('1')]);
    await store.create({ ...INFO, name: 'notes' });
    expect(tables(), 'it may still be written to').toHaveLength(1);
    const clock = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 2 * 3_600_000);
    onTestFinished(() => clock.mockRestore());
    await store.create({ ...INFO, name: 'more' });
    expect(tables()).toEqual([]);
    expect((await store.collections()).map(({ name }) => name)).toEqual(['more', 'notes']);
  });

  it('is not mixed with what it replaces by one who reads page after page', async () => {
    const store = await open();
    const collection = await store.create(INFO);
    await collection.upsert(Array.from({ length: 1_500 }, (_, i) => chunk(`${i}`)));
    const draft = await store.draft(INFO);
    await draft.collection.upsert([chunk('new')]);
    const reading = collection.all()[Symbol.asyncIterator]();
    expect((await reading.next()).value).toHaveLength(1_000);
    await draft.commit();
    await expect(reading.next()).rejects.toMatchObject({ code: 'conflict', isRetryable: true });
  });
});

describe('a collection in Qdrant', () => {
  it('has an index for everything that filters ask for, and the vectors that it needs', async () => {
    const store = await open();
    await (await store.create(WORDS)).upsert([plain('1', { text: 'The pump hums.' })]);
    await store.create(INFO);
    const [words, manuals] = ['words', 'manuals'].map((name) => server.collections.get(tables(name)[0]!)!);
    expect([...words!.vectors.dense.keys(), ...words!.vectors.sparse.keys()]).toEqual(['text']);
    expect(words!.vectors.sparse.get('text')).toEqual({}); // Qdrant would count by shard
    expect(manuals!.vectors.dense.get('dense')).toEqual({ size: 3, distance: 'Cosine' });
    expect([...manuals!.indexes.keys()]).toEqual([
      'kb.version',
      'id',
      'source',
      'generation',
      'fields',
      'numbers[].key',
      'numbers[].value',
      'written',
    ]);
  });

  it('is written in bounded requests', async () => {
    const collection = await (await open()).create(WORDS);
    await collection.upsert([
      ...Array.from({ length: 600 }, (_, i) => plain(`${i}`)),
      ...Array.from({ length: 5 }, (_, i) => plain(`long ${i}`, { text: 'word '.repeat(400_000) })),
    ]);
    const sizes = server.requests.flatMap(({ body }) => (Array.isArray(body['points']) ? [body['points'].length] : []));
    expect(Math.max(...sizes)).toBe(256);
    const longest = server.requests.map(({ body }) => JSON.stringify(body).length);
    expect(Math.max(...longest)).toBeLessThan(8 * 2 ** 20);
    expect(await collection.count()).toBe(605);
  });

  it('keeps halves of letters out of requests, which Qdrant refuses whole', async () => {
    const collection = await (await open()).create(WORDS);
    const half = 'half \ud83d of a letter';
    await collection.upsert([
      plain(half, {
        text: half,
        embed_text: `${half}: ${half}`,
        source: half,
        version: half,
        metadata: { [half]: half, source_kind: half },
      }),
    ]);
    expect(await collection.get([half])).toMatchObject([{ text: half.toWellFormed(), metadata: { [half]: half } }]);
    expect(await collection.search({ text: 'letter', filter: { [half]: half, source: half }, limit: 1 })).toHaveLength(1);
    expect(await collection.delete({ source: half })).toHaveLength(1);
  });

  it('gives chunks in the order in which they were written', async () => {
    const collection = await (await open()).create(WORDS);
    const ids = Array.from({ length: 40 }, (_, i) => `${(i * 17) % 40}`);
    for (const id of ids) await collection.upsert([plain(id)]);
    expect((await everything(collection)).map(({ id }) => id)).toEqual(ids);
  });

  it('weighs words as BM25 does: rare ones more, repeated ones a little more, in long texts less', async () => {
    const collection = await (await open()).create(WORDS);
    await collection.upsert([
      plain('once', { text: 'pump valve' }),
      plain('twice', { text: 'pump pump valve hose' }),
      plain('long', { text: `pump ${'filler '.repeat(200)}` }),
      ...Array.from({ length: 10 }, (_, i) => plain(`other ${i}`, { text: 'valve hose' })),
    ]);
    const found = async (text: string) => (await collection.search({ text, limit: 3 })).map(({ chunk: { id } }) => id);
    expect(await found('pump')).toEqual(['twice', 'once', 'long']);
    expect((await found('valve pump'))[0]).toBe('twice');
  });

  it('refuses a range of texts that holds too many', async () => {
    const collection = await (await open()).create(WORDS);
    await collection.upsert([plain('1', { metadata: { tags: Array.from({ length: 20_001 }, (_, i) => `tag ${i}`) } })]);
    await expect(collection.search({ text: 'passage', filter: { tags: { gte: 'a' } }, limit: 1 })).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining('«tags»'),
    });
    expect(await collection.search({ text: 'passage', filter: { tags: { gte: 'tag 2000', lt: 'tag 2001' } }, limit: 1 })).toHaveLength(1);
  });

  it('sends what callers write as values alone', async () => {
    const collection = await (await open()).create(WORDS);
    await collection.upsert([plain('1'), plain('2', { metadata: { 'a.b[]."c"': "x' OR '1'='1" } })]);
    const hostile = ['generation', 'id', 'kb', '__proto__.x', 'a[].b', '"', 'numbers[].value', "' OR 1=1 --"];
    for (const key of hostile) {
      for (const condition of ["' OR '1'='1", { in: ['a', "'"] }, { gte: 0 }, { gte: "'" }])
        expect(await collection.search({ text: 'passage', filter: { [key]: condition }, limit: 9 }), key).toEqual([]);
      expect(await collection.delete({ filter: { [key]: 'x' } })).toEqual([]);
    }
    expect(await collection.search({ text: 'passage', filter: { 'a.b[]."c"': "x' OR '1'='1" }, limit: 9 })).toHaveLength(1);
  });

  it('that was dropped by another is not found any more', async () => {
    const collection = await (await open()).create(INFO);
    await (await open()).drop('manuals');
    for (const work of [() => collection.count(), () => collection.search({ text: 'x', limit: 1 }), () => collection.upsert([chunk('1')])])
      await expect(work()).rejects.toMatchObject({ code: 'not_found', message: expect.stringContaining('«manuals»') });
  });
});

describe('a writer of a Qdrant store', () => {
  const document = (version: string, count: number): StoredChunk[] =>
    Array.from({ length: count }, (_, i) => plain(`${version === 'old' ? i : i + 2}`, { source: 'doc', version, text: `${version} pump` }));
  const isWrite = ({ method, path }: QdrantRequest) => method === 'PUT' || path.endsWith('/delete');

  it('that dies at any request leaves all of the old document or all of the new one, and the next one cleans up', async () => {
    const seen = new Set<string | undefined>();
    for (let step = 1; step <= 6; step++) {
      const name = `run${step}`;
      const collection = await (await open()).create({ ...WORDS, name });
      await collection.replace([{ source: 'doc', isNew: true, chunks: document('old', 5) }]);
      await collection.upsert([plain('kept', { source: 'other' })]);
      let writes = 0;
      let isDead = false;
      server.behaviour.disturb = (request) => {
        isDead ||= isWrite(request) && ++writes === step;
        return isDead ? 'cut' : undefined;
      };
      const dying = collection.replace([
        {
          source: 'doc',
          isNew: false,
          chunks: [...document('new', 300), plain('kept', { source: 'doc', version: 'new', text: 'new pump' })],
        },
        { source: 'fresh', isNew: true, chunks: [plain('fresh', { source: 'fresh', version: 'new' })] },
      ]);
      const outcome = await dying.then(
        () => 'done',
        () => 'dead',
      );
      server.behaviour.disturb = undefined;
      const next = (await (await open()).open(name))!;
      const chunks = await everything(next);
      const of = (source: string) => chunks.filter((one) => one.source === source);
      const version = of('doc')[0]!.version;
      seen.add(version);
      expect(outcome === 'done', `step ${step}`).toBe(version === 'new');
      expect(chunks).toHaveLength(version === 'new' ? 302 : 6);
      expect([of('doc').length, of('fresh').length, of('other').length]).toEqual(version === 'new' ? [301, 1, 0] : [5, 0, 1]);
      expect(await next.count()).toBe(chunks.length);
      expect((await next.search({ text: 'pump', limit: 999 })).map((hit) => hit.chunk.version)).toEqual(of('doc').map(() => version));
      await next.replace([{ source: 'doc', isNew: false, chunks: document('last', 2) }]);
      const clock = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 25 * 3_600_000); // what is left may be still being written until then
      await next.optimize();
      clock.mockRestore();
      expect((await next.search({ text: 'pump', limit: 999 })).map((hit) => hit.chunk.version)).toEqual(['last', 'last']);
      const points = [...server.collections.get(tables(name)[0]!)!.points.values()];
      const stored = points.filter(({ payload }) => payload['written'] === undefined); // statistics are kept for a day
      expect(stored.length, 'and the point of the state').toBe((await next.count()) + 1);
    }
    expect(seen).toEqual(new Set(['old', 'new']));
  });

  it('is seen by another process as soon as it is done, and not before', async () => {
    const collection = await (await open()).create(WORDS);
    const reader = (await (await open()).open('words'))!;
    await collection.replace([{ source: 'doc', isNew: true, chunks: document('old', 30) }]);
    let isWriting = true;
    const writing = (async () => {
      for (let n = 1; n <= 10; n++) {
        await collection.replace([{ source: 'doc', isNew: false, chunks: document(`${n}`, 20 + n) }]);
        await collection.optimize();
      }
      isWriting = false;
    })();
    const counts = new Set<number>();
    while (isWriting) {
      const [hits, count] = [await reader.search({ text: 'pump', limit: 99 }), await reader.count()];
      const [version, ...others] = new Set(hits.map((hit) => hit.chunk.version));
      expect(others).toEqual([]);
      expect(hits).toHaveLength(version === 'old' ? 30 : 20 + Number(version));
      counts.add(count);
    }
    await writing;
    expect([...counts].filter((count) => count < 21 || count > 30)).toEqual([]);
    expect(await reader.count()).toBe(30);
  });

  it('waits for its turn in its own process, and for what it wrote', async () => {
    const store = await open();
    const collection = await store.create(WORDS);
    const again = (await store.open('words'))!;
    await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        (i % 2 ? again : collection).upsert([plain(`${i % 4}`, { text: `turn ${i}` }), plain(`own ${i}`)]),
      ),
    );
    const chunks = await everything(collection);
    expect(new Set(chunks.map(({ id }) => id)).size).toBe(24);
    expect(chunks).toHaveLength(24);
  });

  it('edits no chunk of a document that another machine has replaced since it was read', async () => {
    const collection = await (await open()).create(WORDS);
    const other = (await (await open()).open('words'))!;
    await collection.upsert([plain('1', { version: 'old' }), plain('2', { source: 'b' })]);
    const [theirs, own] = await collection.get(['1', '2']);
    await other.replace([{ source: 'a', isNew: false, chunks: [plain('1', { version: 'new', text: 'new' })] }]);
    const edited = [
      { ...own!, text: 'edited' },
      { ...theirs!, text: 'edited' },
    ];
    await expect(collection.upsert(edited, { edited: true })).rejects.toMatchObject({ code: 'conflict', isRetryable: true });
    expect((await everything(other)).map(({ text }) => text)).toEqual(['a passage', 'new']);
    await collection.upsert([edited[0]!], { edited: true });
    expect((await everything(other)).map(({ text }) => text)).toEqual(['new', 'edited']);
  });

  /** Lets another have the lock of the collection. */
  function takeLock(): void {
    const folder = join(home, 'kb', 'locks');
    const file = join(folder, readdirSync(folder)[0]!);
    writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), lock: 'of another' }));
  }
  const overtaken = { code: 'conflict', isRetryable: true };

  it('whose lock was taken over writes, replaces and removes no more', async () => {
    const store = await open();
    const collection = await store.create(WORDS);
    const release = await store.lock('words');
    await collection.upsert([plain('1')]);
    const draft = await store.draft(WORDS);
    takeLock();
    await expect(collection.upsert([plain('2')])).rejects.toMatchObject(overtaken);
    await expect(draft.commit()).rejects.toMatchObject(overtaken);
    await expect(store.drop('words')).rejects.toMatchObject(overtaken);
    await draft.discard();
    await release();
    expect(await (await store.open('words'))!.count()).toBe(1);
  });

  it('whose lock is taken over while it writes lets nobody see what it has written', async () => {
    const store = await open();
    const collection = await store.create(WORDS);
    const release = await store.lock('words');
    server.behaviour.disturb = ({ method, path }) => {
      if (method === 'PUT' && path.endsWith('/points')) takeLock();
      return undefined;
    };
    await expect(collection.upsert([plain('1')])).rejects.toMatchObject(overtaken);
    await release();
    expect(await collection.count()).toBe(0);
  });

  it('says where no lock can be kept', async () => {
    await writeFile(join(home, 'file'), '');
    const store = await open(server.url, { XDG_STATE_HOME: join(home, 'file') });
    await expect(store.lock('words')).rejects.toMatchObject({
      code: 'configuration',
      message: expect.stringContaining(join(home, 'file')),
    });
  });
});
