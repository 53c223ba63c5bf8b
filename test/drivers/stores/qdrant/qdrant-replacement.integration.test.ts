import { createServer, request } from 'node:http';
import { expect, it, onTestFinished } from 'vitest';
import { collect, progress } from '../../../../src/core/run.ts';
import { openQdrant } from '../../../../src/drivers/stores/qdrant/qdrant.ts';
import { withDraft } from '../../../../src/engine/collections.ts';
import type { Collection, StoredChunk } from '../../../../src/ports/stores.ts';
import { folder } from '../../../support/folder.ts';
import { openQdrantServer } from '../../../support/qdrant-server.ts';
import { everything } from '../../../support/store-contract.ts';
import { listening } from '../../../support/listening.ts';

type Fault = 'refused' | 'answer lost';

/** A server behind a gateway that, once it is told to, refuses the moves of aliases, or passes them on and loses the answer. */
async function qdrantBehind(fault: Fault) {
  const server = await openQdrantServer();
  const gateway = { isFailing: false, url: '', direct: server.url, beforeAnswer: async () => {} };
  const proxy = createServer(async (incoming, answer) => {
    const body = Buffer.concat(await Array.fromAsync(incoming as AsyncIterable<Buffer>));
    const isMove = gateway.isFailing && incoming.url === '/collections/aliases';
    const fail = () => answer.writeHead(503, { 'content-type': 'application/json' }).end('{"status":{"error":"consensus timed out"}}');
    if (isMove && fault === 'refused') return void fail();
    const onward = request(server.url + incoming.url, { method: incoming.method, headers: incoming.headers }, (reply) => {
      if (isMove) return void (reply.resume(), gateway.beforeAnswer().then(fail));
      answer.writeHead(reply.statusCode!, reply.headers);
      reply.pipe(answer);
    });
    onward.end(body);
  });
  const { url, close } = await listening(proxy);
  onTestFinished(() => server.close());
  onTestFinished(close);
  gateway.url = url;
  return gateway;
}

const INFO = { name: 'manuals', provider: 'none', model: '', dimensions: 0 };
const chunk = (id: string): StoredChunk => ({ id, text: `The passage ${id}.`, source: id, metadata: {}, chunk_count: 1 });
const idsIn = async (collection: Collection) => (await everything(collection)).map(({ id }) => id).toSorted();

it.each<Fault>(['refused', 'answer lost'])(
  'loses nothing if the last step of a replacement is %s, and the next writer finishes it',
  async (fault) => {
    const gateway = await qdrantBehind(fault);
    const environment = { XDG_STATE_HOME: folder() };
    const open = () => openQdrant({ url: gateway.url, environment, retryLimits: { attempts: 2, firstWait: 0.01 } });
    const store = await open();
    await (await store.create(INFO)).upsert([chunk('old')]);
    const draft = await store.draft(INFO);
    const replacing = withDraft(draft, async function* (collection) {
      yield progress('store', {}, 'Writing.');
      await collection.upsert([chunk('new')]);
      gateway.isFailing = true;
    });
    await expect(collect(replacing)).rejects.toThrow();
    gateway.isFailing = false;
    const found = (await (await open()).open('manuals'))!;
    expect(await idsIn(found)).toEqual([fault === 'refused' ? 'old' : 'new']);
    await found.upsert([chunk('later')]);
    expect(await idsIn((await (await open()).open('manuals'))!)).toEqual(['later', 'new']);
  },
);

it('keeps what another process wrote to a collection whose creation had an unknown outcome', async () => {
  const gateway = await qdrantBehind('answer lost');
  const open = (url: string) =>
    openQdrant({ url, environment: { XDG_STATE_HOME: folder() }, retryLimits: { attempts: 2, firstWait: 0.01 } });
  const other = await open(gateway.direct);
  gateway.isFailing = true;
  gateway.beforeAnswer = async () => await (await other.open('manuals'))!.upsert([chunk('theirs')]);
  await expect((await open(gateway.url)).create(INFO)).rejects.toMatchObject({ code: 'unavailable' });
  expect(await idsIn((await other.open('manuals'))!)).toEqual(['theirs']);
});
