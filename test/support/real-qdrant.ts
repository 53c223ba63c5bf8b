import { setTimeout as wait } from 'node:timers/promises';
import type { QdrantClient } from '@qdrant/js-client-rest';
import { onTestFinished } from 'vitest';
import type { Layer } from '../../src/core/settings.ts';
import { openQdrantServer } from './qdrant-server.ts';

const REAL = process.env['KB_TEST_QDRANT_URL'];
const NODES = REAL?.split(',') ?? [];

/** What the suites run on: the server that `KB_TEST_QDRANT_URL` names, which must be for tests alone, else one that imitates it. Part of their titles. */
export const QDRANT = REAL ? `Qdrant at ${REAL}` : 'an imitation of Qdrant';

/** The address of a Qdrant without any collection of kb; an imitation ends with the test. */
export async function emptyQdrant(): Promise<string> {
  if (!REAL) {
    const { url, close } = await openQdrantServer();
    onTestFinished(close);
    return url;
  }
  const library = await import('@qdrant/js-client-rest');
  const clients = NODES.map((url) => new library.QdrantClient({ url, checkCompatibility: false, timeout: 60_000 }));
  for (const client of clients) for (const name of await collectionsAt(client).catch(() => [])) await client.deleteCollection(name);
  // nodes hear of it one after the other, and one may be starting
  for (const client of clients) while ((await collectionsAt(client).catch(() => [''])).length > 0) await wait(20);
  return NODES[0]!;
}

const collectionsAt = async (client: QdrantClient): Promise<string[]> =>
  (await client.getCollections()).collections.map(({ name }) => name).filter((name) => name.startsWith('kb.'));

/** The settings of machines that write to the server at this address. Of a cluster each asks another node first; a collection has two copies of three shards. */
export function machineSettings(url: string): Layer[] {
  if (NODES.length < 2) return [{ storage: { vector_db: 'qdrant', url } }];
  const options = { urls: NODES, shard_number: 3, replication_factor: 2 };
  return NODES.map((node) => ({ storage: { vector_db: 'qdrant', url: node, options } }));
}
