import { expect, it } from 'vitest';
import { openQdrant } from '../../../../src/drivers/stores/qdrant/qdrant.ts';
import type { QdrantServer } from '../../../support/qdrant-server.ts';
import { useQdrantServer } from '../../../support/qdrant-server.ts';
import { folder } from '../../../support/folder.ts';

const INFO = { name: 'manuals', provider: 'none', model: '', dimensions: 0 };
const [ALIAS, TABLE] = ['kb.manuals', 'kb.manuals@0'];

let server: QdrantServer;
useQdrantServer((opened) => ({ server } = opened));

const machine = () =>
  openQdrant({ url: server.url, environment: { XDG_STATE_HOME: folder() }, retryLimits: { attempts: 2, firstWait: 0.001 } });

/** A table whose maker has stopped just before it gives it its name. */
async function half(): Promise<void> {
  let isOver = false;
  server.behaviour.disturb = ({ method, path }) => {
    isOver ||= method === 'POST' && path === '/collections/aliases';
    return isOver ? 'cut' : undefined;
  };
  await expect((await machine()).create(INFO)).rejects.toMatchObject({ code: 'unavailable' });
  server.behaviour.disturb = undefined;
  expect([server.collections.has(TABLE), server.aliases.has(ALIAS)]).toEqual([true, false]);
}

it('does not remove a table that a slow process is just completing', async () => {
  await half();
  const finish = () => {
    server.aliases.set(ALIAS, TABLE);
    const { kb } = server.collections.get(TABLE)!.points.get(0)!.payload as { kb: { version: string; history: string[] } };
    kb.history.push(kb.version);
    kb.version = 'of its first write';
  };
  server.behaviour.disturb = ({ method, path, body }) => {
    const isClosing = JSON.stringify(body).includes('"replaced_by"');
    if (decodeURIComponent(path).startsWith(`/collections/${TABLE}`) && (method === 'DELETE' || isClosing)) finish();
    return undefined;
  };
  await expect((await machine()).create(INFO)).rejects.toMatchObject({ code: 'conflict', message: expect.stringContaining('already') });
  expect(server.aliases.get(ALIAS)).toBe(TABLE);
  expect(server.collections.has(TABLE)).toBe(true);
});

it('recreates a table whose creator died before it set the alias', async () => {
  await half();
  const collection = await (await machine()).create({ ...INFO, provider: 'test', model: 'axes', dimensions: 3 });
  await collection.upsert([{ id: '1', text: 'x', source: 'a', metadata: {}, vector: Float32Array.of(1, 0, 0) }]);
  expect(await (await (await machine()).open('manuals'))!.count()).toBe(1);
});
