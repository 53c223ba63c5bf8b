import { access, constants, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { describeFileError } from '../../../core/file-names.ts';
import type { StoreReport } from '../../../ports/stores.ts';

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
