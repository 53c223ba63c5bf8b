import { constants } from 'node:fs';
import { copyFile, link, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { CHECKSUMS, writeChecksums } from './checksums.ts';
import { makeBranch, type Places, splitAddress } from './branches.ts';
import { ORPHANED_AFTER, readTableName, tableName } from './table-holder.ts';

/** Name of a copy that is being made: LanceDB takes it for no table. What a killed process leaves is removed after an hour. */
const HALF = '.copy-';

/** Copies in the folder that killed processes have begun. */
export async function staleCopies(folder: string): Promise<string[]> {
  const old = Date.now() - ORPHANED_AFTER;
  const names = await readdir(folder);
  return names.filter((name) => name.startsWith(HALF) && (readTableName(name.slice(HALF.length))?.created ?? Infinity) < old);
}

interface Sharing extends Places {
  /** Undefined for a store in a bucket. */
  folder: string | undefined;
  /** The collection that the copy is for. */
  as: string;
  isSealed: boolean;
}

/** Copies what lies at the address, or in a bucket has a copy that nobody writes to share it; undefined where neither can be. Returns the address of the copy. */
export async function shareTable(address: string, { folder, as, isSealed, ...places }: Sharing): Promise<string | undefined> {
  if (folder === undefined || splitAddress(address).branch !== undefined)
    return isSealed ? await makeBranch(address, { ...places, as }) : undefined;
  const to = tableName(as);
  await copyTable(folder, { from: address, to, isSealed });
  return to;
}

interface CopyOptions {
  from: string;
  to: string;
  /** Whether the copy gets checksums of its files. */
  isSealed: boolean;
}

/**
 * Copies the table `from` of a store in a folder as `to`, which appears whole or not at all. LanceDB never changes a file of rows or of an index, so
 * that the copy shares them (hard links) where the file system can: it takes no time and no space. Nobody may write to the table meanwhile.
 */
async function copyTable(folder: string, { from, to, isSealed }: CopyOptions): Promise<void> {
  await removeStaleCopies(folder);
  const half = join(folder, `${HALF}${to}`);
  try {
    await copyFolder(join(folder, `${from}.lance`), half);
    if (isSealed) await writeChecksums(half);
    await rename(half, join(folder, `${to}.lance`));
  } catch (error) {
    await rm(half, { recursive: true, force: true });
    throw error;
  }
}

/** Without checksums and the tags of those who read the table; `_versions` has a file that LanceDB writes over. */
async function copyFolder(from: string, to: string, isShared = true): Promise<void> {
  await mkdir(to);
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) {
      if (entry.name !== '_refs') await copyFolder(source, target, isShared && entry.name !== '_versions');
    } else if (entry.name !== CHECKSUMS && (!isShared || !(await isLinked(source, target))))
      await copyFile(source, target, constants.COPYFILE_FICLONE);
  }
}

const isLinked = (source: string, target: string): Promise<boolean> =>
  link(source, target).then(
    () => true,
    () => false, // not every file system has hard links: what else is wrong, copying tells
  );

async function removeStaleCopies(folder: string): Promise<void> {
  for (const name of await staleCopies(folder)) await rm(join(folder, name), { recursive: true, force: true });
}
