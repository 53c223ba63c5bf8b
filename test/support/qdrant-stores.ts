import { openQdrant } from '../../src/drivers/stores/qdrant/qdrant.ts';
import type { StoredChunk, VectorStore } from '../../src/ports/stores.ts';
import { type QdrantServer, useQdrantServer } from './qdrant-server.ts';

/** A collection with vectors. */
export const INFO = { name: 'manuals', provider: 'test', model: 'axes', dimensions: 3 };

/** A collection without vectors. */
export const WORDS_ONLY = { name: 'words', provider: 'none', model: '', dimensions: 0 };

/** A chunk without a vector. */
export const plain = (id: string, given: Partial<StoredChunk> = {}): StoredChunk => ({
  id,
  text: 'a passage',
  source: 'a',
  metadata: {},
  ...given,
});

/** Gives each test of a file a server and an empty folder of its own, and what opens stores on it. */
export function useQdrantStores(take: (opened: { server: QdrantServer; home: string }) => void) {
  let own!: { server: QdrantServer; home: string };
  useQdrantServer((opened) => take((own = opened)));
  return {
    open: (url = own.server.url, environment: NodeJS.ProcessEnv = {}): Promise<VectorStore> =>
      openQdrant({ url, environment: { XDG_STATE_HOME: own.home, ...environment }, retryLimits: { attempts: 4, firstWait: 0.001 } }),
    /** The tables of a collection, whatever alias leads to them. */
    tables: (name = INFO.name): string[] => [...own.server.collections.keys()].filter((table) => table.startsWith(`kb.${name}@`)),
  };
}
