import { onTestFinished } from 'vitest';
import { openQdrantServer } from './qdrant-server.ts';

const REAL = process.env['KB_TEST_QDRANT_URL'];

/** What the suites run on: the server that `KB_TEST_QDRANT_URL` names, which must be for tests alone, else one that imitates it. Part of their titles. */
export const QDRANT = REAL ? `Qdrant at ${REAL}` : 'an imitation of Qdrant';

/** The address of a Qdrant without any collection of kb; an imitation ends with the test. */
export async function emptyQdrant(): Promise<string> {
  if (!REAL) {
    const { url, close } = await openQdrantServer();
    onTestFinished(close);
    return url;
  }
  const { QdrantClient } = await import('@qdrant/js-client-rest');
  const client = new QdrantClient({ url: REAL, checkCompatibility: false, timeout: 60_000 });
  const { collections } = await client.getCollections();
  for (const { name } of collections) if (name.startsWith('kb.')) await client.deleteCollection(name);
  return REAL;
}
