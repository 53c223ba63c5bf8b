import { createServer } from 'node:http';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { openQdrant } from '../../../../src/drivers/stores/qdrant/qdrant.ts';
import { emptyQdrant, QDRANT } from '../../../support/real-qdrant.ts';
import { openQdrantServer, type QdrantBehaviour, type QdrantServer } from '../../../support/qdrant-server.ts';
import { INFO, useQdrantStores } from '../../../support/qdrant-stores.ts';
import { testStore } from '../../../support/store-contract.ts';
import { listening } from '../../../support/listening.ts';

const KEY = 'a-very-secret-key';

let server: QdrantServer;

let home: string;

const { open, tables } = useQdrantStores((opened) => ({ server, home } = opened));

/** Answers that the server gives, in turn, in the place of its own. */
function disturbed(...disturbances: ReturnType<NonNullable<QdrantBehaviour['disturb']>>[]): void {
  server.behaviour.disturb = () => disturbances.shift();
}

testStore(QDRANT, async () => open(await emptyQdrant()));

describe('a Qdrant server', () => {
  it('gets no request before the first use, and may be down until then', async () => {
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

  it('is reported as unavailable without waiting twice if it stops while a collection is open', async () => {
    const collection = await (await open()).create(INFO);
    server.behaviour.disturb = () => 'cut';
    const before = server.requests.length;
    await expect(collection.search({ text: 'pump', limit: 1 })).rejects.toMatchObject({ code: 'unavailable' });
    expect(server.requests.length - before).toBe(4);
  });

  it('gets a retry after a temporary error, and none after a permanent one', async () => {
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

  it('gets its key, and a missing or wrong one is reported with its variable', async () => {
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

  it('never finds its key repeated in a message, whatever it answers', async () => {
    const body = JSON.stringify({ status: { error: `The key ${KEY} is not welcome` } });
    for (const status of [400, 401, 404, 409, 413, 500]) {
      server.behaviour.disturb = () => ({ status, body });
      const error = (await (await open(server.url, { QDRANT_API_KEY: KEY })).collections().catch((thrown: unknown) => thrown)) as Error;
      expect(error.message).toMatch(/not welcome|is not welcome/);
      expect(error.message).not.toContain(KEY);
    }
  });

  it('is not followed to another address: key and texts reach only the configured one', async () => {
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

  it('gets no key if its address is not trusted', async () => {
    const environment = { XDG_STATE_HOME: home, QDRANT_API_KEY: KEY };
    await (await openQdrant({ url: server.url, environment, isTrusted: false })).collections();
    await (await openQdrant({ url: server.url, environment, isTrusted: true })).collections();
    expect(server.requests.map(({ headers }) => headers['api-key'])).toEqual([undefined, KEY]);
  });

  it('is awaited as long as the options allow', async () => {
    const silent = createServer(() => {});
    const { url, close } = await listening(silent);
    onTestFinished(close);
    const store = await openQdrant({ url, options: { timeout: 0.05 }, environment: {}, retryLimits: { attempts: 1, firstWait: 0.001 } });
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

  it('gets the parameters of the options for reads, writes and new collections', async () => {
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

  it('has one lock for each collection, for any spelling of its address', async () => {
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

  it('may be below a path', async () => {
    await (await open(`${server.url}/behind/`)).collections().catch(() => {});
    expect(server.requests.map(({ path }) => path)).toEqual(['/behind/aliases']);
  });

  it('is distinguished from another kind of server', async () => {
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

  it('needs an HTTP address without a password', async () => {
    for (const url of ['', 'qdrant', './folder', 'ftp://127.0.0.1', 's3://bucket/store'])
      await expect(open(url)).rejects.toMatchObject({ code: 'configuration', message: expect.stringContaining('no address') });
    const refused = (await open('http://me:hidden@127.0.0.1:6333').catch((error: unknown) => error)) as Error;
    expect(refused).toMatchObject({ code: 'configuration', hint: expect.stringContaining('QDRANT_API_KEY') });
    expect(refused.message).not.toMatch(/hidden|me:/);
  });
});

describe('a Qdrant store among other programs', () => {
  it('does not touch or list the collections of other programs', async () => {
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

  it.each([
    ['later', { form: 3 }],
    ['development', { form: 1 }],
    ['development', { words_counted: false }],
  ])('refuses a collection of a %s version, lists it, and can drop it', async (kind, change) => {
    const store = await open();
    await store.create(INFO);
    Object.assign(server.collections.get(tables()[0]!)!.points.get(0)!.payload['kb'] as object, change);
    const message = expect.stringContaining(`${kind} version`);
    await expect(store.open('manuals')).rejects.toMatchObject({ code: 'configuration', message });
    await store.create({ ...INFO, name: 'notes' });
    expect(await store.collections()).toMatchObject([
      { name: 'manuals', unreadable: { message } },
      { ...INFO, name: 'notes' },
    ]);
    expect(await store.drop('manuals')).toBe(true);
    expect(await store.collections()).toMatchObject([{ name: 'notes' }]);
  });
});

describe('a Qdrant before 1.16', () => {
  it('is not written to, because it lacks conditional writes', async () => {
    server.behaviour.ignoresConditions = true;
    await expect((await open()).create(INFO)).rejects.toMatchObject({ code: 'configuration', hint: expect.stringContaining('1.16') });
  });
});
