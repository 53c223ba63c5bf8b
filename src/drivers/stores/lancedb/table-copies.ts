import { createHash } from 'node:crypto';
import { constants, createReadStream } from 'node:fs';
import { copyFile, link, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Connection } from '@lancedb/lancedb';
import { KbError } from '../../../core/errors.ts';
import { listAddressesOf, type ListedTables, ORPHANED_AFTER, parseTableName, splitAddress, newTableName } from './lancedb-tables.ts';

// In a folder, a snapshot is a copy of the table that shares its files. In a bucket files cannot be copied without reading them: there a snapshot is a branch
// of the table, which makes LanceDB keep the files of a version. The table stays as long as the catalog names a branch of it.

interface CopyOptions extends ListedTables {
  /** Undefined for a store in a bucket. */
  folder: string | undefined;
  /** The collection that the copy is for. */
  as: string;
  /** Whether the copy is read-only. Such a copy in a folder gets checksums of its files. */
  isSealed: boolean;
}

/** Copies the table at an address; in a bucket, makes a branch of it if the copy is sealed. Returns the address of the copy; undefined if neither is possible. */
export async function copyTable(address: string, { folder, as, isSealed, ...tables }: CopyOptions): Promise<string | undefined> {
  if (folder === undefined || splitAddress(address).branch !== undefined)
    return isSealed ? await makeBranch(address, as, tables) : undefined;
  const to = newTableName(as);
  await copyFiles(folder, { from: address, to, isSealed });
  return to;
}

/** Makes a branch of the table's current version, and removes branches that dead processes have left. Returns its address. */
async function makeBranch(address: string, as: string, { connection, catalog }: ListedTables): Promise<string> {
  const { table } = splitAddress(address);
  const branches = await (await connection.openTable(table)).branches();
  const listed = await listAddressesOf(catalog, table);
  for (const branch of Object.keys(await branches.list())) if (!listed.includes(`${table}@${branch}`)) await branches.delete(branch);
  const branch = branchName(as);
  await branches.create(branch);
  return `${table}@${branch}`;
}

// The name of a branch holds the time and the collection, so that it can be found again after the catalog was lost.
const branchName = (name: string): string =>
  `${Date.now().toString(36)}-${Math.random().toString(36).slice(2, 8)}-${Buffer.from(name).toString('hex')}`;

/** Lists the branches of a table, with the collections that they were made for. */
export async function listBranches(connection: Connection, table: string): Promise<{ address: string; name: string }[]> {
  const branches = await (await connection.openTable(table)).branches();
  return Object.keys(await branches.list()).flatMap((branch) => {
    const hex = /^[0-9a-z]+-[0-9a-z]+-([0-9a-f]+)$/.exec(branch)?.[1];
    return hex === undefined ? [] : [{ address: `${table}@${branch}`, name: Buffer.from(hex, 'hex').toString() }];
  });
}

/** Prefix of the folder of an unfinished copy; LanceDB does not recognize such a folder as a table. */
const UNFINISHED = '.copy-';

/** Lists the unfinished copies in the folder that dead processes have left. */
export async function listStaleCopies(folder: string): Promise<string[]> {
  const old = Date.now() - ORPHANED_AFTER;
  const names = await readdir(folder);
  return names.filter((name) => name.startsWith(UNFINISHED) && (parseTableName(name.slice(UNFINISHED.length))?.created ?? Infinity) < old);
}

/**
 * Copies the files of table `from` as table `to`, which appears atomically. LanceDB never changes a file of rows or of an index, so the copy shares them (hard
 * links) if the file system supports that, which takes no time and no space. No process may write to the table meanwhile.
 */
async function copyFiles(folder: string, { from, to, isSealed }: { from: string; to: string; isSealed: boolean }): Promise<void> {
  for (const name of await listStaleCopies(folder)) await rm(join(folder, name), { recursive: true, force: true });
  const unfinished = join(folder, `${UNFINISHED}${to}`);
  try {
    await copyFolder(join(folder, `${from}.lance`), unfinished);
    if (isSealed) await writeChecksums(unfinished);
    await rename(unfinished, join(folder, `${to}.lance`));
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    throw error;
  }
}

