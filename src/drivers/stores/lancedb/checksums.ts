import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { KbError } from '../../../core/errors.ts';
import { readTableName } from './table-holder.ts';

/** The file in a table's folder that lists the checksums of all others. */
export const CHECKSUMS = 'kb-checksums.json';

interface Checksum {
  /** Bytes. */
  size: number;
  sha256: string;
}

/** By the path in the table's folder. */
type Checksums = Record<string, Checksum>;

/** Lists the checksums of a table's files. Those that the last table with such a list shares with it (hard links) are not read again. */
export async function writeChecksums(table: string): Promise<void> {
  const before = await latestSealed(dirname(table));
  const known = before === undefined ? {} : await readChecksums(before);
  const sums: Checksums = {};
  for (const path of await filesIn(table)) {
    const isKnown = known[path] !== undefined && (await isSameFile(join(before!, path), join(table, path)));
    sums[path] = isKnown ? known[path]! : await checksumOf(join(table, path));
  }
  await writeFile(join(table, CHECKSUMS), JSON.stringify({ seal: sealOf(sums), sums }));
}

/** Throws a KbError (`invalid`) that names the file where one of the table was changed, was cut off or is missing. */
export async function assertUnchanged(table: string): Promise<void> {
  for (const [path, { size, sha256 }] of Object.entries(await readChecksums(table))) {
    const found = await checksumOf(join(table, path)).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT' || error.code === 'ENOTDIR') throw damaged(table, `${path} is missing`);
      throw error;
    });
    if (found.size !== size) throw damaged(table, `${path} has ${found.size} bytes of ${size}`);
    if (found.sha256 !== sha256) throw damaged(table, `${path} was changed`);
  }
}

const damaged = (table: string, what: string): KbError => new KbError('invalid', `${what} (in ${table})`);

async function readChecksums(table: string): Promise<Checksums> {
  const text = await readFile(join(table, CHECKSUMS), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') throw damaged(table, `${CHECKSUMS} is missing`);
    throw error;
  });
  try {
    const { seal, sums } = JSON.parse(text) as { seal: string; sums: Checksums };
    if (seal === sealOf(sums)) return sums;
  } catch {
    // no JSON any more
  }
  throw damaged(table, `${CHECKSUMS} was changed`);
}

const sealOf = (sums: Checksums): string => createHash('sha256').update(JSON.stringify(sums)).digest('hex');

/** The latest table in the folder that has whole checksums. */
async function latestSealed(folder: string): Promise<string | undefined> {
  const found: { table: string; created: number }[] = [];
  for (const name of await readdir(folder)) {
    const created = readTableName(basename(name, '.lance'))?.created;
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

async function filesIn(table: string): Promise<string[]> {
  const entries = await readdir(table, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => relative(table, join(parentPath, name)));
}

/** Whether both are one file under two names. */
async function isSameFile(one: string, other: string): Promise<boolean> {
  const [a, b] = await Promise.all([stat(one).catch(() => undefined), stat(other)]);
  return a !== undefined && a.ino === b.ino && a.dev === b.dev;
}

async function checksumOf(file: string): Promise<Checksum> {
  const sum = createHash('sha256');
  const reading = createReadStream(file, { highWaterMark: 1 << 20 });
  await pipeline(reading, sum);
  return { size: reading.bytesRead, sha256: sum.digest('hex') };
}
