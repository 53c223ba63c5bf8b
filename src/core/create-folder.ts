import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { operatorAdvice } from './advice/advice.ts';
import { KbError } from './errors.ts';

/**
 * Makes a folder and those above it; one that is there is left. Node's recursive `mkdir` never ends if a parent refuses with ENOENT, as /proc does. Throws a
 * KbError (`configuration`) then, and what the file system throws otherwise.
 */
export async function createFolder(folder: string): Promise<void> {
  const error = await mkdir(folder).then(
    () => undefined,
    (cause: NodeJS.ErrnoException) => cause,
  );
  if (error === undefined || error.code === 'EEXIST') return;
  if (error.code !== 'ENOENT') throw error;
  if (dirname(folder) === folder || (await isFolder(dirname(folder))))
    throw new KbError('configuration', `No folder can be made at ${folder}.`, {
      hint: operatorAdvice`Choose a folder that you may write to.`,
      cause: error,
    });
  await createFolder(dirname(folder));
  await mkdir(folder).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code !== 'EEXIST') throw cause;
  });
}

const isFolder = async (path: string): Promise<boolean> =>
  await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
