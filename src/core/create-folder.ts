import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { operatorAdvice } from './advice/advice.ts';
import { KbError } from './errors.ts';

/**
 * Makes a folder and those above it; one that is there is left. Node's recursive `mkdir` never ends if a parent refuses with ENOENT, as /proc does. Throws a
 * KbError (`configuration`) then, and what the file system throws otherwise.
 */
export async function createFolder(folder: string): Promise<void> {
  if ((await tryToMake(folder)) === undefined) return;
  if (dirname(folder) !== folder && !(await isFolder(dirname(folder)))) await createFolder(dirname(folder));
  const cause = await tryToMake(folder); // again also if another process has just made the folder above
  if (cause === undefined) return;
  throw new KbError('configuration', `No folder can be made at ${folder}.`, {
    hint: operatorAdvice`Choose a folder that you may write to.`,
    cause,
  });
}

/** Gives the error if the folder above is missing, or seems to be; throws any other. */
async function tryToMake(folder: string): Promise<NodeJS.ErrnoException | undefined> {
  try {
    await mkdir(folder);
    return undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return error as NodeJS.ErrnoException;
    if (code === 'EEXIST' && (await isFolder(folder))) return undefined;
    throw error;
  }
}

const isFolder = async (path: string): Promise<boolean> =>
  await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
