import { closeBoth, connectTo, storeError } from './lancedb-connection.ts';
import { endpointOf, type StorePlace } from './lancedb-settings.ts';
import { lockInTable } from './table-lock.ts';

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
