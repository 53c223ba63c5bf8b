import { describe, expect, it, onTestFinished } from 'vitest';
import { openQdrant } from '../../../../src/drivers/stores/qdrant/qdrant.ts';
import { folder } from '../../../support/folder.ts';
import { openQdrantServer, type QdrantBehaviour, type QdrantServer, useQdrantServer } from '../../../support/qdrant-server.ts';
import { everything } from '../../../support/store-contract.ts';

const WORDS = { name: 'words', provider: 'none', model: '', dimensions: 0 };
const plain = (id: string) => ({ id, text: 'a passage', source: 'a', metadata: {} });

let server: QdrantServer;
useQdrantServer((opened) => ({ server } = opened));
const open = (urls: string[] = []) =>
  openQdrant({
    url: server.url,
    options: { urls },
    environment: { XDG_STATE_HOME: folder() },
    retryLimits: { attempts: 2, firstWait: 0.001 },
  });

async function another() {
  const other = await openQdrantServer();
  onTestFinished(() => other.close());
  return other;
}

/** What was asked, whether a node is ready left out. */
const asked = ({ requests }: { requests: { path: string }[] }): string[] =>
  requests.map(({ path }) => path).filter((path) => path !== '/readyz');

describe('a cluster of Qdrant', () => {
  it('is reached at its next address if one does not answer, until that one fails', async () => {
    const other = await another();
    const store = await open([server.url, other.url]);
    await store.collections();
    await server.close();
    await Promise.all([store.collections(), store.collections()]);
    await store.collections();
    expect([asked(server).length, asked(other).length]).toEqual([1, 3]);
    other.behaviour.disturb = () => ({ status: 503 });
    await expect(store.collections()).rejects.toMatchObject({ code: 'unavailable' });
  });

  it('does not get a failed request at another node, nor requests for another address', async () => {
    const other = await another();
    server.behaviour.disturb = () => ({ status: 400, body: '{"status":{"error":"wrong"}}' });
    await expect((await open([server.url, other.url])).collections()).rejects.toMatchObject({ code: 'invalid' });
    server.behaviour.disturb = () => ({ status: 503 });
    await expect((await open([other.url])).collections()).rejects.toMatchObject({ code: 'unavailable' });
    expect(other.requests).toEqual([]);
  });

  it('is not reached at a node that is not ready, unless no node is ready', async () => {
    const other = await another();
    const urls = [server.url, other.url];
    const isBehind: QdrantBehaviour['disturb'] = ({ path }) => (path === '/readyz' ? { status: 503 } : undefined);
    server.behaviour.disturb = isBehind;
    await (await open(urls)).collections();
    expect([asked(server).length, asked(other).length]).toEqual([0, 1]);
    other.behaviour.disturb = isBehind;
    await (await open(urls)).collections();
    expect([asked(server).length, asked(other).length]).toEqual([1, 1]);
    server.behaviour.disturb = ({ path }) => (path === '/readyz' ? { status: 404 } : undefined); // a proxy before it may pass nothing else
    await (await open(urls)).collections();
    expect([asked(server).length, asked(other).length]).toEqual([2, 1]);
  });

  it('creates a collection although one of its nodes does not know the table yet', async () => {
    const { behaviour } = server;
    const maker = await open();
    const disturbances = [{ status: 409, body: '{"status":{"error":"exists"}}' }, { status: 404 }];
    behaviour.disturb = ({ path }) => (path === '/collections/kb.words%400' ? disturbances.shift() : undefined);
    const collection = await maker.create(WORDS);
    await collection.upsert([plain('1')]);
    expect(await (await (await open()).open('words'))!.count()).toBe(1);
    expect(disturbances).toEqual([]);
  });

  it('does not mistake an outdated replica for a write of another process', async () => {
    const { behaviour, url } = server;
    const collection = await (await open()).create(WORDS);
    const state = async () => {
      const request = { ids: [0], with_payload: true };
      const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(request) };
      return await (await fetch(`${url}/collections/kb.words/points`, init)).text();
    };
    const past = [await state()];
    for (const id of ['1', '2']) {
      await collection.upsert([plain(id)]);
      past.push(await state());
    }
    let isWritten = false;
    behaviour.disturb = ({ method, path, body: { ids, points } }) => {
      isWritten ||= method === 'PUT' && JSON.stringify(points)?.includes('"kb":');
      const isRead = isWritten && path.endsWith('/points') && JSON.stringify(ids) === '[0]';
      return isRead && past.length > 0 ? { status: 200, body: past.shift()! } : undefined;
    };
    await collection.upsert([plain('3')]);
    expect(past).toEqual([]);
    expect((await everything(collection)).map(({ id }) => id).toSorted()).toEqual(['1', '2', '3']);
  });

  it('reads and writes although a lagging replica lacks the word statistics', async () => {
    await (await (await open()).create(WORDS)).upsert([plain('1')]);
    let lacking = 0;
    server.behaviour.disturb = ({ path, body: { ids } }) =>
      path.endsWith('/points') && JSON.stringify(ids)?.startsWith('["') && lacking-- > 0
        ? { status: 200, body: JSON.stringify({ result: [], status: 'ok', time: 0 }) }
        : undefined;
    for (const act of ['search', 'upsert'] as const) {
      const collection = (await (await open()).open('words'))!;
      lacking = 3;
      if (act === 'search') expect(await collection.search({ text: 'passage', limit: 9 })).toHaveLength(1);
      else await collection.upsert([plain('2')]);
      expect(lacking).toBeLessThanOrEqual(0);
    }
    expect((await everything((await (await open()).open('words'))!)).map(({ id }) => id)).toEqual(['1', '2']);
  });
});
