import { writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openQdrant } from '../../../../src/drivers/stores/qdrant/qdrant.ts';
import { engineIn, result, WORDS } from '../../../support/engine.ts';
import { type QdrantServer, useQdrantServer } from '../../../support/qdrant-server.ts';
import { chunk } from '../../../support/store-contract.ts';

const INFO = { name: 'manuals', provider: 'test', model: 'axes', dimensions: 3 };

let server: QdrantServer;
let home: string;
useQdrantServer((opened) => ({ server, home } = opened));

const QUICK = { attempts: 2, base: 0.001 };
const open = (options: Record<string, unknown>, url = server.url) =>
  openQdrant({ url, options, environment: { XDG_STATE_HOME: home }, retryLimits: QUICK });

/** The address of a server that listens until the test is over. */
async function listening(own: Server, scheme: string): Promise<string> {
  const sockets = new Set<{ destroy(): void }>();
  own.on('connection', (socket) => sockets.add(socket));
  await new Promise<void>((done) => own.listen(0, '127.0.0.1', done));
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((done) => own.close(done));
  });
  return `${scheme}://127.0.0.1:${(own.address() as AddressInfo).port}`;
}

describe('the options of Qdrant', () => {
  it('set how a new collection is stored', async () => {
    const options = {
      shard_number: 2,
      replication_factor: 3,
      write_consistency_factor: 2,
      quantization: 'scalar',
      datatype: 'float16',
      on_disk: true,
      hnsw_m: 32,
      hnsw_ef_construct: 256,
    };
    const made = async (given: Record<string, unknown>, info = INFO) => {
      server.requests.length = 0;
      await (await open(given)).create({ ...info, name: `c${Math.random()}` });
      return server.requests.find(({ method, path }) => method === 'PUT' && /^\/collections\/[^/]+$/.test(path))!.body;
    };
    expect(await made(options)).toEqual({
      shard_number: 2,
      replication_factor: 3,
      write_consistency_factor: 2,
      vectors: { dense: { size: 3, distance: 'Cosine', datatype: 'float16', on_disk: true } },
      sparse_vectors: { text: { index: { on_disk: true } } },
      hnsw_config: { m: 32, ef_construct: 256, on_disk: true },
      quantization_config: { scalar: { type: 'int8', quantile: 0.99, always_ram: true } },
    });
    expect(await made({ quantization: 'binary' })).toMatchObject({ quantization_config: { binary: { always_ram: true } } });
    expect(await made(options, { ...INFO, dimensions: 0 })).toMatchObject({ vectors: {} });
    expect(await made({})).toEqual({ vectors: { dense: { size: 3, distance: 'Cosine' } }, sparse_vectors: { text: {} } });
  });

  it('set how vectors are searched', async () => {
    const collection = await (await open({ hnsw_ef: 300, oversampling: 4, consistency: 'quorum' })).create(INFO);
    await collection.upsert([chunk('1')]);
    await collection.search({ vector: Float32Array.of(1, 0, 0), limit: 1 });
    const { body, query } = server.requests.find(({ path }) => path.endsWith('/query/batch'))!;
    expect(query).toEqual({ consistency: 'quorum' });
    expect(body['searches']).toMatchObject([{ params: { hnsw_ef: 300, quantization: { rescore: true, oversampling: 4 } } }]);
    await collection.search({ text: 'passage', limit: 1 });
    expect(JSON.stringify(server.requests.at(-2)!.body)).not.toContain('params');
  });

  it('set how often a request is retried', async () => {
    let asked = 0;
    server.behaviour.disturb = () => (++asked, { status: 503 });
    const store = await openQdrant({ url: server.url, options: { retries: 0 }, environment: { XDG_STATE_HOME: home } });
    await expect(store.collections()).rejects.toMatchObject({ code: 'unavailable' });
    expect(asked).toBe(1);
  });

  it('set additional certificate authorities', async () => {
    const proxied = createTlsServer({ key: KEY, cert: CERTIFICATE }, (incoming, response) => {
      const { method = 'GET', headers, url = '/' } = incoming;
      const passed = request(new URL(url, server.url), { method, headers }, (answer) => {
        response.writeHead(answer.statusCode!, answer.headers);
        answer.pipe(response);
      });
      incoming.pipe(passed);
    });
    const url = await listening(proxied, 'https');
    const ca_file = join(home, 'ca.pem');
    await writeFile(ca_file, CERTIFICATE);
    await expect((await open({}, url)).collections()).rejects.toThrow(/self-signed certificate/);
    expect(await (await open({ ca_file }, url)).collections()).toEqual([]);
    await expect((await open({ ca_file: join(home, 'none.pem') }, url)).collections()).rejects.toMatchObject({
      code: 'configuration',
      message: expect.stringContaining('none.pem'),
    });
    await writeFile(ca_file, 'no certificate');
    const store = await open({ ca_file }, url);
    await expect(store.collections()).rejects.toMatchObject({ code: 'configuration' });
    await writeFile(ca_file, CERTIFICATE);
    expect(await store.collections(), 'the file is read again').toEqual([]);
  });

  it('set the timeout for connecting', async () => {
    const url = await listening(createTcpServer(), 'https'); // it never shakes hands
    await expect((await open({ connect_timeout: 0.05, timeout: 500 }, url)).collections()).rejects.toThrow(/Connect Timeout/);
  });

  it('are refused by name if they are invalid', async () => {
    const wrong = {
      retries: 11,
      connect_timeout: 0,
      hnsw_ef: 0,
      oversampling: 0.5,
      quantization: 'int4',
      datatype: 'uint8',
      on_disk: 'yes',
      hnsw_m: -1,
      hnsw_ef_construct: 3,
      urls: server.url,
      ca_file: '',
    };
    for (const [name, value] of Object.entries(wrong))
      await expect(open({ [name]: value })).rejects.toMatchObject({
        code: 'configuration',
        message: `storage.options.${name} does not fit.`,
        hint: expect.stringMatching(/^It takes the /),
      });
  });
});