/** Copies a folder without checksums and the tags of readers. Files in `_versions` are not shared, because LanceDB may overwrite them. */
async function copyFolder(from: string, to: string, isShared = true): Promise<void> {
  await mkdir(to);
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) {
      if (entry.name !== '_refs') await copyFolder(source, target, isShared && entry.name !== '_versions');
    } else if (entry.name !== CHECKSUMS && (!isShared || !(await tryLink(source, target))))
      await copyFile(source, target, constants.COPYFILE_FICLONE);
  }
}

const tryLink = (source: string, target: string): Promise<boolean> =>
  link(source, target).then(
    () => true,
    () => false, // not every file system has hard links; for any other cause, the copy fails with its error
  );

/** The file in a table's folder that lists the checksums of all other files. */
export const CHECKSUMS = 'kb-checksums.json';

interface Checksum {
  /** Bytes. */
  size: number;
  sha256: string;
}

/** By the path in the table's folder. */
type Checksums = Record<string, Checksum>;

/** Writes the checksums of a table's files. Those of files that it shares (hard links) with the latest table with checksums are taken over from there. */
export async function writeChecksums(table: string): Promise<void> {
  const previous = await findLatestSealed(dirname(table));
  const known = previous === undefined ? {} : await readChecksums(previous);
  const sums: Checksums = {};
  for (const path of await listFiles(table)) {
    const isKnown = known[path] !== undefined && (await isSameFile(join(previous!, path), join(table, path)));
    sums[path] = isKnown ? known[path]! : await computeChecksum(join(table, path));
  }
  await writeFile(join(table, CHECKSUMS), JSON.stringify({ seal: computeSeal(sums), sums }));
}

/** Throws a KbError (`invalid`) that names the file if one of the table was changed, was truncated or is missing. */
export async function assertUnchanged(table: string): Promise<void> {
  for (const [path, { size, sha256 }] of Object.entries(await readChecksums(table))) {
    const found = await computeChecksum(join(table, path)).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT' || error.code === 'ENOTDIR') throw damagedError(table, `${path} is missing`);
      throw error;
    });
    if (found.size !== size) throw damagedError(table, `${path} has ${found.size} bytes of ${size}`);
    if (found.sha256 !== sha256) throw damagedError(table, `${path} was changed`);
  }
}

const damagedError = (table: string, what: string): KbError => new KbError('invalid', `${what} (in ${table})`);

async function readChecksums(table: string): Promise<Checksums> {
  const text = await readFile(join(table, CHECKSUMS), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') throw damagedError(table, `${CHECKSUMS} is missing`);
    throw error;
  });
  try {
    const { seal, sums } = JSON.parse(text) as { seal: string; sums: Checksums };
    if (seal === computeSeal(sums)) return sums;
  } catch {
    // the JSON is damaged
  }
  throw damagedError(table, `${CHECKSUMS} was changed`);
}

const computeSeal = (sums: Checksums): string => createHash('sha256').update(JSON.stringify(sums)).digest('hex');

/** Finds the latest table in the folder with valid checksums. */
async function findLatestSealed(folder: string): Promise<string | undefined> {
  const found: { table: string; created: number }[] = [];
  for (const name of await readdir(folder)) {
    const created = parseTableName(basename(name, '.lance'))?.created;
    if (created !== undefined) found.push({ table: join(folder, name), created });
  }
  for (const { table } of found.toSorted((a, b) => b.created - a.created)) {
    const isWhole = await readChecksums(table).then(
      () => true,
      () => false,
    );
    if (isWhole) return table;
  }
  return undefined;
}

async function listFiles(table: string): Promise<string[]> {
  const entries = await readdir(table, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => relative(table, join(parentPath, name)));
}

/** Whether both paths are hard links to one file. */
async function isSameFile(one: string, other: string): Promise<boolean> {
  const [a, b] = await Promise.all([stat(one).catch(() => undefined), stat(other)]);
  return a !== undefined && a.ino === b.ino && a.dev === b.dev;
}

async function computeChecksum(file: string): Promise<Checksum> {
  const sum = createHash('sha256');
  const reading = createReadStream(file, { highWaterMark: 1 << 20 });
  await pipeline(reading, sum);
  return { size: reading.bytesRead, sha256: sum.digest('hex') };
}
