import { onTestFinished } from 'vitest';
import { openLanceDb } from '../../src/drivers/stores/lancedb/lancedb.ts';
import { openQdrant } from '../../src/drivers/stores/qdrant/qdrant.ts';
import { folder } from './folder.ts';
import type { SharedStore } from './machines.ts';
import { emptyQdrant, machineSettings, QDRANT } from './real-qdrant.ts';
import { openS3 } from './s3-server.ts';

/** LanceDB in a bucket. The test's server does one request at a time: fewer documents. */
export const sharedBucket: SharedStore = {
  kind: 'LanceDB on S3',
  async open() {
    const { url, writer: options } = await openS3();
    const look = async (name = 'default') => {
      const store = await openLanceDb({ url, options });
      onTestFinished(() => store.close());
      return (await store.open(name))!;
    };
    return { settings: [{ storage: { url, options } }], look };
  },
  documents: 2,
};

export const sharedQdrant: SharedStore = {
  kind: QDRANT,
  async open() {
    const url = await emptyQdrant();
    const settings = machineSettings(url);
    const { options } = settings[0]!['storage'] as { options?: Record<string, unknown> };
    const store = await openQdrant({ url, options, environment: { XDG_STATE_HOME: folder() } });
    return { settings, look: async (name = 'default') => (await store.open(name))! };
  },
};
