import { describe } from 'vitest';
import type { Layer } from '../../src/core/settings.ts';
import { qdrantServer } from './engine.ts';
import { folder } from './folder.ts';
import { openS3, withS3 } from './s3-server.ts';

/** An empty place of each kind that a store can have, as the settings `storage` that name it from any folder. */
export const STORAGES: Record<string, () => Promise<Layer>> = {
  'LanceDB in a folder': async () => ({ url: folder() }),
  'LanceDB in a bucket': async () => {
    const { url, writer } = await openS3();
    return { url, options: writer };
  },
  Qdrant: async () => (await qdrantServer()).storage,
};

/** Runs the tests for each of them; those of a bucket where there is an S3 server. */
export function forEachStorage(what: string, tests: (open: () => Promise<Layer>, kind: string) => void): void {
  for (const [kind, open] of Object.entries(STORAGES)) {
    const describing = kind === 'LanceDB in a bucket' ? withS3 : describe;
    // oxlint-disable-next-line vitest/valid-title -- one title for each kind
    describing(`${what} in ${kind}`, () => tests(open, kind));
  }
}