describe('kb doctor of Qdrant', () => {
  const told = async () => {
    const { checks } = await result(engineIn(home, { ...WORDS, storage: { vector_db: 'qdrant', url: server.url } }), 'doctor', {});
    const { status, message } = checks.find(({ name }) => name === 'store')!;
    return `${status}: ${message}`;
  };
  const cluster = (nodes: number, message_send_failures = {}) => ({
    status: 'enabled',
    peer_id: 1,
    peers: Object.fromEntries(Array.from({ length: nodes }, (_, i) => [`${i}`, { uri: `http://node-${i}:6335/` }])),
    message_send_failures,
  });

  it('reports the version and the number of nodes', async () => {
    expect(await told()).toBe(`ok: qdrant at ${server.url}: 0 collections; Qdrant 1.16.3`);
    server.behaviour.cluster = cluster(3);
    expect(await told()).toBe(`ok: qdrant at ${server.url}: 0 collections; Qdrant 1.16.3, cluster of 3 nodes`);
  });

  it('warns of a version that is too old', async () => {
    for (const version of ['1.15.5', '0.9.0']) {
      server.behaviour.version = version;
      expect(await told()).toMatch(/^warning: .*too old: kb needs 1\.16 or later\.$/);
    }
    for (const version of ['1.16.0', '1.20.1', '2.0.0-rc.1']) {
      server.behaviour.version = version;
      expect(await told()).toMatch(/^ok: /);
    }
  });

  it('warns of unreplicated collections, and of a node that does not answer', async () => {
    await (await open({})).create(INFO);
    await (await open({ replication_factor: 2 })).create({ ...INFO, name: 'safe' });
    expect(await told()).toMatch(/^ok: /);
    server.behaviour.cluster = cluster(3);
    expect(await told()).toMatch(
      /^warning: .*; Qdrant 1\.16\.3, cluster of 3 nodes\. manuals is stored once on 3 nodes .*replication_factor: 2/,
    );
    await (await open({})).drop('manuals');
    server.behaviour.cluster = cluster(3, { 'http://node-2:6335/': { count: 4 } });
    expect(await told()).toMatch(/^warning: .*1 node of the cluster did not answer another: http:\/\/node-2:6335\/\.$/);
  });

  it('reports what the key permits if that excludes the cluster', async () => {
    server.behaviour.disturb = ({ path }) => (path === '/cluster' ? { status: 403, body: '{"status":{"error":"Forbidden"}}' } : undefined);
    expect(await told()).toBe(`ok: qdrant at ${server.url}: 0 collections; Qdrant 1.16.3`);
  });
});

/** Of 127.0.0.1, for a hundred years; they guard nothing. */
const KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgTRyvqRPfZeAfVLae
/tznVNaE7p0VDKCQQ0mGo3yslYKhRANCAASOWZLrkAyCA1CJlE3urKLvE7b5fTU9
wyGml/KcCKQqW+Q+qoeXOJqLq0FaelJdIaVnxa4np78dXuEzHwc8uhUd
-----END PRIVATE KEY-----`;
const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBmjCCAUGgAwIBAgIUZrmt/BwPjUk+XDY2tMYH1hD1u4gwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMzA4MjYxNFoYDzIxMjYxMDMw
MDgyNjE0WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAASOWZLrkAyCA1CJlE3urKLvE7b5fTU9wyGml/KcCKQqW+Q+qoeXOJqL
q0FaelJdIaVnxa4np78dXuEzHwc8uhUdo28wbTAdBgNVHQ4EFgQUMLvxOP3/l/Bt
GriagqXBK8io6ckwHwYDVR0jBBgwFoAUMLvxOP3/l/BtGriagqXBK8io6ckwDwYD
VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
zj0EAwIDRwAwRAIgT+Z8d8moc3kv/lT0f71RXiw/6zKA6CN7QWNNm5RVig4CIF54
M2fubazujWR8qZUUIzVaG/VbYD5amCZD/WoMoxNL
-----END CERTIFICATE-----`;
