import { expect, test } from 'vitest';
import { KbError } from '../../../src/core/errors.ts';
import type { IngestDocument } from '../../../src/stages/ingest/read-documents.ts';
import { storeDocuments } from '../../../src/stages/ingest/store-chunks.ts';

test('reports a failing store before it waits for its input to close', async () => {
  const full = new KbError('unavailable', 'The disk is full.');
  let release = () => {};
  const hangs = new Promise<void>((done) => (release = done));
  const chunk = { vector: new Float32Array(2) };
  async function* works(): AsyncGenerator<IngestDocument, void, void> {
    yield {
      name: 'urls',
      source: 'a',
      count: 1,
      documents: [],
      status: 'new',
      shares_source: false,
      chunks: [chunk],
      outdated: [],
      reused: 0,
      lost: [],
    } as never;
    await hangs;
  }
  const told: unknown[] = [];
  const written = storeDocuments(works(), {
    collection: () => Promise.reject(full),
    was_empty: true,
    batch_size: 1,
    onWritten: () => {},
    onFailure: (error) => {
      told.push(error);
      release();
    },
  });
  await expect(written.next()).rejects.toBe(full);
  expect(told).toEqual([full]);
});
