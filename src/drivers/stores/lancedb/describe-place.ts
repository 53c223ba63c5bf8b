import { access, constants, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { describeFileError } from '../../../core/file-names.ts';
import type { StoreReport } from '../../../ports/stores.ts';
import { closeBoth, connectTo, endpointOf, type StorePlace } from './lancedb-connection.ts';
import { storeError } from './store-error.ts';
import { lockInTable } from './table-lock.ts';

/** MB of free space below which an ingest is likely to fail. */
const LEAST_FREE = 100;

/** What would keep a store in this folder from being written: rights, or a disk that is full. Nothing is written to find out. */
export async function describeFolder(folder: string): Promise<StoreReport> {
  let there = folder;
  let refused = await writeRefusal(there);
  while (refused?.code === 'ENOENT' && dirname(there) !== there) {
    there = dirname(there); // the folder is made when something is first written
    refused = await writeRefusal(there);
  }
  if (refused) return { message: '', warnings: [`Nothing can be written to ${there}: ${describeFileError(refused, 'write')}`] };
  const { bavail, bsize } = await statfs(there);
  const free = Math.floor((bavail * bsize) / 1e6);
  return { message: '', warnings: free < LEAST_FREE ? [`The disk of ${there} has ${free} MB left: free some space before an ingest`] : [] };
}

const writeRefusal = (path: string): Promise<NodeJS.ErrnoException | undefined> =>
  access(path, constants.W_OK).then(
    () => undefined,
    (error: NodeJS.ErrnoException) => error,
  );

/** A name that no collection can have. */
const PROBE = '.doctor';

/** Where a store in a bucket is, how long a request takes, and whether it may be written: by taking a lock that nobody else needs. */
export async function describeBucket(place: StorePlace): Promise<string> {
  const connections = (await connectTo(place, { create: false }))!;
  const { connection, pinned } = connections;
  try {
    await connection.tableNames(); // opens the connection
    const began = performance.now();
    await connection.tableNames();
    const took = Math.round(performance.now() - began);
    const isWritable = await lockInTable(pinned, PROBE).then(
      (lock) => lock.release().then(() => true),
      (error: unknown) => {
        if (/access was denied/.test(storeError(error, place.url).message)) return false;
        throw error;
      },
    );
    return `${whereIs(place)}; a request takes ${took} ms; it may be ${isWritable ? 'written' : 'read, but not written'}`;
  } finally {
    closeBoth(connections);
  }
}

function whereIs({ url, storageOptions: given }: StorePlace): string {
  const scheme = url.slice(0, url.indexOf(':'));
  if (!/^s3/i.test(scheme)) return `reached as ${scheme}://`;
  const region = given['region'] ?? given['aws_region'] ?? process.env['AWS_REGION'] ?? process.env['AWS_DEFAULT_REGION'];
  return `${endpointOf(given) ?? 'Amazon S3'}, ${region === undefined ? 'no region is set' : `region ${region}`}`;
}
